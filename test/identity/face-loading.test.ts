import t from 'tap'
import type { Storage } from '#lib/storage/storage.ts'
import type { FaceEngine } from '#tasks/identity/engine.ts'
import { getTasksOfPool } from '#tasks/index.ts'
import { startFleet } from '../../workers/runtime/fleet.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'

t.setTimeout(240_000)
const { db, url } = await testDatabase(t)
const ingress = await testIngress(t, db, [], { only: ['identity'] })
const { keys } = await testOrg(db, ['identity:read'])
const loading = Promise.withResolvers<void>()
const face = { bounding_box: { x: 0, y: 0, width: 9, height: 9 }, confidence: 1, count: 1 }
const whole = { ...face, quality: { sharpness: 1, brightness: 1, width_px: 9 } }
let asked = 0
const faces: FaceEngine = {
  ready: () => loading.promise,
  async compare() {
    asked++
    return { distance: 0.2, faces: { a: whole, b: whole }, model: { name: 'of the test', version: '1' } }
  },
  examine: () => Promise.reject(new Error('not asked')),
}
const plan = {
  pool: 'identity' as const,
  settings: { concurrency: 1, fetchAhead: 0 },
  tasks: getTasksOfPool('identity'),
  tools: { faces, storage: {} as Storage },
}
const fleet = await startFleet(url, [plan], { lease: 60_000, sweep: 200, grace: 2_000 }, (why) => {
  throw new Error(why)
})
t.teardown(() => fleet.stop())

t.test('while the engine is being loaded it is told to come again, and loading goes on', async (t) => {
  const body = { image_a: 'AAAA', image_b: 'AAAA' }
  const match = () => ingress.ask('POST /v1/identity/face-match', { key: keys.main, body })
  const early = await match()
  t.match(
    early,
    { status: 503, body: { error: { message: 'The face engine is starting. Try again in a few seconds.' } } },
    early.text,
  )
  t.equal(early.headers.get('retry-after'), '5')
  t.equal(asked, 0)
  loading.resolve()
  t.match(await match(), { status: 200, body: { decision: 'match' } })
})
