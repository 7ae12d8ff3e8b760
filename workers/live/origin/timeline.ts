import { randomBytes } from 'node:crypto'

/** A run's header: what its parts need to be decoded (EXT-X-MAP, RFC 8216bis 4.4.4.5). */
export interface Init {
  name: string
  data: Buffer
}

/** A part that viewers may ask for. */
export interface ListedPart {
  name: string
  duration: number
  hasKey: boolean
  /** Undefined when it is held no more. */
  data: Buffer | undefined
}

/** A segment, the last of them still growing. */
export interface Segment {
  /** Media sequence number. */
  msn: number
  name: string
  init: Init
  parts: ListedPart[]
  duration: number
  bytes: number
  /** When its first frame was taken, in milliseconds since 1970. */
  programTime: number
  discontinuity: boolean
  /** Nothing came in its time, or it is lost. */
  gap: boolean
  done: boolean
}

/** The target duration of every channel, in seconds: segments are cut before they exceed it, whatever the publisher's key frames are. */
export const targetDuration = 4

/** Segments end at the first key frame after so many seconds. */
export const segmentSeconds = targetDuration / 2

/** Parts are listed, and held in memory, for so many seconds from the end (RFC 8216bis 4.4.4.9: three target durations). */
const partSeconds = 3 * targetDuration

/** Shortest playlist, in seconds: a delta update skips what is older than six target durations (4.4.3.8). */
const shortest = 7 * targetDuration

const epoch = Date.UTC(2025, 0, 1)

/** More than one worker lists of a broadcast; the next one's begin beyond them. */
const mostDiscontinuities = 1000

interface TimelineOptions {
  dvrSeconds: number
  /** How often a worker took the broadcast over from another, this time included. */
  takeovers: number
  /** Tells of a segment's name whether the segment is on disk. */
  isKept(name: string): boolean
}

/** The segments of a channel, over all runs of its packager on this worker. */
export class Timeline {
  /** Those of the playlist, oldest first. */
  readonly segments: Segment[] = []
  /** Those that left the playlist and may still be asked for. */
  readonly past: Segment[] = []
  partTarget = 0
  ended = false
  /** Changes with everything that a playlist shows. */
  version = 0
  discontinuities: number
  /** What the names of its files begin with. */
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
    // Media sequence numbers go up with time, as segments last longer than a second: where another worker takes a channel over, its first
    // number is beyond all of those before without anybody having kept them (6.2.1 wants both sequences to grow).
    this.#msn = Math.floor((now - epoch) / 1000)
    // Not by time: hls.js keeps arrays by it, and walks through them at every playlist (60 million took it 700 ms, measured).
    this.discontinuities = takeovers * mostDiscontinuities
  }

  get last(): Segment | undefined {
    return this.segments.at(-1)
  }

  /** Whether players can begin: they take a playlist without a whole segment for an empty one. */
  get watchable(): boolean {
    return this.segments[0]?.done ?? false
  }

  /** The name of the part that comes next, whichever segment it will be of. */
  get nextPart(): string {
    return `${this.prefix}-p${this.#parts}.m4s`
  }

  /** Keeps a run's header; with `breaks` the next segment has a discontinuity before it (4.4.4.3). */
  init(data: Buffer, breaks: boolean): Init {
    const same = [...this.#inits.values()].find((init) => init.data.equals(data))
    const init = same ?? { name: `${this.prefix}-i${this.#inits.size}.mp4`, data }
    this.#inits.set(init.name, init)
    if (breaks) this.break()
    return init
  }

  /** The next segment has a discontinuity before it, if it is not the first. */
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

  /** Ends the growing segment. */
  endSegment(): Segment | undefined {
    const last = this.last
    if (!last || last.done) return undefined
    last.done = true
    return last
  }

  /** Ends the growing segment, or lists one, as a gap in the place of another playlist's. */
  endAsGap(init: Init, { duration, programTime }: Pick<Segment, 'duration' | 'programTime'>): void {
    const { last } = this
    const segment = last && !last.done ? last : this.#begin(init, programTime)
    Object.assign(segment, { duration, gap: true, done: true })
  }

  /** Lists time for which nothing came (EXT-X-GAP, 4.4.4.7). */
  addGap(init: Init, seconds: number, programTime: number): void {
    for (let left = seconds, at = programTime; left > 0.01; ) {
      const duration = Math.min(left, targetDuration)
      const segment = this.#begin(init, at)
      Object.assign(segment, { duration, gap: true, done: true })
      left -= duration
      at += duration * 1000
    }
  }

  /** Says that nothing follows (EXT-X-ENDLIST, 4.4.3.4). */
  end(): void {
    this.endSegment()
    this.ended = true
    this.changed()
  }

  /** Moves the window on, and wakes those who wait. Returns the segments that no viewer will ask for any more. */
  changed(): Segment[] {
    this.version++
    const gone = this.#slide()
    for (const wake of [...this.#waiting]) wake()
    return gone
  }

  /** How many wait now. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Waits until `isSo` answers true after a change; false after so many milliseconds or on abort. */
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

  /** Lets go of a segment's bytes in memory; where the disk had no room for them, there is a gap from then on. */
  #letGo(segment: Segment): void {
    for (const part of segment.parts) part.data = undefined
    segment.gap ||= !this.#isKept(segment.name)
  }

  #slide(): Segment[] {
    let behind = 0
    let listed = 0
    for (let i = this.segments.length - 1; i >= 0; i--) {
      const segment = this.segments[i] as Segment
      // Held for a while longer than they are listed: a viewer may have an older playlist.
      if (segment.done && behind > partSeconds + 2 * targetDuration) this.#letGo(segment)
      behind += segment.duration
      if (behind <= this.#dvrSeconds || this.segments.length - i <= 4) listed++
      else break
    }
    const left = this.segments.splice(0, this.segments.length - listed)
    for (const { discontinuity } of left) if (discontinuity) this.discontinuities++
    for (const segment of left) this.#letGo(segment)
    this.past.push(...left)
    // A segment stays for as long as the longest playlist that listed it lasts, and for its own length (6.2.2).
    let kept = 0
    const first = this.past.findLastIndex(({ duration }) => {
      kept += duration
      return kept > this.#dvrSeconds + targetDuration
    })
    return this.past.splice(0, first + 1)
  }
}

/** Whether the parts of a segment are still listed, given the seconds from its end to the end of the playlist. */
export const partsListed = (behind: number): boolean => behind < partSeconds
