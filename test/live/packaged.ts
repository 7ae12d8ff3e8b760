import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { newId } from '#lib/ids.ts'
import { signOriginToken } from '#tasks/live/rules/origin-token.ts'
import type { ChannelOptions, LiveChannel, LivePart } from '../../workers/live/origin/channel.ts'
import { createLiveOrigin } from '../../workers/live/origin/index.ts'
import type { Scope } from '../support/postgres.ts'
import { type MediaPlaylist, parseMedia } from './hls-rules.ts'

const execute = promisify(execFile)
const secret = 'x'.repeat(40)

interface Stream {
  codec_type: string
  width?: number
  height?: number
}

/** A channel of a bare origin, asked for its files as ingress does. */
export interface Packaged {
  channelId: string
  live: LiveChannel
  parts: LivePart[]
  get(file: string): Promise<Response>
  playlist(file: string): Promise<MediaPlaylist>
  /** What ffprobe finds in segments that follow one another: every picture and all sound is decoded. */
  probed(segments: MediaPlaylist['segments']): Promise<Probed>
}

/** What an independent decoder made of it: its complaints, the size of the pictures, and the times of each. */
export interface Probed {
  stderr: string
  size: string
  pictures: string[]
  sound: string[]
}

/** An origin without a database, in this process; it ends with the test. */
export async function bareOrigin(t: Scope) {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-packaged-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const origin = await createLiveOrigin({ folder: join(folder, 'origin'), secret, lingerSeconds: 60 })
  t.teardown(() => origin.close())

  return {
    /** What an encoder sends, as a file: 160x480 at 25 pictures a second, a key frame each second. */
    async recorded(name: string, seconds: number): Promise<string> {
      const path = join(folder, name)
      const picture = ['-f', 'lavfi', '-i', `testsrc2=size=160x480:rate=25:duration=${seconds}`]
      const tone = ['-f', 'lavfi', '-i', `sine=sample_rate=48000:duration=${seconds}`]
      const coding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-tune', 'zerolatency', '-g', '25', '-c:a', 'aac']
      await execute('ffmpeg', ['-v', 'error', ...picture, ...tone, ...coding, path])
      return path
    },

    /** The same of pictures alone, so many a second, each a key frame. */
    async pictures(name: string, rate: string, count: number): Promise<string> {
      const path = join(folder, name)
      const source = ['-f', 'lavfi', '-i', `testsrc2=size=160x480:rate=${rate}`, '-frames:v', String(count)]
      const coding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-tune', 'zerolatency', '-g', '1']
      await execute('ffmpeg', ['-v', 'error', ...source, ...coding, path])
      return path
    },

    start(options: Partial<ChannelOptions> & { input: string }): Packaged {
      const { channelId = newId() } = options
      const parts: LivePart[] = []
      const usual = { channelId, inputOptions: ['-re'], dvrSeconds: 60 }
      const live = origin.startChannel({ ...usual, onPart: (part) => parts.push(part), ...options })
      const headers = { authorization: `Bearer ${signOriginToken(channelId, secret)}` }
      const get = (file: string) => fetch(`${origin.url}/${channelId}/${file}`, { headers })
      return {
        ...{ channelId, live, parts, get },
        playlist: async (file) => parseMedia(await (await get(file)).text()),
        async probed(segments) {
          const path = join(folder, `${newId()}.mp4`)
          const files = [segments[0]?.map ?? '', ...segments.map(({ uri }) => uri)]
          const bodies = await Promise.all(files.map(async (file) => await (await get(file)).bytes()))
          await writeFile(path, Buffer.concat(bodies))
          return await probe(path)
        },
      }
    },
  }
}

async function probe(path: string): Promise<Probed> {
  const show = ['-show_entries', 'stream=codec_type,width,height:frame=media_type,pts_time', '-of', 'json']
  const { stdout, stderr } = await execute('ffprobe', ['-v', 'error', ...show, path], { maxBuffer: 2 ** 26 })
  const found: { streams: Stream[]; frames: { media_type: string; pts_time: string }[] } = JSON.parse(stdout)
  const times = (kind: string) => found.frames.flatMap((one) => (one.media_type === kind ? [one.pts_time] : []))
  const { width, height } = found.streams.find((one) => one.codec_type === 'video') ?? {}
  return { stderr, size: `${width}x${height}`, pictures: times('video'), sound: times('audio') }
}

/** The numbers of the ffmpeg processes that this one runs; of transcoders alone if wished, which read pictures from it. */
export async function encoders(kind: 'any' | 'transcoder'): Promise<number[]> {
  const all = (await readdir('/proc')).map(Number).filter((pid) => pid > 0)
  const found = await Promise.all(
    all.map(async (pid) => {
      const read = (file: string) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')
      const [command, status] = await Promise.all([read('cmdline'), read('status')])
      const isOurs = command.startsWith('ffmpeg') && status.includes(`PPid:\t${process.pid}\n`)
      return isOurs && (kind === 'any' || command.includes('pipe:0'))
    }),
  )
  return all.filter((_, i) => found[i])
}

/** What must be the same in all playlists of a broadcast. */
export const shapeOf = ({ segments }: MediaPlaylist) =>
  segments.map(({ msn, duration, programTime, discontinuity }) => {
    return { msn, programTime, discontinuity, duration: duration.toFixed(3) }
  })
