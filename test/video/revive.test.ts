import { join } from 'node:path'
import t from 'tap'
import { performAction } from '#tasks/jobs/rules/actions.ts'
import { film, numbered } from '../media/sources.ts'
import { until } from '../support/until.ts'
import { noise, videoStack } from '../support/video-stack.ts'
import { failing } from './failing.ts'

t.setTimeout(240_000)
const stack = await videoStack(t)
const by = { actor: 'test' }

const { runOf, fails, discarded } = failing(stack)

t.test('an asset that failed by no fault of its own is tried again from its upload and becomes ready', async (t) => {
  const source = await film(join(stack.data, 'film.mp4'), numbered('30', 6), {
    codec: ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '60', '-pix_fmt', 'yuv420p'],
  })
  await stack.startWorkers({}, 'core,media-intake')
  const assetId = await stack.send(source)
  const run = await runOf(assetId, 'video/encode-chunk')
  t.match(await performAction(stack.db, 'cancel', run, by), { changed: true, state: 'waiting' })
  await fails(assetId)
  await discarded(assetId)
  const retried = await until(async () => {
    const outcome = await performAction(stack.db, 'retry', run, by)
    return outcome.changed && outcome
  })
  t.equal(retried.state, 'cancelled')
  t.equal((await stack.read(assetId)).status, 'processing')
  await stack.startWorkers({}, 'media')
  await stack.ready(assetId)
  const minted = await stack.ask(`POST /v1/stream/assets/${assetId}/playback-sessions`, { body: {} })
  t.equal(minted.status, 201)
})

t.test('an upload that can never work is not tried again, and that is said', async (t) => {
  const assetId = await stack.sendBytes('noise.mp4', noise(100_000))
  await fails(assetId)
  const run = await runOf(assetId, 'video/probe')
  const refused = await until(async () => {
    const outcome = await performAction(stack.db, 'retry', run, by)
    return outcome.state === 'rejected' && outcome
  })
  t.match(refused, { changed: false, message: /never be processed/ })
})
