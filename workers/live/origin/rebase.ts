import type { Sample, SegmentSamples } from '../../media/package/samples.ts'
import type { Track } from './tracks.ts'

/** Minimum clock jump of a publisher in seconds, in either direction, that starts a discontinuity. */
const leap = 2

/**
 * Minimum duration in seconds of a jump in ffmpeg's output. Without it, a backward jump would become one tick per
 * frame, and a jump of a day would be too long for MP4. All jumps are modulo this number, so that tracks can be aligned
 * again.
 */
const wrap = 1021

/** Period in seconds after the first jump in which all tracks jump. */
const settling = 1

export const videoTimescale = 90_000

/**
 * Returns the bitstream filter (ffmpeg-bitstream-filters, setts) that writes each jump as a forward jump. `rate` is the
 * number of ticks per second of the track.
 */
function filter(rate: number | 'SR'): string {
  const step = 'DTS-PREV_INDTS'
  const leapt = `if(gt(abs(${step}),${leap}*${rate}),${wrap}*${rate}+mod(${step},${wrap}*${rate}),${step})`
  const time = `if(N,PREV_OUTDTS+${leapt},DTS)`
  return `setts=dts='${time}':pts='${time}+PTS-DTS'`
}

/** Filters for video and audio. The ticks of audio are its samples. */
export const clockJumpFilters = { video: filter(videoTimescale), audio: filter('SR') }

interface Position {
  timescale: number
  /** Number of ticks to subtract from the track's times. Undefined before the first sample. */
  base: number | undefined
  /** End of the last sample, in ticks from the base. */
  end: number
  usual: number
}

export interface RebaseSink {
  /** Times are relative to the last discontinuity. */
  samples(samples: SegmentSamples): void
  discontinuity(): void
}

/**
 * Rebases the times of samples. They start at 0 with the first sample of the leading track, and again after each clock
 * jump. Samples of other tracks stay aligned with the leading track. Samples before its first one are dropped, because
 * players start with both.
 */
export class Rebaser {
  readonly #leading: number
  readonly #tracks: Map<number, Position>
  readonly #on: RebaseSink
  /** Start of the leading track and its current position, in seconds. */
  #began = 0
  #now = 0

  constructor(tracks: readonly Track[], leading: Track, on: RebaseSink) {
    this.#leading = leading.id
    this.#tracks = new Map(
      tracks.map(({ id, timescale }) => [id, { timescale, base: undefined, end: 0, usual: timescale / 50 }]),
    )
    this.#on = on
  }

  take({ track, time, samples }: SegmentSamples): void {
    const position = this.#tracks.get(track)
    if (!position) return
    let at = time
    for (const sample of samples) {
      const next = at + sample.duration
      this.#place(track, position, at, sample)
      at = next
    }
  }

  #place(track: number, position: Position, at: number, sample: Sample): void {
    const lasts = sample.duration < (wrap / 2) * position.timescale
    // The duration of the last sample before a jump is unknown.
    const duration = lasts ? sample.duration : position.usual
    if (lasts) position.usual = sample.duration
    const time = track === this.#leading ? this.#lead(position, at) : this.#follow(position, at)
    if (time === undefined || time < position.end - duration / 2) return
    position.end = time + duration
    this.#on.samples({ track, time, samples: [{ ...sample, duration }] })
  }

  #lead(position: Position, at: number): number {
    const { timescale, base, end } = position
    const leapt = base !== undefined && at - base - end > (wrap / 2) * timescale
    if (leapt) this.#on.discontinuity()
    if (base === undefined || leapt) {
      Object.assign(position, { base: at, end: 0 })
      this.#began = at / timescale
      for (const other of this.#tracks.values())
        if (other !== position) Object.assign(other, { base: undefined, end: 0 })
    }
    const time = at - (position.base ?? at)
    this.#now = time / timescale
    return time
  }

  /** Returns the position of a sample relative to the leading track, or undefined if it has no position. */
  #follow(position: Position, at: number): number | undefined {
    const { timescale } = position
    if (this.#tracks.get(this.#leading)?.base === undefined) return undefined
    const from = (base: number) => (at - base) / timescale
    const isNear = (base: number | undefined) => base !== undefined && Math.abs(from(base) - this.#now) <= leap
    if (!isNear(position.base)) {
      const turns = Math.round((at / timescale - this.#began - this.#now) / wrap)
      const beside = Math.round((this.#began + turns * wrap) * timescale)
      if (isNear(beside)) position.base = beside
      else if (this.#now < settling) return undefined
      // Only the clock of this track jumped. The track continues at the position of the leading track.
      else position.base = at - Math.round(Math.max(this.#now * timescale, position.end))
    }
    const time = at - (position.base as number)
    return time < 0 ? undefined : time
  }
}
