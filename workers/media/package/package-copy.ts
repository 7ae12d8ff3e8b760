import type { EngineCall, Mezzanine, Package, Timeline } from '#tasks/video/engine.ts'
import { isCopyableSound } from '#tasks/video/rules/transcode/copyable.ts'
import { getLeadSeconds, getVideoSeconds } from '#tasks/video/rules/transcode/film-length.ts'
import { listAudioTracks, selectAudioTracks, soundName } from '#tasks/video/rules/transcode/sound-tracks.ts'
import { withOptions } from '../command.ts'
import type { MediaTools } from '../media-tools.ts'
import { openMezzanine } from '../untrusted.ts'
import { progressOf, stopwatch, withWorkspace } from '../workspace.ts'
import { writeHls } from './hls.ts'
import { describeAudioTrack, finishPackage } from './measured-package.ts'

const audioCodecs: Record<string, string> = { LC: 'mp4a.40.2', 'HE-AAC': 'mp4a.40.5', 'HE-AACv2': 'mp4a.40.29' }

/** Returns options that end an input with the video. ffmpeg counts from the start of the earliest track. */
function cutAtPicture({ probe, audioStart, seconds }: Mezzanine, timeline: Timeline): string[] {
  const picture = getVideoSeconds(timeline) - getLeadSeconds(timeline)
  if (seconds - getLeadSeconds(timeline) <= picture) return []
  const starts = listAudioTracks(probe).map(({ start }) => start ?? audioStart)
  return ['-t', (picture - Math.min(0, ...starts)).toFixed(6)]
}

/**
 * Packages a mezzanine without conversion. Keeps the source's A/V offset and the priming of its encoder. Includes
 * further audio tracks if browsers can play them. No track is longer than the video. The renditions have all audio.
 */
export async function packageCopy(
  tools: MediaTools,
  { mezzanine, folder }: { mezzanine: Mezzanine; folder: string },
  call: EngineCall,
): Promise<Package> {
  const { probe, timeline, seconds } = mezzanine
  const { video } = probe
  if (!video || !timeline) throw new TypeError('A file without video cannot be packaged without conversion.')
  const clock = stopwatch()
  const tell = progressOf(call, seconds)
  const input = openMezzanine(mezzanine.path)
  return withWorkspace(folder, async (workspace) => {
    const picture = { name: 'source', kind: 'video' as const, input, stream: String(video.index) }
    const sounds = selectAudioTracks(probe).flatMap((sound) => {
      const track = listAudioTracks(probe)[sound.place]
      return track && isCopyableSound(track) ? [{ sound, track }] : []
    })
    const cut = cutAtPicture(mezzanine, timeline)
    const heard = sounds.map(({ sound: { place }, track }) => {
      return {
        name: soundName(place),
        kind: 'audio' as const,
        input: withOptions(cut, input),
        stream: String(track.index),
      }
    })
    const job = { tracks: [picture, ...heard], segmentSeconds: 6, folder: workspace.folder, seconds }
    const run = await writeHls(tools, job, call, tell)
    if (!run.ok) throw new Error(`The source could not be packaged without conversion: ${run.messages.join('; ')}`)
    const { width, height } = video
    const onDisk = [
      { name: 'source', width, height },
      ...sounds.map(({ sound, track }) => {
        const codec = audioCodecs[track.profile] ?? 'mp4a.40.2'
        return { ...describeAudioTrack(sound), codec, lead: track.start ?? mezzanine.audioStart }
      }),
    ]
    const facts = await finishPackage(workspace.folder, onDisk, { rate: timeline.rate })
    const [{ frames = 0 } = {}] = facts.renditions
    if (frames !== timeline.frames) throw new Error(`The package has ${frames} of ${timeline.frames} frames.`)
    await workspace.publish(facts.files)
    return { folder, ...facts, cpuSeconds: run.cpuSeconds, wallSeconds: clock() }
  })
}
