import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { EngineCall, Mezzanine, Probe, Timeline } from '#tasks/video/engine.ts'
import { summariseTimeline } from '#tasks/video/rules/hls/timeline.ts'
import { MediaFault } from '#tasks/video/rules/transcode/media-fault.ts'
import { parseRational, toNumber } from '#tasks/video/rules/transcode/rational.ts'
import { leftOut, soundTracks } from '#tasks/video/rules/transcode/sound-tracks.ts'
import { commandOf, mapStream, withOptions } from './command.ts'
import type { MediaTools } from './media-tools.ts'
import { listPackets, type PacketList } from './packets.ts'
import { probe as probeFile } from './probe.ts'
import { fileUrl, untrusted } from './untrusted.ts'
import { faultOf } from './verdict.ts'
import { inWorkspace, progressOf, stopwatch } from './workspace.ts'

/** Longest recording that is taken, in seconds: a day. */
const maxSeconds = 24 * 3600

const mp4Codecs = new Set('h264 hevc mpeg4 av1 vp9 mpeg2video aac mp3 ac3 eac3 opus alac flac'.split(' '))

/**
 * Where the tracks fit with exact times. Seeking is frame-exact in indexed containers only: of 1,200 frames of MPEG-TS 800 came out wrong
 * (measured). MOV keeps the edit lists of what came as MOV, which Matroska cannot.
 */
function container(probe: Probe): 'mp4' | 'mov' | 'mkv' {
  const codecs = [probe.video?.codec ?? 'h264', ...soundTracks(probe).map(({ codec }) => codec)]
  if (codecs.every((codec) => mp4Codecs.has(codec))) return 'mp4'
  return probe.format.startsWith('mov') ? 'mov' : 'mkv'
}

/** The length that the headers promise for the tracks we take, in seconds; AVI only counts frames. */
function promised({ format, seconds, video, audio }: Probe): number {
  const tracks = Math.max(video?.seconds ?? 0, audio?.seconds ?? 0) || seconds
  if (format !== 'avi' || !video?.declaredFrames || !video.nominalRate) return tracks
  return Math.max(tracks, video.declaredFrames / toNumber(video.nominalRate))
}

// A truncated file with its index in front remuxes with exit code 0 and only such a line (measured). Damage alone is no reason to
// refuse: players play it. A header that promises too much without such a line is just wrong.
const cut = /partial file|ended prematurely|[Tt]runcat|corrupt input packet|Packet corrupt/

function refuseTruncated(source: Probe, found: number, messages: string[]): void {
  const missing = promised(source) - found
  if (missing <= Math.max(0.5, promised(source) * 0.005) || !messages.some((line) => cut.test(line))) return
  throw new MediaFault('truncated', `${found} of ${promised(source)} s\n${messages.join('\n')}`)
}

/** Start and end of a track, in seconds. */
interface Extent {
  start: number
  end: number
}

function extent({ packets, timeBase }: PacketList): Extent | null {
  const [head] = packets
  if (!head) return null
  const tick = toNumber(parseRational(timeBase) ?? { num: 1, den: 1000 })
  let end = head.pts
  for (const { pts, duration } of packets) end = Math.max(end, pts + duration)
  return { start: head.pts * tick, end: end * tick }
}

/** The cover of a sound file goes along, where the container knows covers from films. */
function keepsCover({ video, cover }: Probe, path: string): boolean {
  return !video && cover !== null && !path.endsWith('mkv')
}

async function remux(tools: MediaTools, source: string, found: Probe, output: string, call: EngineCall) {
  const all = [...(found.video ? [found.video] : []), ...soundTracks(found)]
  const tracks = all.flatMap(({ index }) => mapStream(`0:${index}`))
  const cover = keepsCover(found, output) ? [...mapStream(`0:${found.cover}`), '-disposition:v:0', 'attached_pic'] : []
  const tell = progressOf(call, found.seconds)
  // genpts: AVI has no presentation times.
  const command = commandOf(withOptions(['-fflags', '+genpts'], untrusted(source)))
    .output(fileUrl(output))
    .outputOptions(
      ...tracks,
      ...cover,
      ...['-c', 'copy', '-map_metadata', '-1', '-map_chapters', '-1'],
      // Covers, and FLAC in MP4 until ffmpeg 6, are called experimental.
      ...['-strict', 'experimental'],
    )
  return tools.ffmpeg(command, {
    call,
    timeout: 120_000 + found.bytes / 2_000,
    onProgress: ({ seconds }) => tell(seconds),
  })
}

