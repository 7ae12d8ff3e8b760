import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { EngineCall, LeftOutTrack, Mezzanine, Probe, Timeline } from '#tasks/video/engine.ts'
import { summariseTimeline } from '#tasks/video/rules/hls/timeline.ts'
import { getLeadSeconds } from '#tasks/video/rules/transcode/film-length.ts'
import { MediaFault } from '#tasks/video/rules/transcode/media-fault.ts'
import { parseRational, toNumber } from '#tasks/video/rules/transcode/rational.ts'
import { listAudioTracks, toLeftOut } from '#tasks/video/rules/transcode/sound-tracks.ts'
import { startWithAudio } from './lead.ts'
import type { MediaTools } from './media-tools.ts'
import { listPackets, type PacketList } from './packets.ts'
import { detectInterlacing } from './picture/interlacing.ts'
import { setCommonestAspect } from './pixel-aspect.ts'
import { inspect } from './probe.ts'
import { canKeepCover, remux } from './remux.ts'
import { stopwatch, withWorkspace } from './workspace.ts'

/** Maximum length of a recording in seconds: a day. */
const maxSeconds = 24 * 3600

/** Returns the length in seconds that the headers declare for the used tracks. AVI only contains frame counts. */
function promised({ format, seconds, video, audio }: Probe): number {
  const tracks = Math.max(video?.seconds ?? 0, audio?.seconds ?? 0) || seconds
  if (format !== 'avi' || !video?.declaredFrames || !video.nominalRate) return tracks
  return Math.max(tracks, video.declaredFrames / toNumber(video.nominalRate))
}

// A truncated file with its index at the start remuxes with exit code 0 and only such a line (measured). Damage is not
// a reason to reject a file, because players play it. If a header has a wrong length and there is no such line, only
// the header is wrong.
const cut = /partial file|ended prematurely|[Tt]runcat|corrupt input packet|Packet corrupt/

function refuseTruncated(source: Probe, found: number, messages: string[]): void {
  const missing = promised(source) - found
  if (missing <= Math.max(0.5, promised(source) * 0.005) || !messages.some((line) => cut.test(line))) return
  throw new MediaFault('truncated', `${found} of ${promised(source)} s\n${messages.join('\n')}`)
}

/** Start and end of an audio track, and its packet times, in seconds. */
interface Extent {
  start: number
  end: number
  times: number[]
}

function extent({ packets, timeBase }: PacketList, seconds: number): Extent | null {
  const [head] = packets
  if (!head) return null
  const tick = toNumber(parseRational(timeBase) ?? { num: 1, den: 1000 })
  let end = head.pts
  for (const [i, { pts, duration }] of packets.entries()) {
    // Some formats do not contain packet lengths. A packet then counts as long as the previous one. A single packet
    // counts as long as its track.
    const before = packets[i - 1]
    end = Math.max(end, pts + (duration || (before ? Math.max(0, pts - before.pts) : seconds / tick)))
  }
  const times = packets.filter(({ hidden }) => !hidden).map(({ pts }) => pts * tick)
  return { start: head.pts * tick, end: end * tick, times }
}

async function count(tools: MediaTools, path: string, source: Probe, call: EngineCall) {
  const video = source.video && { ...source.video, index: 0 }
  const sounds = listAudioTracks(source).map((track, i) => ({ ...track, index: i + (video ? 1 : 0) }))
  const streams = [...(video ? [video] : []), ...sounds].map(({ index }) => index)
  const lists = await listPackets(tools, { path, streams }, call)
  const pictures = video && lists.get(video.index)
  const timeBase = pictures && parseRational(pictures.timeBase)
  const timeline =
    timeBase && summariseTimeline({ timeBase, packets: pictures.packets, hints: [video.nominalRate, video.frameRate] })
  const heard = sounds.flatMap((track) => {
    const where = extent(lists.get(track.index) as PacketList, track.seconds)
    return where ? [{ track, ...where }] : []
  })
  const silent = sounds.filter((track) => !heard.some((other) => other.track === track))
  const whole = timeline
    ? startWithAudio(
        timeline,
        heard.map(({ times }) => times),
      )
    : null
  return { video: timeline ? video : null, timeline: whole, heard, silent }
}

function span(timeline: Timeline | null, sounds: Extent[]): { start: number; seconds: number } {
  const tick = timeline ? toNumber(timeline.timeBase) : 0
  const start = timeline ? timeline.first * tick : (sounds[0]?.start ?? 0)
  const end = timeline ? (timeline.last + timeline.lastDuration) * tick : 0
  return { start, seconds: Math.max(end, ...sounds.map((sound) => sound.end)) - start }
}

/** Returns tracks without content, marked as left out. */
function emptied(taken: Probe, { video, silent }: Awaited<ReturnType<typeof count>>): LeftOutTrack[] {
  const place = 1 + (taken.leftOut ?? []).filter(({ kind }) => kind === 'video').length
  const unseen: LeftOutTrack = { kind: 'video', track: place, language: null, name: null, reason: 'undecodable' }
  return [...(taken.video && !video ? [unseen] : []), ...silent.map((track) => toLeftOut(track, 'undecodable'))]
}

/** Remuxes an upload and measures its real contents. Checks the length in its headers against its packets. */
export async function makeMezzanine(
  tools: MediaTools,
  input: { source: string; folder: string },
  call: EngineCall,
): Promise<Mezzanine> {
  const clock = stopwatch()
  const found = await inspect(tools, input.source, call)
  const { folder } = input
  return withWorkspace(folder, async (workspace) => {
    const { name, run, taken, reshaped } = await remux(
      tools,
      { source: input.source, folder: workspace.folder, found },
      call,
    )
    const path = join(workspace.folder, name)
    const counted = await count(tools, path, taken, call)
    const { timeline, heard } = counted
    if (!timeline && heard.length === 0) throw new MediaFault('corrupt', run.messages.join('\n'))
    const { start, seconds } = span(timeline, heard)
    refuseTruncated(found.probe, seconds, run.messages)
    if (seconds > maxSeconds) throw new MediaFault('too_long', `${seconds} s`)
    const fields =
      counted.video && timeline && (await detectInterlacing(tools, { path, video: counted.video, timeline }, call))
    const video =
      fields && timeline && reshaped ? await setCommonestAspect(tools, { path, video: fields, timeline }, call) : fields

    const { size: bytes } = await stat(path)
    await workspace.publish([name])
    const cover = canKeepCover(taken, name) ? listAudioTracks(taken).length : null
    const shown = start + getLeadSeconds(timeline)
    const [audio = null, ...moreAudio] = heard.map(({ track, start: at }) => ({ ...track, start: at - shown }))
    const sounds = { audio, moreAudio, leftOut: [...(taken.leftOut ?? []), ...emptied(taken, counted)] }
    const probe = { ...taken, cover, format: name.slice(-3), bytes, seconds, video, ...sounds }
    const cost = { cpuSeconds: run.cpuSeconds, wallSeconds: clock() }
    return { path: join(folder, name), bytes, probe, timeline, audioStart: audio?.start ?? 0, seconds, ...cost }
  })
}
