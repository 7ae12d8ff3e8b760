import { execFile } from 'node:child_process'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { config } from '#lib/config.ts'
import type { VideoPlan } from '#tasks/video/rules/transcode/plan.ts'
import { toNumber } from '#tasks/video/rules/transcode/rational.ts'
import { getReapedCpuSeconds } from '../cpu.ts'

const execute = promisify(execFile)

export interface Cost {
  cpuSeconds: number
  wallSeconds: number
}

export async function ffmpeg(args: string[]): Promise<Cost> {
  const [cpu, begun] = [await getReapedCpuSeconds(), performance.now()]
  const command = ['-n', '10', config.FFMPEG_PATH, '-nostdin', '-hide_banner', '-v', 'error', '-y', ...args]
  await execute('nice', command, { maxBuffer: 16 * 1024 ** 2 })
  return { cpuSeconds: (await getReapedCpuSeconds()) - cpu, wallSeconds: (performance.now() - begun) / 1000 }
}

export interface VideoFormat {
  seconds: number
  size: string
  /** Bits per second of the video track, as ffmpeg accepts them. */
  bits: string
}

/** Creates a camera-like video, by default 1080p30: H.264 with a key frame every 2 s, and AAC. */
export async function makeSource(
  folder: string,
  { seconds, size = '1920x1080', bits = '8M' }: Pick<VideoFormat, 'seconds'> & Partial<VideoFormat>,
): Promise<string> {
  const path = join(folder, `source-${seconds}.mp4`)
  const picture = ['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=30,noise=alls=8:allf=t`]
  const sound = ['-f', 'lavfi', '-i', 'anoisesrc=color=pink:amplitude=0.2:sample_rate=48000']
  const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '60', '-b:v', bits]
  const aac = ['-profile:v', 'main', '-c:a', 'aac', '-b:a', '160k']
  await ffmpeg([...picture, ...sound, '-t', `${seconds}`, ...h264, ...aac, path])
  return path
}

/**
 * The limit: one ffmpeg command that encodes the complete ladder of a plan as CMAF HLS, with the plan's x264 settings.
 */
export async function encodeWithPlainFfmpeg(source: string, plan: VideoPlan, folder: string): Promise<Cost> {
  const output = join(folder, 'bare')
  await mkdir(output)
  try {
    return await ffmpeg(['-i', source, ...ladder(plan), ...hls(plan, output)])
  } finally {
    await rm(output, { recursive: true })
  }
}

function ladder({ preset, renditions, chunks: { gop } }: VideoPlan): string[] {
  const copies = renditions.map((_, i) => `[s${i}]`).join('')
  const scaled = renditions.map(({ width, height }, i) => `[s${i}]scale=${width}:${height}:flags=bicubic[v${i}]`)
  const common = ['-c:v', 'libx264', '-preset', preset, '-profile:v', 'high', '-pix_fmt', 'yuv420p', '-g', `${gop}`]
  const closed = [
    '-keyint_min',
    `${gop}`,
    '-sc_threshold',
    '0',
    '-flags',
    '+cgop',
    '-x264-params',
    'open-gop=0:scenecut=0',
  ]
  return [
    ...['-filter_complex', [`[0:v]split=${renditions.length}${copies}`, ...scaled].join(';')],
    ...renditions.flatMap((_, i) => ['-map', `[v${i}]`]),
    ...['-map', '0:a', ...common, ...closed],
    ...renditions.flatMap(({ crf, maxRate, bufferSize, level }, i) => [
      ...[`-crf:v:${i}`, `${crf}`, `-maxrate:v:${i}`, `${maxRate}`, `-bufsize:v:${i}`, `${bufferSize}`],
      ...[`-level:v:${i}`, level],
    ]),
    ...['-c:a', 'aac', '-b:a', '128k', '-ac', '2', '-ar', '48000'],
  ]
}

function hls({ renditions, chunks: { segment, rate } }: VideoPlan, folder: string): string[] {
  const streams = [
    ...renditions.map(({ name }, i) => `v:${i},agroup:sound,name:${name}`),
    'a:0,agroup:sound,name:audio',
  ]
  return [
    ...['-f', 'hls', '-hls_playlist_type', 'vod', '-hls_segment_type', 'fmp4', '-hls_flags', 'independent_segments'],
    ...['-hls_time', (segment / toNumber(rate) - 0.00001).toFixed(6)],
    ...['-hls_segment_options', 'movflags=+negative_cts_offsets+cmaf', '-hls_fmp4_init_filename', '%v_init.mp4'],
    ...['-hls_segment_filename', join(folder, '%v_%05d.m4s'), '-master_pl_name', 'master.m3u8'],
    ...['-var_stream_map', streams.join(' '), join(folder, '%v.m3u8')],
  ]
}
