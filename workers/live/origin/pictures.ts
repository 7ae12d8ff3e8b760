import type { Sample, SegmentSamples } from '../../media/samples.ts'

/** A picture and when it is shown, in ticks. */
export interface Picture {
  time: number
  sample: Sample
}

/** Where a rendition gets its pictures from, by the times of its source. */
export interface PictureSource {
  /** `ftyp` and `moov` of what is listed with them; undefined before it is known. */
  readonly init: Buffer | undefined
  /** Whether those before a time are all there, may yet come, or will not. */
  until(end: number): 'there' | 'coming' | 'lost'
  /** Hands out those before a time, once. */
  take(end: number): Picture[]
}

/** The pictures that a transcoder makes for one rendition. */
export class Pictures implements PictureSource {
  init: Buffer | undefined
  #pictures: Picture[] = []
  #from: number | undefined
  #end = 0

  /** What is made begins at a time. */
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

  /** No more are made; with `whole` none is lacking. */
  end(whole: boolean): void {
    this.#from = undefined
    if (whole) this.#end = Number.POSITIVE_INFINITY
  }

  /** To where they have come, in ticks. */
  get reached(): number {
    return this.#end
  }

  until(end: number): 'there' | 'coming' | 'lost' {
    if (this.#end >= end) return 'there'
    return this.#from === undefined || this.#from >= end ? 'lost' : 'coming'
  }

  take(end: number): Picture[] {
    const next = this.#pictures.findIndex(({ time }) => time >= end)
    return this.#pictures.splice(0, next === -1 ? this.#pictures.length : next)
  }
}

/** Where there are none to come. */
export const noPictures: PictureSource = { init: undefined, until: () => 'lost', take: () => [] }
