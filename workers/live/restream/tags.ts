import { encodeAmf } from '../rtmp/amf.ts'
import type { Message } from '../rtmp/chunks.ts'
import { getTagKind, readTags, type TagKind } from '../rtmp/flv.ts'

/** Precedes a publisher's metadata, so that a server keeps the metadata for later players. */
const dataFrame = encodeAmf('@setDataFrame')

/** Joins the tags of consecutive FLV streams with one continuous clock. */
export class Tags {
  /** Tags that a new receiver needs first. */
  readonly headers = new Map<TagKind, Message>()
  readonly #onTag: (tag: Message) => void
  #time = 0
  #at = performance.now()

  constructor(onTag: (tag: Message) => void) {
    this.#onTag = onTag
  }

  /** Time in milliseconds since the last data. */
  get quietFor(): number {
    return performance.now() - this.#at
  }

  /** Passes on a stream until it ends. Throws if the stream is not FLV. */
  async take(bytes: AsyncIterable<Buffer>): Promise<void> {
    this.headers.clear()
    let shift: number | undefined
    for await (const tag of readTags(bytes)) {
      // A later stream continues the clock of the previous one.
      shift ??= this.#time === 0 ? -tag.time : this.#time + Math.max(1, Math.round(this.quietFor)) - tag.time
      const timed = this.#prepared({ ...tag, time: Math.max(0, tag.time + shift) })
      this.#time = timed.time
      this.#at = performance.now()
      this.#onTag(timed)
    }
  }

  #prepared(tag: Message): Message {
    const kind = getTagKind(tag)
    const prepared = kind === 'metadata' ? { ...tag, body: Buffer.concat([dataFrame, tag.body]) } : tag
    if (kind === 'metadata' || kind === 'video header' || kind === 'audio header') this.headers.set(kind, prepared)
    return prepared
  }
}
