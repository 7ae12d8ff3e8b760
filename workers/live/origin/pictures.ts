import type { Sample, SegmentSamples } from '../../media/package/samples.ts'

/** A frame with its presentation time in ticks. */
export interface VideoFrame {
  time: number
  sample: Sample
}

export interface FrameSource {
  /** `ftyp` and `moov` of the frames. Undefined before they are known. */
  readonly init: Buffer | undefined
  /** Returns whether all frames before a time exist, can still arrive, or are lost. */
  until(end: number): 'there' | 'coming' | 'lost'
  /** Returns the frames before a time. Each frame is returned once. */
  take(end: number): VideoFrame[]
}

export class RenditionFrames implements FrameSource {
  init: Buffer | undefined
  #pictures: VideoFrame[] = []
  #from: number | undefined
  #end = 0

  begin(from: number): void {
    this.#from = from
    this.#end = from
    this.#pictures = []
  }

  add({ time, samples }: SegmentSamples): void {
    let at = time
    for (const sample of samples) {
      this.#pictures.push({ time: at, sample: { ...sample, data: Buffer.from(sample.data) } })
      at += sample.duration
    }
    this.#end = at
  }

  end(whole: boolean): void {
    this.#from = undefined
    if (whole) this.#end = Number.POSITIVE_INFINITY
  }

  get reached(): number {
    return this.#end
  }

  until(end: number): 'there' | 'coming' | 'lost' {
    if (this.#end >= end) return 'there'
    return this.#from === undefined || this.#from >= end ? 'lost' : 'coming'
  }

  take(end: number): VideoFrame[] {
    const next = this.#pictures.findIndex(({ time }) => time >= end)
    return this.#pictures.splice(0, next === -1 ? this.#pictures.length : next)
  }
}

export const noFrames: FrameSource = { init: undefined, until: () => 'lost', take: () => [] }
