import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { config } from '#lib/config.ts'
import { sql } from '#sql/db.ts'
import { sourceKey } from '#sql/video/uploads.ts'
import type { TestScope } from './ingress.ts'
import { freePort } from './postgres.ts'
import { until } from './until.ts'
import { type StackOptions, type VideoStack, videoStack, type Workers } from './video-stack.ts'

const execute = promisify(execFile)

export const rate = 25

export interface TestChannel {
  id: string
  primary: string
  backup: string
  /** Its SRT URL with the passphrase. */
  srt: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look at every field.
  read(): Promise<any>
  /** Waits for a state and returns the channel. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at every field.
  state(state: string, source?: string): Promise<any>
  /** Waits until its last broadcast is a playable asset. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at every field.
  recorded(): Promise<any>
}

/** Options of a test’s broadcast. */
export interface Publishing {
  seconds?: number
  size?: string
  format?: 'flv' | 'mpegts'
  group?: number
  /** ffmpeg options instead of H.264 and AAC. */
  coding?: string[]
}

export interface LiveStack extends VideoStack {
  port: number
  rtmp(key: string): string
  startLive(environment?: Record<string, string>, under?: string[]): Promise<Workers>
  /** Publishes a moving video in real time. Default: one key frame per second. */
  publish(url: string, publishing?: Publishing): ChildProcess
  makeChannel(facts?: object): Promise<TestChannel>
  /** Returns the number of frames of a recording. */
  frames(assetId: string): Promise<number>
}

export async function liveStack(t: TestScope, options: StackOptions = {}): Promise<LiveStack> {
  const [port, stack] = await Promise.all([freePort(), videoStack(t, options)])
  const environment = { LIVE_RTMP_PORT: String(port), LIVE_RECONNECT_SECONDS: '2', LOG_LEVEL: 'warn' }
  return {
    ...stack,
    port,
    rtmp: (key) => `rtmp://127.0.0.1:${port}/live/${key}`,
    startLive: (more = {}, under) => stack.startWorkers({ ...environment, ...more }, 'live,core,media-intake', under),
    publish(url, { seconds = 60, size = '320x180', format = 'flv', group = 1, coding } = {}) {
      const picture = ['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=${rate}`]
      const sound = ['-f', 'lavfi', '-i', 'sine=sample_rate=48000']
      const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-tune', 'zerolatency', '-g', String(group * rate)]
      const threads = ['-filter_threads', '1', '-threads', '1']
      const codecs = coding ?? [...h264, '-c:a', 'aac']
      const length = ['-t', String(seconds)]
      const args = [
        '-nostdin',
        '-v',
        'error',
        '-re',
        ...picture,
        ...sound,
        ...codecs,
        ...threads,
        ...length,
        '-f',
        format,
        url,
      ]
      const child = spawn(config.FFMPEG_PATH, args, {
        stdio: ['ignore', 'ignore', process.env.WORKER_LOG ? 'inherit' : 'ignore'],
      })
      t.teardown(async () => {
        child.kill('SIGKILL')
      })
      return child
    },
    makeChannel: (facts) => makeChannel(stack, facts),
    async frames(assetId) {
      const url = await stack.store.storage.signGet(sourceKey(assetId), 60)
      const count = [
        '-select_streams',
        'v',
        '-count_packets',
        '-show_entries',
        'stream=nb_read_packets',
        '-of',
        'csv=p=0',
      ]
      const { stdout } = await execute('ffprobe', ['-v', 'error', ...count, url])
      return Number.parseInt(stdout, 10)
    },
  }
}

/** Returns the exit code of a process, even if it has ended. */
export async function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return child.exitCode
}

async function makeChannel(stack: VideoStack, facts: object = {}): Promise<TestChannel> {
  const made = await stack.ask('POST /v1/stream/live/channels', { body: { name: 'Stage', ...facts } })
  if (made.status !== 201) throw new Error(made.text)
  const { channelId: id, ingest } = made.body
  // A port that no other test file’s channels use.
  const port = await freePort()
  await stack.db.query(sql.typeAlias('void')`update live.channels set srt_port = ${port} where id = ${id}`)
  const srt = new URL(ingest.srt)
  srt.hostname = '127.0.0.1'
  srt.port = String(port)
  const read = async () => (await stack.ask(`GET /v1/stream/live/channels/${id}`)).body
  return {
    id,
    primary: ingest.rtmp.streamKey,
    backup: ingest.backup.streamKey,
    srt: srt.href,
    read,
    state: (state, source) =>
      until(
        async () => {
          const shown = await read()
          return shown.state === state && (!source || shown.stream?.source === source) && shown
        },
        { timeout: 30_000, every: 200, what: `the channel is ${state} ${source ?? ''}` },
      ),
    recorded: () =>
      until(
        async () => {
          const { body } = await stack.ask(`GET /v1/stream/live/channels/${id}/broadcasts`)
          return body.data[0]?.recordedAt && body.data[0]
        },
        { timeout: 30_000, every: 200, what: 'the recording can be played' },
      ),
  }
}
