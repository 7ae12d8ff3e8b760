import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import * as orgs from '#sql/account/orgs.ts'
import * as plans from '#sql/account/plans.ts'
import { livePrefix } from '#tasks/video/rules/keys.ts'
import { exitOf, liveStack, rate } from '../support/live-stack.ts'
import { freePort } from '../support/postgres.ts'
import { openPublisher } from '../support/rtmp-publisher.ts'
import { until } from '../support/until.ts'

const execute = promisify(execFile)
const stack = await liveStack(t)
const { publish, rtmp } = stack
const [certificate, key] = [join(stack.data, 'certificate.pem'), join(stack.data, 'key.pem')]
const selfSigned = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost`
await execute('openssl', [...selfSigned.split(' '), '-keyout', key, '-out', certificate])
const securePort = await freePort()
const workers = await stack.startLive({
  LIVE_RTMPS_PORT: String(securePort),
  LIVE_TLS_CERT: certificate,
  LIVE_TLS_KEY: key,
})
const channels = await Promise.all([{}, ...Array(6).fill({ record: false })].map((facts) => stack.makeChannel(facts)))
const [recorded, doubled, passed, closed, extra, odd, mute] = channels as [T, T, T, T, T, T, T]
type T = (typeof channels)[number]

/** Waits until the channel tells that a publisher was refused for a reason. */
const refusal = (channel: T, source: string, reason: string) =>
  until(
    async () => {
      const { lastRefusal: last } = await channel.read()
      return last?.source === source && last.reason === reason && last
    },
    { timeout: 30_000, what: `${source} is refused: ${reason}` },
  )

// All of them broadcast beside one another, as each waits for real time to pass.
const broadcast = publish(rtmp(recorded.primary), { seconds: 4 })
const primary = publish(rtmp(doubled.primary))
const forged = publish(passed.srt.replace(/passphrase=.{5}/, 'passphrase=wrong'), { format: 'mpegts' })
const keyless = publish(rtmp('live_nothing'))
const named = publish(rtmp(`${closed.id}-primary`))
publish(rtmp(closed.primary), { seconds: 600 })
const silent = await openPublisher(rtmp(mute.primary))
t.teardown(() => silent.socket.destroy())
const old = publish(rtmp(odd.primary), { coding: ['-c:v', 'flv', '-an'] })

t.test('a publisher with the key is live, and its facts are shown', async (t) => {
  const { stream } = await recorded.state('live')
  t.match(stream, { source: 'primary', videoCodec: /^avc1/, width: 320, height: 180 })
  t.equal(await exitOf(broadcast), 0)
})

t.test('the backup takes over when the primary is gone, and gives back', async (t) => {
  await doubled.state('live', 'primary')
  const backup = publish(rtmp(doubled.backup))
  primary.kill('SIGKILL')
  await doubled.state('live', 'backup')
  const again = publish(rtmp(doubled.primary))
  await doubled.state('live', 'primary')
  t.match(
    await refusal(doubled, 'backup', 'standby'),
    { message: /waiting as a backup/ },
    'the backup is told that it waits',
  )

  const rotated = await stack.ask(`POST /v1/stream/live/channels/${doubled.id}/keys/rotate`, { body: {} })
  t.equal(rotated.status, 201)
  t.not(await exitOf(again), 0, 'the publisher with the old key is dropped')
  const dropped = await refusal(doubled, 'primary', 'key_rotated')
  await doubled.state('live', 'backup')
  const told = await until(
    async () => {
      t.not(await exitOf(publish(rtmp(doubled.primary))), 0, 'the old key opens nothing')
      const { lastRefusal: last } = await doubled.read()
      return last.at > dropped.at && last
    },
    { timeout: 30_000, what: 'the refusal of the old key is told' },
  )
  t.match(told, { source: 'primary', reason: 'key_rotated', message: /new key/ })
  backup.kill('SIGKILL')
})

t.test('who has a key publishes in TLS, too, and nobody without', async (t) => {
  const secure = (name: string) => `rtmps://127.0.0.1:${securePort}/live/${name}`
  t.not(await exitOf(publish(secure('live_nothing'))), 0)
  const publisher = publish(secure(extra.primary))
  await extra.state('live', 'primary')
  publisher.kill('SIGKILL')
  await extra.state('idle')
})

