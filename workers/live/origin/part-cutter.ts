import { writeFragment } from '../../media/package/fragment.ts'
import { isKey, type Sample, type SegmentSamples } from '../../media/package/samples.ts'
import { getLeadingTrack, type Track } from './tracks.ts'

export interface CutPart {
  data: Buffer
  time: number
  duration: number
  frames: number
  independent: boolean
  hasKey: boolean
  /** Time in seconds after the part for which no data arrived. */
  lost: number
  /** True if frames are presented in an order different from the decoding order (B-frames). */
  reordered: boolean
}

export interface CutRules {
  part: number
  /** Minimum duration after which a segment ends before the next key frame. */
  segment: number
}

interface TimedSample {
  sample: Sample
  time: number
}

/**
 * Durations in seconds for the first segment of a run. After the first duration, it ends before a key frame. After the
 * second duration, it ends after any part.
 */
const [firstSeconds, longestFirst] = [0.9, 1.3]

const fewestFrames = 5

/** Minimum duration in seconds of a frame after which other frames were lost. */
const lossSeconds = 0.5

/**
 * Splits samples into parts. ffmpeg itself would split where a track of its choice reaches a duration, up to a frame
 * late. Its first part would contain all probed data. The leading track (video, if there is any) determines the
 * durations. A sample is added when the next sample shows its duration.
 */
export class PartCutter {
  /**
   * Duration of the longest part in seconds. 0 until the frame rate is known. It never changes afterwards (RFC 8216bis
   * 4.4.3.7).
   */
  target = 0
  #tracks: Map<number, Track>
  #leading: Track
  #rules: CutRules
  #emit: (part: CutPart, endsSegment: boolean) => void
  #held: TimedSample | undefined
  #early: TimedSample[] = []
  #open = new Map<number, TimedSample[]>()
  #duration = 0
  #segment = 0
  #sequence = 1
  #isFirst = true

  constructor(tracks: Track[], rules: CutRules, emit: (part: CutPart, endsSegment: boolean) => void, target = 0) {
    this.#tracks = new Map(tracks.map((track) => [track.id, track]))
    this.#leading = getLeadingTrack(tracks)
    this.#rules = rules
    this.#emit = emit
    this.target = target
  }

  add({ track, time, samples }: SegmentSamples): void {
    let at = time
    for (const sample of samples) {
      // This releases the chunks of the pipe, and with them the data between samples.
      if (track === this.#leading.id) this.#addLeading({ sample, time: at })
      else if (this.#tracks.has(track)) this.#put(track, { sample, time: at })
      at += sample.duration
    }
  }

  end(): void {
    if (this.#held) this.#place(this.#held)
    this.#held = undefined
    for (const early of this.#early.splice(0)) this.#cut(early)
    this.#close(true)
  }

  #addLeading(next: TimedSample): void {
    const last = this.#held
    this.#held = next
    if (!last) return
    last.sample.duration = Math.max(1, next.time - last.time)
    this.#place(last)
  }

  #place(placed: TimedSample): void {
    if (this.target > 0) this.#cut(placed)
    else this.#gather(placed)
  }

  #gather(placed: TimedSample): void {
    this.#early.push(placed)
    const durations = this.#early.map(({ sample }) => sample.duration / this.#leading.timescale)
    const total = durations.reduce((sum, duration) => sum + duration, 0)
    const { part } = this.#rules
    if (total < part || (durations.length < fewestFrames && total < 4 * part)) return
    const median = durations.toSorted((a, b) => a - b)[Math.floor(durations.length / 2)] ?? total
    const usual = durations.filter((duration) => Math.abs(duration - median) <= median / 2)
    const frame = usual.reduce((sum, duration) => sum + duration, 0) / usual.length
    const whole = Math.max(1, Math.round(part / frame)) * frame
    // Includes a tolerance for clocks that count in milliseconds. The tolerance is smaller than a frame, and so small
    // that whole parts reach 85 %.
    this.target = Math.ceil(1000 * Math.min(whole * 1.05 + 0.002, whole / 0.9)) / 1000
    for (const early of this.#early.splice(0)) this.#cut(early)
  }

  #cut(placed: TimedSample): void {
    const duration = placed.sample.duration / this.#leading.timescale
    const key = this.#leading.kind === 'audio' || isKey(placed.sample)
    const total = this.#segment + this.#duration
    const enough = this.#isFirst ? firstSeconds : this.#rules.segment - 0.05
    if (this.#duration > 0 && key && total >= enough) this.#close(true)
    else if (this.#duration > 0 && this.#duration + duration > this.target) {
      // Only the last part of a segment may be shorter than 85 % (RFC 8216bis 4.4.4.9).
      const short = this.#duration < 0.85 * this.target && (duration > this.target || total >= this.#rules.segment / 2)
      const isFull = total + this.target > 2 * this.#rules.segment + 0.4
      // Players need one whole segment to start, so the first segment is always short.
      this.#close(short || isFull || (this.#isFirst && total >= longestFirst))
    }
    this.#put(this.#leading.id, placed)
    this.#duration += duration
    if (duration > this.target + lossSeconds) this.#close(true)
  }

  #put(track: number, placed: TimedSample): void {
    const list = this.#open.get(track) ?? []
    list.push(placed)
    this.#open.set(track, list)
  }

  #close(endsSegment: boolean): void {
    const leading = this.#open.get(this.#leading.id) ?? []
    const [first] = leading
    const runs = [...this.#open].map(([track, placed]) => run(track, placed))
    this.#open.clear()
    if (runs.length === 0) return
    const time = first ? first.time / this.#leading.timescale : 0
    const lost = this.#duration > this.target + lossSeconds ? this.#duration - this.target : 0
    const duration = lost > 0 ? this.target : this.#duration
    const isAudio = this.#leading.kind === 'audio'
    const part = {
      data: writeFragment(this.#sequence++, runs),
      time,
      duration,
      lost,
      frames: isAudio ? 0 : leading.length,
      independent: isAudio || (first !== undefined && isKey(first.sample)),
      hasKey: isAudio || leading.some(({ sample }) => isKey(sample)),
      reordered: !isAudio && leading.some(({ sample }) => sample.composition !== 0),
    }
    this.#isFirst &&= !endsSegment
    this.#segment = endsSegment ? 0 : this.#segment + this.#duration
    this.#duration = 0
    this.#emit(part, endsSegment)
  }
}

/**
 * A run has only one start time. A sample therefore lasts until the next sample, even if data is missing between them.
 */
function run(track: number, placed: TimedSample[]): SegmentSamples {
  const samples = placed.map(({ sample, time }, i) => {
    const next = placed[i + 1]
    return next ? { ...sample, duration: Math.max(1, next.time - time) } : sample
  })
  return { track, time: placed[0]?.time ?? 0, samples }
}
