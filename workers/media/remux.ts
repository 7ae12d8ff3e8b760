import { join } from 'node:path'
import type { EngineCall, LeftOutTrack, Probe } from '#tasks/video/engine.ts'
import { leftOut, soundTracks } from '#tasks/video/rules/transcode/sound-tracks.ts'
import { drawnFrames, isDrawn } from './animation.ts'
import { commandOf, mapStream, withOptions } from './command.ts'
import type { MediaTools, RunResult } from './media-tools.ts'
import { type Inspection, inspect } from './probe.ts'
import { reaching } from './streams.ts'
import { fileUrl, fromMezzanine, untrusted } from './untrusted.ts'
import { faultOf } from './verdict.ts'
import { progressOf } from './workspace.ts'

const mp4Codecs = new Set('h264 hevc mpeg4 av1 vp9 mpeg2video aac mp3 ac3 eac3 opus alac flac'.split(' '))

/**
 * Where the tracks fit with exact times. Seeking is frame-exact in indexed containers only: of 1,200 frames of MPEG-TS 800 came out wrong
 * (measured). MOV keeps the edit lists of what came as MOV, which Matroska cannot.
 */
function container(probe: Probe): 'mp4' | 'mov' | 'mkv' {
  if (probe.video && isDrawn(probe.video)) return 'mp4'
  const codecs = [probe.video?.codec ?? 'h264', ...soundTracks(probe).map(({ codec }) => codec)]
  if (codecs.every((codec) => mp4Codecs.has(codec))) return 'mp4'
  return probe.format.startsWith('mov') ? 'mov' : 'mkv'
}

/** The cover of a sound file goes along, where the container knows covers from films. */
export function keepsCover({ video, cover }: Probe, path: string): boolean {
  return !video && cover !== null && !path.endsWith('mkv')
}

/** One way to remux a file; with `pcm` its sound is decoded, as there are formats of sound that only their own container holds. */
interface Way {
  name: string
  taken: Probe
  pcm?: boolean
}

/** What a run of ffmpeg found, and the tracks that it only met after it had begun. */
interface Attempt {
  run: RunResult
  late: LeftOutTrack['kind'][]
}

async function attempt(
  tools: MediaTools,
  { source, folder, reach }: { source: string; folder: string } & Pick<Inspection, 'reach'>,
  { name, taken, pcm = false }: Way,
  call: EngineCall,
): Promise<Attempt> {
  const all = [...(taken.video ? [taken.video] : []), ...soundTracks(taken)]
  const tracks = all.flatMap(({ index }) => mapStream(`0:${index}`))
  const cover = keepsCover(taken, name) ? [...mapStream(`0:${taken.cover}`), '-disposition:v:0', 'attached_pic'] : []
  const tell = progressOf(call, taken.seconds)
  const late: Attempt['late'] = []
  const isMade = taken.video !== null && isDrawn(taken.video)
  // genpts: AVI has no presentation times.
  const command = commandOf(withOptions(['-fflags', '+genpts', ...reaching(reach)], untrusted(source)))
    .output(fileUrl(join(folder, name)))
    .outputOptions(
      ...tracks,
      ...cover,
      ...['-c', 'copy', '-map_metadata', '-1', '-map_chapters', '-1'],
      ...(isMade ? drawnFrames : []),
      ...(pcm ? ['-c:a', 'pcm_s16le', '-ar', '48000'] : []),
      // Covers, and FLAC in MP4 until ffmpeg 6, are called experimental.
      ...['-strict', 'experimental'],
    )
  const run = await tools.ffmpeg(command, {
    call,
    timeout: isMade || pcm ? 1_800_000 : 120_000 + taken.bytes / 2_000,
    onProgress: ({ seconds }) => tell(seconds),
    onLog: (line) => {
      const [, kind] = /New (audio|video) stream 0:\d/.exec(line) ?? []
      if (kind) late.push(kind as LeftOutTrack['kind'])
    },
  })
  return { run, late }
}

