import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { FfmpegCommand } from 'fluent-ffmpeg'
import type { AudioInput, AudioTrack, EncodedAudio, EngineCall, Mezzanine } from '#tasks/video/engine.ts'
import { MediaFault } from '#tasks/video/rules/transcode/media-fault.ts'
import { listAudioTracks, soundFile } from '#tasks/video/rules/transcode/sound-tracks.ts'
import { createCommand, type Filter, type Input, mapStream, withOptions } from '../command.ts'
import type { MediaTools, RunResult } from '../media-tools.ts'
import { readHeader } from '../package/cmaf.ts'
import { fileUrl, getFileOptions, openMezzanine } from '../untrusted.ts'
import { toMediaFault } from '../verdict.ts'
import { progressOf, stopwatch, withWorkspace } from '../workspace.ts'
import { fillGaps, lengthFor, priming, sampleRate, stereo, toLength } from './sound-filters.ts'

const silence = (seconds: number): Input => ({
  source: `anullsrc=r=${sampleRate}:cl=stereo,atrim=end_sample=${lengthFor(seconds)},asetpts=PTS+${priming}`,
  options: [...getFileOptions('lavfi'), '-f', 'lavfi'],
})

/**
 * True if a file has samples. If ffmpeg could decode no packet, it exits normally and writes a file without a track.
 */
async function sounds(path: string): Promise<boolean> {
  const { samples } = await readHeader(path).catch(() => ({ samples: 0 }))
  return samples > 0
}

/**
 * True if a run failed only because most packets could not be decoded (ffmpeg's status 69). The file contains the
 * packets that were decoded.
 */
const isGarbled = ({ messages }: RunResult) => messages.some((line) => /Error while decoding/.test(line))

/** ffmpeg's detailed log line for a new audio filter graph with a layout and rate. */
const builds = /^\[graph_\d{1,9}_in_\d{1,9}_\d{1,9} @ 0x[\da-f]{1,16}\] \[verbose\] tb:/

interface Job {
  tools: MediaTools
  mezzanine: Mezzanine
  track: AudioTrack
  seconds: number
  folder: string
  call: EngineCall
}

/**
 * Runs ffmpeg on an audio track. `changes` is true if the layout or rate of the track changes. ffmpeg then restarts its
 * filters.
 */
async function run(job: Job, command: FfmpegCommand): Promise<RunResult & { changes: boolean }> {
  const { tools, mezzanine, seconds, call } = job
  const tell = progressOf(call, seconds)
  let graphs = 0
  const result = await tools.ffmpeg(command.outputOptions('-map_metadata', '-1', '-v', 'level+verbose'), {
    call,
    timeout: 300_000 + Math.max(seconds, mezzanine.seconds) * 1_000,
    onProgress: (done) => tell(done.seconds),
    onLog: (line) => {
      if (builds.test(line)) graphs++
    },
  })
  return { ...result, changes: graphs > 1 }
}

const aac = (command: FfmpegCommand, path: string) => command.output(fileUrl(path)).audioCodec('aac').audioBitrate(128)

const source = ({ mezzanine: { path }, track }: Job, filters: Filter[]) =>
  createCommand(withOptions(['-copyts', '-vn'], openMezzanine(path)))
    .outputOptions(...mapStream(`0:${track.index}`))
    .audioFilters(filters)

/**
 * Encodes a track whose layout or rate changes. Uses an intermediate file with a constant layout and rate, because
 * restarted filters would start at 0.
 */
async function encodeEven(job: Job, finish: Filter[], output: string): Promise<RunResult> {
  const even = join(job.folder, 'even.mkv')
  const filters = [...stereo(job.mezzanine, job.track), { filter: 'atrim', options: { start: 0 } }]
  const made = await run(job, source(job, filters).output(fileUrl(even)).audioCodec('flac'))
  if (!made.ok && !isGarbled(made)) return made
  const again = createCommand(withOptions(['-copyts'], openMezzanine(even))).audioFilters(finish)
  const encoded = await run(job, aac(again, output))
  await rm(even, { force: true })
  return { ...encoded, errors: made.errors, cpuSeconds: made.cpuSeconds + encoded.cpuSeconds }
}

async function encode(job: Job, finish: Filter[], output: string): Promise<RunResult> {
  const made = await run(job, aac(source(job, [...stereo(job.mezzanine, job.track), ...finish]), output))
  return made.changes ? await encodeEven(job, finish, output) : made
}

async function isHeard(job: Job): Promise<boolean> {
  const bare = join(job.folder, 'bare.mp4')
  await run(job, aac(source(job, stereo(job.mezzanine, job.track)), bare))
  return await sounds(bare)
}

/**
 * Encodes a whole audio track: AAC-LC, 48 kHz, stereo, 128 kbit/s. If the track were encoded in chunks, each chunk
 * would add 21 ms of priming. An undecodable track becomes silence, as in players, unless it is the only track.
 */
export async function encodeAudio(
  tools: MediaTools,
  { mezzanine, place = 0, seconds = mezzanine.seconds, folder }: AudioInput,
  call: EngineCall,
): Promise<EncodedAudio> {
  const tracks = listAudioTracks(mezzanine.probe)
  const track = tracks[place]
  if (!track) throw new TypeError(`The file has no audio track ${place}.`)
  const file = soundFile(place)
  const isNeeded = place === 0
  const clock = stopwatch()
  return withWorkspace(folder, async (workspace) => {
    const job = { tools, mezzanine, track, seconds, folder: workspace.folder, call }
    const output = join(workspace.folder, file)
    const isAlone = !mezzanine.timeline && tracks.length === 1
    const made = await encode(job, isAlone ? [fillGaps] : [fillGaps, ...toLength(seconds)], output)
    if (isNeeded && !made.ok && !isGarbled(made)) throw toMediaFault(made.messages, 'corrupt')
    const undecodable = !(await sounds(output)) || (made.errors > 0 && !(await isHeard(job)))
    if (undecodable) {
      if (isNeeded && !mezzanine.timeline) throw new MediaFault('corrupt', made.messages.join('\n'))
      await run(job, aac(createCommand(silence(seconds)), output))
    }
    const { size: bytes } = await stat(output)
    await workspace.publish([file])
    const cost = { cpuSeconds: made.cpuSeconds, wallSeconds: clock() }
    return { path: join(folder, file), bytes, seconds, undecodable, ...cost }
  })
}
