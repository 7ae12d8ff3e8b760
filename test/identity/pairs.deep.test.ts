import { readFile } from 'node:fs/promises'
import type { Sharp } from 'sharp'
import t from 'tap'
import { testDatabase } from '../support/database.ts'
import { people } from '../support/faces.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { startWorkers } from '../support/video-stack.ts'

t.setTimeout(30 * 60_000)
const { db, url: databaseUrl } = await testDatabase(t)
const { ask } = await testIngress(t, db, [], { only: ['identity'] })
const { keys } = await testOrg(db, ['identity:read'])
const match = async (a: Buffer, b: Buffer) => {
  const body = { image_a: a.toString('base64'), image_b: b.toString('base64') }
  return await ask('POST /v1/identity/face-match', { key: keys.main, body })
}

t.test('without a worker the answer is 504 after 15 seconds, and what was asked is cancelled', async (t) => {
  const face = (await people[0]?.face()) as Buffer
  const reply = await match(face, face)
  t.match(reply, { status: 504, body: { error: { code: 'server_error' } } })
})

const altered: Record<string, (face: Sharp) => Sharp> = {
  small: (face) => face.resize(120),
  poor: (face) => face.resize(160).jpeg({ quality: 30 }),
  dark: (face) => face.modulate({ brightness: 0.5 }),
  bright: (face) => face.modulate({ brightness: 1.5 }),
  blurred: (face) => face.blur(3),
  turned: (face) => face.rotate(12, { background: '#888' }),
  mirrored: (face) => face.flop(),
  grey: (face) => face.grayscale().toColourspace('srgb'),
}
const plain = await Promise.all(people.map(({ face }) => face()))

t.test('over all sample faces: altered pictures of one match, and hardly any two people do', async (t) => {
  const options = {
    databaseUrl,
    store: { url: 'http://127.0.0.1:1' },
    data: t.testdir({}),
    pools: 'identity',
    under: [],
  }
  const worker = await startWorkers(t, { ...options, environment: {} })
  const distances = { genuine: [] as number[], impostor: [] as number[] }
  let missed = 0
  for (const [i, { face, picture }] of people.entries()) {
    const image = plain[i] as Buffer
    for (const change of Object.values(altered)) {
      const { status, body } = await match(image, await face(change))
      if (status === 200) distances.genuine.push(body.distance)
      else missed++
    }
    for (const [j, other] of people.entries()) {
      if (j <= i || other.picture !== picture) continue
      const { status, body } = await match(image, plain[j] as Buffer)
      if (status === 200) distances.impostor.push(body.distance)
    }
  }
  const { genuine, impostor } = distances
  const resident = Number(/^VmHWM:\s+(\d+)/m.exec(await readFile(`/proc/${worker.pid}/status`, 'utf8'))?.[1]) / 1024
  t.comment(`genuine ${genuine.length}, ${missed} without a face, largest ${Math.max(...genuine)}`)
  t.comment(`impostor ${impostor.length}, least ${Math.min(...impostor)}, at most ${Math.round(resident)} MB`)
  t.ok(genuine.length >= 150)
  t.ok(genuine.filter((distance) => distance <= 0.5).length >= 0.99 * genuine.length)
  t.ok(impostor.length >= 29)
  t.ok(impostor.filter((distance) => distance <= 0.5).length <= 1)
  t.ok(resident < 1_000, 'memory is bounded')
})