/** The ways in which a file is remuxed, each if that before it fails; `strict` ones only where a container does not hold a track. */
function ways(found: Probe): (Way & { strict?: boolean })[] {
  const { moreAudio = [], leftOut: lost = [] } = found
  const dropped = moreAudio.map((track) => leftOut(track, 'undecodable'))
  const fewer = { ...found, moreAudio: [], leftOut: [...lost, ...dropped] }
  const first = container(found)
  return [
    { name: `mezzanine.${first}`, taken: found },
    ...(first === 'mkv' ? [] : [{ name: 'mezzanine.mkv', taken: found }]),
    { name: 'mezzanine.mov', taken: found, strict: true },
    { name: 'mezzanine.mkv', taken: found, pcm: true, strict: true },
    ...(moreAudio.length > 0 ? [{ name: `mezzanine.${container(fewer)}`, taken: fewer }] : []),
  ]
}

/** A remuxed file, and the tracks that were taken, as they are now. */
export interface Remuxed {
  name: string
  run: RunResult
  taken: Probe
}

/** Tracks that ffmpeg met only after it had begun to remux, for their owner; they come behind those that were found. */
function lateTracks(probe: Probe, late: Attempt['late']): LeftOutTrack[] {
  const counts = { audio: soundTracks(probe).length, video: probe.video ? 1 : 0 }
  for (const { kind } of probe.leftOut ?? []) counts[kind]++
  return late.map((kind) => {
    counts[kind]++
    return { kind, track: counts[kind], language: null, name: null, reason: 'late' as const }
  })
}

/** What a made file holds: its own account of what was encoded for it. */
async function accountOf(
  tools: MediaTools,
  { name, taken, pcm }: Way,
  folder: string,
  call: EngineCall,
): Promise<Probe> {
  const isMade = taken.video !== null && isDrawn(taken.video)
  if (!isMade && !pcm) return taken
  const { probe } = await inspect(tools, join(folder, name), call, 'usual', fromMezzanine)
  return { ...taken, video: isMade ? probe.video : taken.video, ...(pcm && sounds(taken, probe)) }
}

/** Sound tracks as they are in a made file, under the numbers and names that they have in the upload. */
function sounds(taken: Probe, made: Probe): Pick<Probe, 'audio' | 'moreAudio'> {
  const now = soundTracks(made)
  const [audio = null, ...moreAudio] = soundTracks(taken).map((track, i) => {
    const { codec, profile, sampleRate } = now[i] ?? track
    return { ...track, codec, profile, sampleRate }
  })
  return { audio, moreAudio }
}

/**
 * Remuxes into the fitting container, else into one that takes what that does not, else without the further sound tracks. If ffmpeg
 * meets a track late, the file is read further and remuxed again; a track that begins behind that is left out, and named as such.
 */
export async function remux(
  tools: MediaTools,
  { source, folder, found }: { source: string; folder: string; found: Inspection },
  call: EngineCall,
): Promise<Remuxed> {
  let messages: string[] = []
  let cannotHold = false
  for (const way of ways(found.probe)) {
    if (way.strict && !cannotHold) continue
    const { run, late } = await attempt(tools, { source, folder, reach: found.reach }, way, call)
    if (run.ok && late.length > 0 && found.reach === 'usual') {
      const further = await inspect(tools, source, call, 'far')
      return await remux(tools, { source, folder, found: further }, call)
    }
    if (run.ok) {
      const taken = await accountOf(tools, way, folder, call)
      return {
        name: way.name,
        run,
        taken: { ...taken, leftOut: [...(taken.leftOut ?? []), ...lateTracks(taken, late)] },
      }
    }
    messages = run.messages
    cannotHold = messages.some((line) => /Could not write header/.test(line))
  }
  throw faultOf(messages, 'corrupt')
}