t.test('who has the passphrase publishes over SRT, and nobody else', async (t) => {
  t.not(await exitOf(forged), 0)
  t.equal((await passed.read()).state, 'idle')
  const publisher = publish(passed.srt, { format: 'mpegts' })
  await passed.state('live', 'srt')
  const { stdout } = await execute('ps', ['axww', '-o', 'args'])
  const ours = stdout.split('\n').filter((line) => !line.includes('mode=caller'))
  t.notMatch(ours.join('\n'), new URL(passed.srt).searchParams.get('passphrase') as string)
  publisher.kill('SIGKILL')
})

t.test('without a key nobody publishes, and nobody plays what others publish', async (t) => {
  t.not(await exitOf(keyless), 0)
  t.not(await exitOf(named), 0)
  const { lastRefusal } = await closed.state('live')
  t.equal(lastRefusal, null, 'whoever has no key has nothing written')
  t.not(await exitOf(publish(rtmp(closed.primary))), 0, 'a second publisher with the same key is refused')
  t.match(await refusal(closed, 'primary', 'key_in_use'), { message: /Another encoder/ })
  const names = [closed.primary, `${closed.id}-primary`, `${closed.id}-primary?t=x`]
  const play = (name: string) =>
    execute('ffmpeg', ['-v', 'error', '-i', rtmp(name), '-t', '0.1', '-f', 'null', '-'], { timeout: 5_000 })
  await Promise.all(names.map((name) => t.rejects(play(name), name)))
})

t.test('a publisher whose codecs cannot be packaged is told of', async (t) => {
  t.match(await refusal(odd, 'primary', 'unsupported_codecs'), { message: /H\.264 and AAC/ })
  old.kill('SIGKILL')
  await odd.state('idle')
})

t.test('a publisher that sends nothing is told of', async (t) => {
  t.match(await refusal(mute, 'primary', 'silent'), { message: /sent nothing/ })
})

t.test('a publisher that comes after the end is refused, and the channel tells why', async (t) => {
  publish(rtmp(passed.primary))
  await passed.state('live', 'primary')
  const ended = await stack.ask(`POST /v1/stream/live/channels/${passed.id}/end`, { body: { holdSeconds: 600 } })
  t.equal(ended.status, 202)
  await passed.state('idle')
  t.not(await exitOf(publish(rtmp(passed.backup))), 0)
  t.match(await refusal(passed, 'backup', 'closed'), { message: /closedUntil/ })
})

t.test('the recording is an asset with every frame', async (t) => {
  const { assetId, endReason } = await recorded.recorded()
  t.equal(endReason, 'stopped')
  t.equal(await stack.frames(assetId), 4 * rate)
  t.same(await stack.store.list(livePrefix(assetId)), [], 'its parts are kept no longer')
})

t.test('more publishers than the plan has channels are refused', async (t) => {
  const plan = (await plans.list(stack.db)).find(({ name }) => name === 'unlimited')
  if (!plan) throw new Error('There is no plan `unlimited`.')
  await plans.put(stack.db, { ...plan, name: 'one', live_channels: 1 })
  await orgs.setPlan(stack.db, stack.orgId, 'one')
  t.not(await exitOf(publish(rtmp(extra.primary))), 0)
  await refusal(extra, 'primary', 'plan_full')
  await closed.state('live')
})

t.test('a worker that stops leaves no program behind, and no key is in its log', async (t) => {
  await workers.stop()
  t.notMatch(workers.lines.join('\n'), /live_[A-Za-z0-9]{20}/)
  const { stdout } = await execute('ps', ['axww', '-o', 'args'])
  const ours = stdout.split('\n').filter((line) => line.includes(`:${stack.port}/`) && !line.includes('testsrc2'))
  t.same(ours, [])
})
