import type { RenditionHeight } from '#sql/live/channels.ts'
import { writeFragment } from '../../media/package/fragment.ts'
import { isKey, type SegmentSamples } from '../../media/package/samples.ts'
import type { FrameSource, VideoFrame } from './pictures.ts'
import type { SegmentFolder } from './segment-folder.ts'
import type { Init, Segment, Timeline } from './timeline.ts'
import type { Track } from './tracks.ts'

export interface ListedCut {
  segment: Segment
  init: Init
  begins: boolean
  ends: boolean
  /** Presentation time of the first frame, duration of the part, and time after it without data, in seconds. */
  time: number
  duration: number
  lost: number
  programTime: number
  video: Track | undefined
  sound: SegmentSamples[]
  pictures: FrameSource
}

/**
 * A rendition of a channel. Its parts and segment numbers correspond to those of the source. Parts that are not created
 * in time become gaps.
 */
export class Rendition {
  readonly height: RenditionHeight
  readonly timeline: Timeline
  readonly folder: SegmentFolder
  readonly rendered = new Map<string, { version: number; body: Promise<Buffer> }>()
  isMade = false
  readonly #waiting: ListedCut[] = []
  #segment: Segment | undefined
  #isGap = false
  /** Frames cannot be decoded before the first key frame. */
  #awaitsKey = true
  #sequence = 1

  constructor(height: RenditionHeight, { timeline, folder }: { timeline: Timeline; folder: SegmentFolder }) {
    this.height = height
    this.timeline = timeline
    this.folder = folder
  }

  list(cut: ListedCut): void {
    this.#waiting.push(cut)
    this.advance()
  }

  advance(): void {
    let listed = 0
    while (this.#waiting[0] && this.#listed(this.#waiting[0])) {
      this.#waiting.shift()
      listed++
    }
    if (listed > 0) this.#changed()
  }

  /** Returns false while the frames of the part can still arrive. */
  #listed(cut: ListedCut): boolean {
    if (cut.begins) this.#begin(cut)
    const end = Math.round((cut.time + cut.duration) * (cut.video?.timescale ?? 1))
    const state = this.#isGap ? 'lost' : cut.pictures.until(end)
    if (state === 'coming') return false
    const pictures = cut.pictures.take(end)
    const isKeyFirst = pictures[0] !== undefined && isKey(pictures[0].sample)
    this.#awaitsKey &&= !(cut.begins && isKeyFirst)
    this.#isGap ||= state === 'lost' || this.#awaitsKey
    if (!this.#isGap) this.#add(cut, pictures, end)
    if (cut.ends) this.#end()
    if (cut.lost > 0) this.timeline.addGap(this.#initOf(cut), cut.lost, cut.programTime + 1000 * cut.duration)
    return true
  }

  end(): void {
    this.#end()
    this.timeline.end()
  }

  #begin({ segment }: ListedCut): void {
    if (this.#segment === segment) return
    this.#end()
    if (segment.discontinuity) this.timeline.break()
    this.#segment = segment
    this.#isGap = false
  }

  #add(cut: ListedCut, pictures: VideoFrame[], end: number): void {
    const samples = pictures.map(({ time, sample }, i) => ({
      ...sample,
      duration: Math.max(1, (pictures[i + 1]?.time ?? end) - time),
    }))
    const [first] = pictures
    const own = first && cut.video ? [{ track: cut.video.id, time: first.time, samples }] : []
    const data = writeFragment(this.#sequence++, [...own, ...cut.sound])
    const part = { data, duration: cut.duration, hasKey: samples.some(isKey) }
    this.timeline.addPart(this.#initOf(cut), part, cut.programTime)
    this.isMade = true
  }

  #end(): void {
    const segment = this.#segment
    this.#segment = undefined
    if (!segment) return
    if (this.#isGap) {
      this.#awaitsKey = true
      this.timeline.endAsGap(this.timeline.last?.init ?? this.timeline.init(segment.init.data, false), segment)
      return
    }
    const ended = this.timeline.endSegment()
    const parts = ended?.parts.flatMap(({ data }) => data ?? [])
    if (ended && parts) void this.folder.keep(ended.name, parts)
  }

  #initOf({ pictures, init }: ListedCut): Init {
    return this.timeline.init(pictures.init ?? init.data, false)
  }

  #changed(): void {
    const gone = this.timeline.changed()
    if (gone.length > 0) void this.folder.forget(gone.map(({ name }) => name)).catch(() => {})
  }
}
