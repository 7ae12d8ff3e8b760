import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import * as orgs from '#sql/account/orgs.ts'
import * as plans from '#sql/account/plans.ts'
import { livePrefix } from '#tasks/video/keys.ts'
import { exitOf, liveStack, rate } from '../support/live-stack.ts'
import { until } from '../support/until.ts'

const execute = promisify(execFile)
t.jobs = 4
const stack = await liveStack(t)
const { publish, rtmp } = stack
const workers = await stack.startLive()
const together = { buffered: true }

t.test('a publisher with the key is live, and the recording is an asset with every frame', together, async (t) => {
  const channel = await stack.makeChannel()
  const publisher = publish(rtmp(channel.primary), { seconds: 4 })
  const { stream } = await channel.state('live')
  t.match(stream, { source: 'primary', thumbnailUrl: /^http|^$/ }, 'its facts are shown')
  t.equal(await exitOf(publisher), 0)
  const { assetId, endReason } = await channel.recorded()
  t.equal(endReason, 'stopped')
  t.equal(await stack.frames(assetId), 4 * rate)
  t.same(await stack.store.list(livePrefix(assetId)), [], 'its parts are kept no longer')
})

t.test('the backup takes over when the primary is gone, and gives back', together, async (t) => {
  const channel = await stack.makeChannel({ record: false })
  const primary = publish(rtmp(channel.primary))
  await channel.state('live', 'primary')
  publish(rtmp(channel.backup))
  primary.kill('SIGKILL')
  await channel.state('live', 'backup')
  const again = publish(rtmp(channel.primary))
  const { stream } = await channel.state('live', 'primary')
  t.ok(stream.broadcastId)
  t.equal(again.exitCode, null)

  const rotated = await stack.ask(`POST /v1/stream/live/channels/${channel.id}/keys/rotate`, { body: {} })
  t.equal(rotated.status, 201)
  await exitOf(again)
  await channel.state('live', 'backup')
  t.not(await exitOf(publish(rtmp(channel.primary))), 0, 'the old key opens nothing')
  t.equal((await stack.ask(`POST /v1/stream/live/channels/${channel.id}/end`, { body: {} })).status, 200)
  await channel.state('idle')
})

t.test('who has the passphrase publishes over SRT, and nobody else', together, async (t) => {
  const channel = await stack.makeChannel({ record: false })
  const wrong = channel.srt.replace(/passphrase=.{5}/, 'passphrase=wrong')
  t.not(await exitOf(publish(wrong, { format: 'mpegts' })), 0)
  const first = await channel.read()
  t.equal(first.state, 'idle')
  const publisher = publish(channel.srt, { format: 'mpegts' })
  const { stream } = await channel.state('live', 'srt')
  t.match(stream, { width: 320, height: 180 })
  const shown = await execute('ps', ['axww', '-o', 'args'])
  t.notMatch(shown.stdout.replaceAll(channel.srt, ''), new URL(channel.srt).searchParams.get('passphrase') as string)
  publisher.kill('SIGKILL')
})

t.test('without a key nobody publishes, and nobody plays what others publish', together, async (t) => {
  const channel = await stack.makeChannel({ record: false })
  t.not(await exitOf(publish(rtmp('live_nothing'))), 0)
  t.not(await exitOf(publish(rtmp(`${channel.id}-primary`))), 0)
  publish(rtmp(channel.primary))
  await channel.state('live')
  t.not(await exitOf(publish(rtmp(channel.primary))), 0, 'a second publisher with the same key is refused')
  for (const name of [channel.primary, `${channel.id}-primary`, `${channel.id}-primary?t=x`]) {
    const played = execute('ffmpeg', ['-v', 'error', '-i', rtmp(name), '-t', '0.2', '-f', 'null', '-'], { timeout: 8_000 })
    await t.rejects(played, name)
  }
})

t.test('more publishers than the plan has channels are refused', async (t) => {
  const [one, two] = await Promise.all([stack.makeChannel({ record: false }), stack.makeChannel({ record: false })])
  const [plan] = (await plans.list(stack.db)).filter(({ name }) => name === 'unlimited')
  if (!plan) throw new Error('There is no plan `unlimited`.')
  await plans.put(stack.db, { ...plan, name: 'one', live_channels: 1 })
  await until(async () => {
    const { body } = await stack.ask('GET /v1/stream/live/channels')
    return body.data.every((channel: { state: string }) => channel.state === 'idle')
  }, { timeout: 30_000 })
  await orgs.setPlan(stack.db, stack.orgId, 'one')
  const publisher = publish(rtmp(one.primary))
  await one.state('live')
  t.not(await exitOf(publish(rtmp(two.primary))), 0)
  t.equal(publisher.exitCode, null)
})

t.test('the worker ends with its programs, and keys are in no log', async (t) => {
  await workers.stop()
  t.notMatch(workers.lines.join('\n'), /live_[A-Za-z0-9]{20}/)
  const shown = await execute('ps', ['axww', '-o', 'args'])
  t.notMatch(shown.stdout, `:${stack.port}/`)
})