/** Counts what a remuxed file holds. */
async function count(tools: MediaTools, path: string, source: Probe, call: EngineCall) {
  const video = source.video && { ...source.video, index: 0 }
  const sounds = soundTracks(source).map((track, i) => ({ ...track, index: i + (video ? 1 : 0) }))
  const streams = [...(video ? [video] : []), ...sounds].map(({ index }) => index)
  const lists = await listPackets(tools, { path, streams }, call)
  const pictures = video && lists.get(video.index)
  const timeBase = pictures && parseRational(pictures.timeBase)
  const timeline =
    timeBase && summariseTimeline({ timeBase, packets: pictures.packets, hints: [video.nominalRate, video.frameRate] })
  const heard = sounds.flatMap((track) => {
    const where = extent(lists.get(track.index) as PacketList)
    return where ? [{ track, ...where }] : []
  })
  const silent = sounds.filter((track) => !heard.some((other) => other.track === track))
  return { video: timeline ? video : null, timeline: timeline ?? null, heard, silent }
}

/**
 * Remuxes into the fitting container, else into Matroska, which takes almost anything, else without the further sound tracks; the file's
 * name and contents are returned.
 */
async function remuxSomehow(tools: MediaTools, source: string, found: Probe, folder: string, call: EngineCall) {
  const { moreAudio = [], leftOut: lost = [] } = found
  const fewer = {
    ...found,
    moreAudio: [],
    leftOut: [...lost, ...moreAudio.map((track) => leftOut(track, 'undecodable'))],
  }
  const tries: [string, Probe][] = [
    [`mezzanine.${container(found)}`, found],
    ['mezzanine.mkv', found],
    ...(moreAudio.length > 0 ? [[`mezzanine.${container(fewer)}`, fewer] satisfies [string, Probe]] : []),
  ]
  let messages: string[] = []
  for (const [name, taken] of tries) {
    const run = await remux(tools, source, taken, join(folder, name), call)
    if (run.ok) return { name, run, taken }
    messages = run.messages
  }
  throw faultOf(messages, 'corrupt')
}

/** Where picture and sound begin and end, in seconds; the picture's first frame is the film's start. */
function span(timeline: Timeline | null, sounds: Extent[]): { start: number; seconds: number } {
  const tick = timeline ? toNumber(timeline.timeBase) : 0
  const start = timeline ? timeline.first * tick : (sounds[0]?.start ?? 0)
  const end = timeline ? (timeline.last + timeline.lastDuration) * tick : 0
  return { start, seconds: Math.max(end, ...sounds.map((sound) => sound.end)) - start }
}

/** Remuxes an upload and counts what is really there; the length in its headers is checked against its packets. */
export async function makeMezzanine(
  tools: MediaTools,
  input: { source: string; folder: string },
  call: EngineCall,
): Promise<Mezzanine> {
  const clock = stopwatch()
  const source = await probeFile(tools, input.source, call)
  const { folder } = input
  return inWorkspace(folder, async (workspace) => {
    const { name, run, taken } = await remuxSomehow(tools, input.source, source, workspace.folder, call)
    const path = join(workspace.folder, name)
    const { video, timeline, heard, silent } = await count(tools, path, taken, call)
    if (!timeline && heard.length === 0) throw new MediaFault('corrupt', run.messages.join('\n'))
    const { start, seconds } = span(timeline, heard)
    refuseTruncated(source, seconds, run.messages)
    if (seconds > maxSeconds) throw new MediaFault('too_long', `${seconds} s`)

    const { size: bytes } = await stat(path)
    await workspace.publish([name])
    const cover = keepsCover(taken, name) ? soundTracks(taken).length : null
    const [audio = null, ...moreAudio] = heard.map(({ track, start: at }) => ({ ...track, start: at - start }))
    const lost = [...(taken.leftOut ?? []), ...silent.map((track) => leftOut(track, 'undecodable'))]
    const sounds = { audio, moreAudio, leftOut: lost }
    const probe = { ...taken, cover, format: name.slice(-3), bytes, seconds, video, ...sounds }
    const cost = { cpuSeconds: run.cpuSeconds, wallSeconds: clock() }
    return { path: join(folder, name), bytes, probe, timeline, audioStart: audio?.start ?? 0, seconds, ...cost }
  })
}
