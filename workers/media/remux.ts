import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { EngineCall, LeftOutTrack, Probe } from '#tasks/video/engine.ts'
import { listAudioTracks, toLeftOut } from '#tasks/video/rules/transcode/sound-tracks.ts'
import { createCommand, mapStream, withOptions } from './command.ts'
import type { MediaTools, RunResult } from './media-tools.ts'
import { animationOptions, isAnimation } from './picture/animation.ts'
import { canChangeAspect, getStoredHeaders, removeAspect } from './pixel-aspect.ts'
import { type Inspection, inspect } from './probe.ts'
import { hasLayoutChange } from './sound/adts.ts'
import { getReachOptions } from './streams.ts'
import { fileUrl, openMezzanine, openUpload } from './untrusted.ts'
import { toMediaFault } from './verdict.ts'
import { progressOf } from './workspace.ts'

const mp4Codecs = new Set('h264 hevc mpeg4 av1 vp9 mpeg2video aac mp3 ac3 eac3 opus alac flac'.split(' '))

/**
 * Returns a container that stores the tracks with exact times. Only containers with an index allow frame-exact seeking:
 * of 1,200 frames of MPEG-TS, 800 were wrong (measured). MOV keeps the edit lists of MOV sources, which Matroska cannot
 * store.
 */
function container(probe: Probe): 'mp4' | 'mov' | 'mkv' {
  if (probe.video && isAnimation(probe.video)) return 'mp4'
  const codecs = [probe.video?.codec ?? 'h264', ...listAudioTracks(probe).map(({ codec }) => codec)]
  if (codecs.every((codec) => mp4Codecs.has(codec))) return 'mp4'
  return probe.format.startsWith('mov') ? 'mov' : 'mkv'
}

/** True if the cover of an audio file is copied, because the container can distinguish covers from videos. */
export function canKeepCover({ video, cover }: Probe, path: string): boolean {
  return !video && cover !== null && !path.endsWith('mkv')
}

interface Job {
  source: string
  folder: string
  found: Inspection
}

interface Way {
  name: string
  taken: Probe
  decoded?: number[]
}

const withHeaders = new Set(['mpegts', 'mpeg', 'aac'])

/**
 * Returns audio tracks that can change their layout. Each has the file that stores its frames, so that their headers
 * can be checked.
 */
function framed({ format, ...probe }: Probe): { place: number; index: number; file: string }[] {
  if (!withHeaders.has(format)) return []
  return listAudioTracks({ format, ...probe }).flatMap(({ codec, index }, place) =>
    codec === 'aac' ? [{ place, index, file: `${place}.adts` }] : [],
  )
}

async function changing(taken: Probe, folder: string): Promise<number[]> {
  const found: number[] = []
  for (const { place, file } of framed(taken)) {
    const path = join(folder, file)
    if (await hasLayoutChange(path)) found.push(place)
    await rm(path, { force: true })
  }
  return found
}

const headersFile = 'headers'

async function isReshaped(taken: Probe, folder: string): Promise<boolean> {
  if (!taken.video || !getStoredHeaders(taken)) return false
  const path = join(folder, headersFile)
  const changes = await canChangeAspect(path, taken.video.codec)
  await rm(path, { force: true })
  return changes
}

function withDecoded(taken: Probe, places: readonly number[]): Probe {
  const [audio = null, ...moreAudio] = listAudioTracks(taken).map((track, place) =>
    places.includes(place) ? { ...track, codec: 'flac', profile: '' } : track,
  )
  return { ...taken, audio, moreAudio }
}

interface Attempt {
  run: RunResult
  late: LeftOutTrack['kind'][]
}

async function attempt(
  tools: MediaTools,
  { source, folder, found }: Job,
  { name, taken, decoded = [] }: Way,
  call: EngineCall,
): Promise<Attempt> {
  const all = [...(taken.video ? [taken.video] : []), ...listAudioTracks(taken)]
  const tracks = all.flatMap(({ index }) => mapStream(`0:${index}`))
  const cover = canKeepCover(taken, name) ? [...mapStream(`0:${taken.cover}`), '-disposition:v:0', 'attached_pic'] : []
  const tell = progressOf(call, taken.seconds)
  const late: Attempt['late'] = []
  const isMade = taken.video !== null && isAnimation(taken.video)
  // AVI has no presentation times, so genpts generates them.
  const command = createCommand(
    withOptions(['-fflags', '+genpts', ...getReachOptions(found.reach)], openUpload(source)),
  )
    .output(fileUrl(join(folder, name)))
    .outputOptions(
      ...tracks,
      ...cover,
      ...['-c', 'copy', '-map_metadata', '-1', '-map_chapters', '-1'],
      ...(isMade ? animationOptions : []),
      ...decoded.flatMap((place) => [`-c:a:${place}`, 'flac']),
      // ffmpeg marks covers as experimental, and until version 6 also FLAC in MP4.
      ...['-strict', 'experimental'],
    )
  for (const { index, file } of framed(taken)) {
    command.output(fileUrl(join(folder, file))).outputOptions(...mapStream(`0:${index}`), '-c', 'copy', '-f', 'adts')
  }
  const headers = getStoredHeaders(taken)
  if (headers)
    command
      .output(fileUrl(join(folder, headersFile)))
      .outputOptions(...mapStream(`0:${taken.video?.index}`), ...headers)
  const run = await tools.ffmpeg(command, {
    call,
    timeout: isMade || decoded.length > 0 ? 1_800_000 : 120_000 + taken.bytes / 2_000,
    onProgress: ({ seconds }) => tell(seconds),
    onLog: (line) => {
      const [, kind] = /New (audio|video) stream 0:\d/.exec(line) ?? []
      if (kind) late.push(kind as LeftOutTrack['kind'])
    },
  })
  return { run, late }
}

