import type { Sample, SegmentSamples } from '../../media/samples.ts'
import type { Track } from './tracks.ts'

/** Seconds by which a publisher's clock must leap, either way, to begin a new discontinuity. */
const leap = 2

/**
 * Seconds that a leap lasts at least in what ffmpeg writes: without, one backward would be pressed into a tick for each frame, and one of
 * a day would be too long for MP4. All leaps are told modulo this, so that tracks can be laid beside one another again.
 */
const wrap = 1021

/** Seconds in which all tracks have leapt when the first has. */
const settling = 1

/** Ticks a second that ffmpeg's copies of pictures have. */
export const videoTimescale = 90_000

/** The bitstream filter (ffmpeg-bitstream-filters, setts) that writes each leap as one forward; `rate` is the track's ticks a second. */
function filter(rate: number | 'SR'): string {
  const step = 'DTS-PREV_INDTS'
  const leapt = `if(gt(abs(${step}),${leap}*${rate}),${wrap}*${rate}+mod(${step},${wrap}*${rate}),${step})`
  const time = `if(N,PREV_OUTDTS+${leapt},DTS)`
  return `setts=dts='${time}':pts='${time}+PTS-DTS'`
}

/** The filters of pictures and of sound, whose ticks are its samples. */
export const leapFilters = { video: filter(videoTimescale), audio: filter('SR') }

/** What is known of a track. */
interface Position {
  timescale: number
  /** Ticks to be taken from its times; undefined until its first sample. */
  base: number | undefined
  /** Where its last sample ended, in ticks from the base. */
  end: number
  /** Ticks that its samples last. */
  usual: number
}

/** Who takes what was rebased. */
export interface RebaseSink {
  /** Times count from the last discontinuity. */
  samples(samples: SegmentSamples): void
  /** Samples that follow belong behind a discontinuity. */
  discontinuity(): void
}

/**
 * Gives samples times that begin at 0 with the first of the leading track, and again wherever its clock leaps. Those of other tracks keep
 * their place beside it; what comes of them before it is left out, as players begin with both.
 */
export class Rebaser {
  readonly #leading: number
  readonly #tracks: Map<number, Position>
  readonly #on: RebaseSink
  /** Seconds: where the leading track began, and how far it is from there. */
  #began = 0
  #now = 0

  constructor(tracks: readonly Track[], leading: Track, on: RebaseSink) {
    this.#leading = leading.id
    this.#tracks = new Map(
      tracks.map(({ id, timescale }) => [id, { timescale, base: undefined, end: 0, usual: timescale / 50 }]),
    )
    this.#on = on
  }

  /** Takes samples as the packager wrote them, in the order of their arrival. */
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
    // Of a sample before a leap nobody knows how long it lasts.
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

  /** Where a sample is beside the leading track; undefined where that is nowhere. */
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
      // Its clock has leapt by itself: it goes on where the leading track is.
      else position.base = at - Math.round(Math.max(this.#now * timescale, position.end))
    }
    const time = at - (position.base as number)
    return time < 0 ? undefined : time
  }
}
