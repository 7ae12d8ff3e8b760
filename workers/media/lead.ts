import type { Timeline } from '#tasks/video/engine.ts'
import { toNumber } from '#tasks/video/rules/transcode/rational.ts'

/** Sound that begins earlier than the picture by no more than this, in seconds, is cut: encoders put a block of their own first. */
const padding = 0.1

/** Longest that one packet of sound counts for, in seconds: what follows later is behind a gap. */
const mostPacket = 1

/** How long the sound goes before a picture at `until`, in seconds; 0 if it is only stray packets. `times` are in seconds. */
function heardBefore(times: number[], until: number): number {
  const before = times.filter((time) => time < until).toSorted((a, b) => a - b)
  const [first] = before
  if (first === undefined) return 0
  const covered = before.reduce((sum, time, i) => sum + Math.min(mostPacket, (before[i + 1] ?? until) - time), 0)
  return covered >= (until - first) / 2 ? until - first : 0
}

/**
 * Begins a film with its sound: the first picture is held over what comes before it, for a whole number of frames. `sounds` are the
 * times at which each track's packets are heard, in seconds.
 */
export function beginWithSound(timeline: Timeline, sounds: number[][]): Timeline {
  const tick = toNumber(timeline.timeBase)
  const lead = Math.max(0, ...sounds.map((times) => heardBefore(times, timeline.first * tick)))
  if (lead <= padding) return timeline
  const rate = toNumber(timeline.rate)
  const ticks = Math.round(Math.ceil(lead * rate - 0.001) / rate / tick)
  return { ...timeline, first: timeline.first - ticks, lead: ticks }
}
