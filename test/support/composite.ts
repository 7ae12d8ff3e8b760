import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { config } from '#lib/config.ts'
import type { TestScope } from './ingress.ts'

const execute = promisify(execFile)

/** Regularity of a recording, in seconds. */
export interface Regularity {
  packets: number
  /** Longest interval between two packets in presentation order. */
  longest: number
  /** Time of the longest interval. */
  at: number
  seconds: number
}

/** Returns the intervals between the packets of a file’s first video or audio stream. */
export async function regularityOf(file: string, stream: 'v' | 'a'): Promise<Regularity> {
  const show = ['-select_streams', `${stream}:0`, '-show_entries', 'packet=pts_time', '-of', 'csv=p=0']
  const { stdout } = await execute('ffprobe', ['-v', 'error', ...show, file], { maxBuffer: 2 ** 28 })
  const times = stdout
    .split('\n')
    .map((line) => Number.parseFloat(line))
    .filter(Number.isFinite)
    .sort((a, b) => a - b)
  const gaps = times.slice(1).map((time, i) => time - (times[i] as number))
  const longest = gaps.reduce((most, gap) => Math.max(most, gap), 0)
  return {
    packets: times.length,
    longest,
    at: times[gaps.indexOf(longest)] ?? 0,
    seconds: (times.at(-1) ?? 0) - (times[0] ?? 0),
  }
}

/** Returns the colour in the middle of a region at a time: [red, green, blue]. `region` is width:height:x:y. */
export async function colourAt(file: string, second: number, region: string): Promise<number[]> {
  const filter = ['-vf', `crop=${region},scale=1:1`, '-frames:v', '1']
  const args = ['-v', 'error', '-ss', String(second), '-i', file, ...filter, '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-']
  const { stdout } = await execute(config.FFMPEG_PATH, args, { encoding: 'buffer' })
  return [...stdout]
}

/** Returns the peak level of a file’s audio in dB. */
export async function loudnessOf(file: string): Promise<number> {
  const { stderr } = await execute(config.FFMPEG_PATH, [
    '-i',
    file,
    '-map',
    '0:a',
    '-af',
    'volumedetect',
    '-f',
    'null',
    '-',
  ])
  return Number(/max_volume: (\S+) dB/.exec(stderr)?.[1])
}

/** Creates a video of one colour and one tone with a key frame per second, for `sendFilm`. */
export async function makeFilm(folder: string, colour: string, size = '160x90', seconds = 2): Promise<string> {
  const film = join(folder, `${colour}-${size}.webm`)
  const input = ['-f', 'lavfi', '-i', `color=c=${colour}:s=${size}:r=25`, '-f', 'lavfi', '-i', 'sine=sample_rate=48000']
  const coding = [
    '-c:v',
    'libvpx',
    '-deadline',
    'realtime',
    '-cpu-used',
    '16',
    '-threads',
    '1',
    '-g',
    '25',
    '-c:a',
    'libopus',
    '-ac',
    '2',
  ]
  await execute(config.FFMPEG_PATH, ['-v', 'error', '-y', ...input, '-t', String(seconds), ...coding, film])
  return film
}

/** Sends a video repeatedly as RTP, each time with other sources and timestamps, until it is killed. */
export function sendFilm(t: TestScope, film: string, to: { videoPort: number; audioPort: number }): ChildProcess {
  const rtp = (port: number) => ['-f', 'rtp', `rtp://127.0.0.1:${port}?pkt_size=1200`]
  const input = ['-re', '-stream_loop', '-1', '-i', film]
  const video = ['-map', '0:v', '-c', 'copy', '-payload_type', '96', ...rtp(to.videoPort)]
  const audio = ['-map', '0:a', '-c', 'copy', '-payload_type', '111', ...rtp(to.audioPort)]
  const child = spawn(config.FFMPEG_PATH, ['-nostdin', '-v', 'error', ...input, ...video, ...audio], {
    stdio: 'ignore',
  })
  t.teardown(async () => {
    child.kill('SIGKILL')
  })
  return child
}