/**
 * Returns ways to remux a file. Each is tried if the previous one fails. `strict` ways are only for tracks that a
 * container cannot store.
 */
function ways(found: Probe): (Way & { strict?: boolean })[] {
  const { moreAudio = [], leftOut: lost = [] } = found
  const dropped = moreAudio.map((track) => toLeftOut(track, 'undecodable'))
  const fewer = { ...found, moreAudio: [], leftOut: [...lost, ...dropped] }
  const first = container(found)
  return [
    { name: `mezzanine.${first}`, taken: found },
    ...(first === 'mkv' ? [] : [{ name: 'mezzanine.mkv', taken: found }]),
    { name: 'mezzanine.mov', taken: found, strict: true },
    ...(moreAudio.length > 0 ? [{ name: `mezzanine.${container(fewer)}`, taken: fewer }] : []),
  ]
}

export interface Remuxed {
  name: string
  run: RunResult
  taken: Probe
  /** True if the pixel aspect can change. The file then does not declare an aspect. */
  reshaped: boolean
}

/** Returns tracks that ffmpeg found only during the remux. They are numbered after the others. */
function lateTracks(probe: Probe, late: Attempt['late']): LeftOutTrack[] {
  const counts = { audio: listAudioTracks(probe).length, video: probe.video ? 1 : 0 }
  for (const { kind } of probe.leftOut ?? []) counts[kind]++
  return late.map((kind) => {
    counts[kind]++
    return { kind, track: counts[kind], language: null, name: null, reason: 'late' as const }
  })
}

async function accountOf(tools: MediaTools, { name, taken }: Way, folder: string, call: EngineCall): Promise<Probe> {
  if (!taken.video || !isAnimation(taken.video)) return taken
  const { probe } = await inspect(tools, join(folder, name), call, 'usual', openMezzanine)
  return { ...taken, video: probe.video }
}

const unfit = (taken: Probe): number[] =>
  listAudioTracks(taken).flatMap(({ codec }, place) => (mp4Codecs.has(codec) ? [] : [place]))

interface Finished {
  name: string
  decoded: number[]
  reshaped: boolean
}

/**
 * Returns ways to finish a run. Each is tried if the previous one fails. Audio is decoded if its layout changes. The
 * file becomes MP4 if the pixel aspect changes.
 */
async function ends({ name, taken }: Way, folder: string): Promise<Finished[]> {
  const [changed, reshaped] = [await changing(taken, folder), await isReshaped(taken, folder)]
  const inMp4 = { name: 'mezzanine.mp4', decoded: [...new Set([...changed, ...unfit(taken)])], reshaped }
  return [...(reshaped ? [inMp4] : []), { name, decoded: changed, reshaped: false }]
}

async function finish(
  tools: MediaTools,
  job: Job,
  way: Way,
  { run, late }: Attempt,
  call: EngineCall,
): Promise<Remuxed> {
  const { folder } = job
  let messages: string[] = []
  for (const { name, decoded, reshaped } of await ends(way, folder)) {
    const isMade = decoded.length === 0 && name === way.name
    const again = isMade ? run : (await attempt(tools, job, { ...way, name, decoded }, call)).run
    messages = again.messages
    if (!again.ok) continue
    if (reshaped) await removeAspect(join(folder, name))
    const taken = withDecoded(await accountOf(tools, way, folder, call), decoded)
    const leftOut = [...(taken.leftOut ?? []), ...lateTracks(taken, late)]
    return { name, run, taken: { ...taken, leftOut }, reshaped }
  }
  throw toMediaFault(messages, 'corrupt')
}

/**
 * Remuxes a file into the preferred container. If this fails, tries a container that accepts its tracks, then omits
 * further audio tracks. If ffmpeg finds a track late, more of the file is read and it is remuxed again. A track that
 * starts even later is left out and listed.
 */
export async function remux(tools: MediaTools, job: Job, call: EngineCall): Promise<Remuxed> {
  let messages: string[] = []
  let cannotHold = false
  for (const way of ways(job.found.probe)) {
    if (way.strict && !cannotHold) continue
    const done = await attempt(tools, job, way, call)
    if (done.run.ok && done.late.length > 0 && job.found.reach === 'usual')
      return await remux(tools, { ...job, found: await inspect(tools, job.source, call, 'far') }, call)
    if (done.run.ok) return await finish(tools, job, way, done, call)
    messages = done.run.messages
    cannotHold = messages.some((line) => /Could not write header/.test(line))
  }
  throw toMediaFault(messages, 'corrupt')
}
