import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import t from 'tap'
import { livePrefix } from '#tasks/video/keys.ts'
import { freePort } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'

const port = await freePort()
const stack = await videoStack(t)
const workers = await stack.startWorkers(
  { LIVE_RTMP_PORT: String(port), LIVE_RECONNECT_SECONDS: '2', LOG_LEVEL: process.env.LOG_LEVEL ?? 'info' },
  'live,core,media-intake',
)

/** Publishes a test picture in real time, a key frame a second; it goes with the test. */
function publish(url: string, { seconds = 60, size = '320x180', format = 'flv' } = {}): ChildProcess {
  const picture = ['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=25`, '-f', 'lavfi', '-i', 'sine=sample_rate=48000']
  const coding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-tune', 'zerolatency', '-g', '25', '-c:a', 'aac']
  const args = ['-nostdin', '-v', 'error', '-re', ...picture, '-t', String(seconds), ...coding, '-f', format, url]
  const child = spawn('ffmpeg', args, { stdio: ['ignore', 'ignore', process.env.WORKER_LOG ? 'inherit' : 'ignore'] })
  t.teardown(() => child.kill('SIGKILL'))
  return child
}

const rtmp = (key: string) => `rtmp://127.0.0.1:${port}/live/${key}`

async function makeChannel(facts: object = {}) {
  const made = await stack.ask('POST /v1/stream/live/channels', { body: { name: 'Stage', ...facts } })
  if (made.status !== 201) throw new Error(made.text)
  const { channelId, ingest } = made.body
  const read = async () => (await stack.ask(`GET /v1/stream/live/channels/${channelId}`)).body
  return {
    id: channelId as string,
    primary: ingest.rtmp.streamKey as string,
    backup: ingest.backup.streamKey as string,
    srt: ingest.srt as string,
    read,
    state: (state: string) => until(async () => (await read()).state === state, { what: `the channel is ${state}` }),
  }
}

t.test('a publisher with the key is live, and what it sent becomes an asset', async (t) => {
  const channel = await makeChannel()
  const publisher = publish(rtmp(channel.primary), { seconds: 4 })
  await channel.state('live')
  const shown = await channel.read()
  t.match(shown, { state: 'live' })
  await once(publisher, 'exit')
  await channel.state('idle')
  const broadcast = await until(async () => {
    const { body } = await stack.ask(`GET /v1/stream/live/channels/${channel.id}/broadcasts`)
    return body.data[0]?.recordedAt && body.data[0]
  })
  const asset = await stack.read(broadcast.assetId)
  t.ok(Math.abs(asset.duration_seconds - 4) < 0.2, `${asset.duration_seconds} s`)
  t.same(await stack.store.list(livePrefix(broadcast.assetId)), [], 'its parts are kept no longer')
  t.ok(workers.pid)
})
