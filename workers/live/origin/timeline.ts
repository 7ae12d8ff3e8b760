import { randomBytes } from 'node:crypto'

/** Header of a run, needed to decode its parts (EXT-X-MAP, RFC 8216bis 4.4.4.5). */
export interface Init {
  name: string
  data: Buffer
}

export interface ListedPart {
  name: string
  duration: number
  hasKey: boolean
  /** Undefined when the header is no longer in memory. */
  data: Buffer | undefined
}

export interface Segment {
  msn: number
  name: string
  init: Init
  parts: ListedPart[]
  duration: number
  bytes: number
  /** Capture time of the first frame in milliseconds since 1970. */
  programTime: number
  discontinuity: boolean
  /** True if no data arrived in its time, or if the data was lost. */
  gap: boolean
  done: boolean
}

/**
 * Target duration of every channel in seconds. Segments never exceed it, regardless of the key frames of the publisher.
 */
export const targetDuration = 4

/** Minimum duration of a segment in seconds. A segment ends at the first key frame after it. */
export const segmentSeconds = targetDuration / 2

/**
 * Distance in seconds from the end within which parts are listed and kept in memory (RFC 8216bis 4.4.4.9: three target
 * durations).
 */
const partSeconds = 3 * targetDuration

/**
 * Minimum duration of a playlist in seconds. A delta update skips segments older than six target durations (4.4.3.8).
 */
const shortest = 7 * targetDuration

const epoch = Date.UTC(2025, 0, 1)

/**
 * Maximum number of discontinuities that one worker lists in a broadcast. The numbers of the next worker start after
 * it.
 */
const mostDiscontinuities = 1000

interface TimelineOptions {
  dvrSeconds: number
  takeovers: number
  isKept(name: string): boolean
}

export class Timeline {
  readonly segments: Segment[] = []
  /** Segments that have left the playlist but can still be requested. */
  readonly past: Segment[] = []
  partTarget = 0
  ended = false
  version = 0
  discontinuities: number
  readonly prefix = randomBytes(8).toString('hex')
  readonly #dvrSeconds: number
  readonly #isKept: (name: string) => boolean
  readonly #inits = new Map<string, Init>()
  readonly #waiting = new Set<() => void>()
  #msn: number
  #parts = 0
  #breaks = false

  constructor({ dvrSeconds, takeovers, isKept }: TimelineOptions, now = Date.now()) {
    this.#isKept = isKept
    this.#dvrSeconds = Math.max(dvrSeconds, shortest)
    // Media sequence numbers are derived from the time, because segments last longer than a second. If another worker
    // takes over the channel, its first number is higher than all previous numbers, without stored state (6.2.1
    // requires both sequences to increase).
    this.#msn = Math.floor((now - epoch) / 1000)
    // The discontinuity number is not derived from the time. hls.js uses it as an array index.
    // At every playlist, hls.js iterates over the array (60 million took 700 ms, measured).
    this.discontinuities = takeovers * mostDiscontinuities
  }

  get last(): Segment | undefined {
    return this.segments.at(-1)
  }

  /** True if players can start. They treat a playlist without a complete segment as empty. */
  get watchable(): boolean {
    return this.segments[0]?.done ?? false
  }

  get nextPart(): string {
    return `${this.prefix}-p${this.#parts}.m4s`
  }

