import type { Timeline } from '#tasks/video/engine.ts'
import { toNumber } from '#tasks/video/rules/transcode/rational.ts'

/** Duration in seconds of audio before the first frame that is cut, because encoders add a block at the start. */
const padding = 0.1

/** Maximum duration in seconds that one audio packet counts for. A later packet follows a gap. */
const mostPacket = 1

/**
 * Returns the duration in seconds of the audio before a frame at `until`, or 0 if there are only stray packets. `times`
 * are in seconds.
 */
function heardBefore(times: number[], until: number): number {
  const before = times.filter((time) => time < until).toSorted((a, b) => a - b)
  const [first] = before
  if (first === undefined) return 0
  const covered = before.reduce((sum, time, i) => sum + Math.min(mostPacket, (before[i + 1] ?? until) - time), 0)
  return covered >= (until - first) / 2 ? until - first : 0
}

/**
 * Starts a video with its audio by holding the first frame for a whole number of frames. `sounds` contains the packet
 * times of each track in seconds.
 */
export function startWithAudio(timeline: Timeline, sounds: number[][]): Timeline {
  const tick = toNumber(timeline.timeBase)
  const lead = Math.max(0, ...sounds.map((times) => heardBefore(times, timeline.first * tick)))
  if (lead <= padding) return timeline
  const rate = toNumber(timeline.rate)
  const ticks = Math.round(Math.ceil(lead * rate - 0.001) / rate / tick)
  return { ...timeline, first: timeline.first - ticks, lead: ticks }
}
