import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { EngineCall, Mezzanine, Probe, Timeline } from '#tasks/video/engine.ts'
import { MediaFault } from '#tasks/video/media-fault.ts'
import { parseRational, toNumber } from '#tasks/video/rational.ts'
import { summariseTimeline } from '#tasks/video/timeline.ts'
import { listPackets, type PacketList } from './packets.ts'
import { probe as probeFile } from './probe.ts'
import type { Sandbox } from './sandbox.ts'
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
function container({ format, video, audio }: Probe): 'mp4' | 'mov' | 'mkv' {
  if ([video, audio].every((track) => track === null || mp4Codecs.has(track.codec))) return 'mp4'
  return format.startsWith('mov') ? 'mov' : 'mkv'
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

async function remux(sandbox: Sandbox, source: string, found: Probe, output: string, call: EngineCall) {
  const tracks = [found.video, found.audio].flatMap((track) => (track ? ['-map', `0:${track.index}`] : []))
  const cover = keepsCover(found, output) ? ['-map', `0:${found.cover}`, '-disposition:v:0', 'attached_pic'] : []
  const tell = progressOf(call, found.seconds)
  return sandbox.run({
    tool: 'ffmpeg',
    // genpts: AVI has no presentation times.
    args: [
      '-fflags',
      '+genpts',
      ...untrusted(source),
      ...tracks,
      ...cover,
      '-c',
      'copy',
      // Covers, and FLAC in MP4 until ffmpeg 6, are called experimental.
      ...['-strict', 'experimental'],
      '-map_metadata',
      '-1',
      '-map_chapters',
      '-1',
      fileUrl(output),
    ],
    call,
    timeout: 120_000 + found.bytes / 2_000,
    onProgress: ({ seconds }) => tell(seconds),
  })
}

/** Counts what a remuxed file holds. */
async function count(sandbox: Sandbox, path: string, source: Probe, call: EngineCall) {
  const video = source.video && { ...source.video, index: 0 }
  const audio = source.audio && { ...source.audio, index: video ? 1 : 0 }
  const lists = await listPackets(
    sandbox,
    { path, streams: [video, audio].flatMap((track) => (track ? [track.index] : [])) },
    call,
  )
  const pictures = video && lists.get(video.index)
  const timeBase = pictures && parseRational(pictures.timeBase)
  const timeline =
    timeBase && summariseTimeline({ timeBase, packets: pictures.packets, hints: [video.nominalRate, video.frameRate] })
  const sounds = audio && lists.get(audio.index)
  const sound = sounds ? extent(sounds) : null
  return { video: timeline ? video : null, audio: sound ? audio : null, timeline: timeline ?? null, sound }
}

/** Remuxes into the fitting container, else into Matroska, which takes almost anything; the file's name is told. */
async function remuxSomehow(sandbox: Sandbox, source: string, found: Probe, folder: string, call: EngineCall) {
  const name = `mezzanine.${container(found)}`
  const run = await remux(sandbox, source, found, join(folder, name), call)
  if (run.ok) return { name, run }
  const second = await remux(sandbox, source, found, join(folder, 'mezzanine.mkv'), call)
  if (!second.ok) throw faultOf(second.messages, 'corrupt')
  return { name: 'mezzanine.mkv', run: second }
}

/** Where picture and sound begin and end, in seconds; the picture's first frame is the film's start. */
function span(timeline: Timeline | null, sound: Extent | null): { seconds: number; audioStart: number } {
  const tick = timeline ? toNumber(timeline.timeBase) : 0
  const start = timeline ? timeline.first * tick : (sound?.start ?? 0)
  const end = Math.max(timeline ? (timeline.last + timeline.lastDuration) * tick : 0, sound?.end ?? 0)
  return { seconds: end - start, audioStart: sound ? sound.start - start : 0 }
}

/** Remuxes an upload and counts what is really there; what its headers promise is only believed when the packets bear it out. */
export async function makeMezzanine(
  sandbox: Sandbox,
  { source, folder }: { source: string; folder: string },
  call: EngineCall,
): Promise<Mezzanine> {
  const clock = stopwatch()
  const found = await probeFile(sandbox, source, call)
  return inWorkspace(folder, async (workspace) => {
    const { name, run } = await remuxSomehow(sandbox, source, found, workspace.folder, call)
    const path = join(workspace.folder, name)
    const { video, audio, timeline, sound } = await count(sandbox, path, found, call)
    if (!timeline && !sound) throw new MediaFault('corrupt', run.messages.join('\n'))
    const { seconds, audioStart } = span(timeline, sound)
    refuseTruncated(found, seconds, run.messages)
    if (seconds > maxSeconds) throw new MediaFault('too_long', `${seconds} s`)

    const { size: bytes } = await stat(path)
    await workspace.publish([name])
    const cover = keepsCover(found, name) ? 1 : null
    const probe = { ...found, cover, format: name.slice(-3), bytes, seconds, video, audio }
    const cost = { cpuSeconds: run.cpuSeconds, wallSeconds: clock() }
    return { path: join(folder, name), bytes, probe, timeline, audioStart, seconds, ...cost }
  })
}