  /** Stores the header of a run. With `breaks`, the next segment starts with a discontinuity (4.4.4.3). */
  init(data: Buffer, breaks: boolean): Init {
    const same = [...this.#inits.values()].find((init) => init.data.equals(data))
    const init = same ?? { name: `${this.prefix}-i${this.#inits.size}.mp4`, data }
    this.#inits.set(init.name, init)
    if (breaks) this.break()
    return init
  }

  /** Makes the next segment start with a discontinuity, unless it is the first one. */
  break(): void {
    this.#breaks ||= this.segments.length > 0
  }

  initNamed = (name: string): Init | undefined => this.#inits.get(name)

  addPart(init: Init, part: { data: Buffer; duration: number; hasKey: boolean }, programTime: number): ListedPart {
    const last = this.last
    const segment = last && !last.done && last.init === init ? last : this.#begin(init, programTime)
    const { data, duration, hasKey } = part
    const listed: ListedPart = { name: this.nextPart, data, duration, hasKey }
    this.#parts++
    segment.parts.push(listed)
    segment.duration += duration
    segment.bytes += data.length
    return listed
  }

  endSegment(): Segment | undefined {
    const last = this.last
    if (!last || last.done) return undefined
    last.done = true
    return last
  }

  /** Ends the growing segment. Alternatively, lists a gap instead of the corresponding segment of the source. */
  endAsGap(init: Init, { duration, programTime }: Pick<Segment, 'duration' | 'programTime'>): void {
    const { last } = this
    const segment = last && !last.done ? last : this.#begin(init, programTime)
    Object.assign(segment, { duration, gap: true, done: true })
  }

  addGap(init: Init, seconds: number, programTime: number): void {
    for (let left = seconds, at = programTime; left > 0.01; ) {
      const duration = Math.min(left, targetDuration)
      const segment = this.#begin(init, at)
      Object.assign(segment, { duration, gap: true, done: true })
      left -= duration
      at += duration * 1000
    }
  }

  end(): void {
    this.endSegment()
    this.ended = true
    this.changed()
  }

  changed(): Segment[] {
    this.version++
    const gone = this.#slide()
    for (const wake of [...this.#waiting]) wake()
    return gone
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** Waits until `isSo` returns true after a change. Returns false after the timeout or on abort. */
  async until(isSo: () => boolean, milliseconds: number, signal: AbortSignal): Promise<boolean> {
    if (isSo()) return true
    if (signal.aborted) return false
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const check = () => isSo() && resolve(true)
    const give = () => resolve(false)
    const timer = setTimeout(give, milliseconds)
    this.#waiting.add(check)
    signal.addEventListener('abort', give, { once: true })
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(check)
      signal.removeEventListener('abort', give)
    }
  }

  #begin(init: Init, programTime: number): Segment {
    this.endSegment()
    const segment: Segment = {
      msn: this.#msn,
      name: `${this.prefix}-s${this.#msn}.m4s`,
      init,
      parts: [],
      duration: 0,
      bytes: 0,
      programTime,
      discontinuity: this.#breaks,
      gap: false,
      done: false,
    }
    this.#msn++
    this.#breaks = false
    this.segments.push(segment)
    return segment
  }

  /** Releases the bytes of a segment in memory. If it is not on disk, it becomes a gap. */
  #letGo(segment: Segment): void {
    for (const part of segment.parts) part.data = undefined
    segment.gap ||= !this.#isKept(segment.name)
  }

  #slide(): Segment[] {
    let behind = 0
    let listed = 0
    for (let i = this.segments.length - 1; i >= 0; i--) {
      const segment = this.segments[i] as Segment
      // Kept longer than the parts are listed, because a viewer can have an older playlist.
      if (segment.done && behind > partSeconds + 2 * targetDuration) this.#letGo(segment)
      behind += segment.duration
      if (behind <= this.#dvrSeconds || this.segments.length - i <= 4) listed++
      else break
    }
    const left = this.segments.splice(0, this.segments.length - listed)
    for (const { discontinuity } of left) if (discontinuity) this.discontinuities++
    for (const segment of left) this.#letGo(segment)
    this.past.push(...left)
    // A segment stays available for the duration of the longest playlist that listed it, plus its own duration (6.2.2).
    let kept = 0
    const first = this.past.findLastIndex(({ duration }) => {
      kept += duration
      return kept > this.#dvrSeconds + targetDuration
    })
    return this.past.splice(0, first + 1)
  }
}

/**
 * True if the parts of a segment are still listed. `behind` is the time in seconds from the end of the segment to the
 * end of the playlist.
 */
export const arePartsListed = (behind: number): boolean => behind < partSeconds
