import { encodeAmf } from '../rtmp/amf.ts'
import type { Message } from '../rtmp/chunks.ts'
import { kindOf, type TagKind, tagsOf } from '../rtmp/flv.ts'

/** What precedes metadata that a publisher sends, by which a server keeps it for those who join. */
const dataFrame = encodeAmf('@setDataFrame')

/** The tags of one FLV stream after the other, with one clock. */
export class Tags {
  /** What somebody who joins now needs first. */
  readonly headers = new Map<TagKind, Message>()
  readonly #onTag: (tag: Message) => void
  #time = 0
  #at = performance.now()

  constructor(onTag: (tag: Message) => void) {
    this.#onTag = onTag
  }

  /** Milliseconds since something came. */
  get quietFor(): number {
    return performance.now() - this.#at
  }

  /** Passes a stream on until it ends; throws when it is none. */
  async take(bytes: AsyncIterable<Buffer>): Promise<void> {
    this.headers.clear()
    let shift: number | undefined
    for await (const tag of tagsOf(bytes)) {
      // A later stream goes on with the clock of the one before.
      shift ??= this.#time === 0 ? -tag.time : this.#time + Math.max(1, Math.round(this.quietFor)) - tag.time
      const timed = this.#prepared({ ...tag, time: Math.max(0, tag.time + shift) })
      this.#time = timed.time
      this.#at = performance.now()
      this.#onTag(timed)
    }
  }

  /** Keeps what somebody who joins needs first. */
  #prepared(tag: Message): Message {
    const kind = kindOf(tag)
    const prepared = kind === 'metadata' ? { ...tag, body: Buffer.concat([dataFrame, tag.body]) } : tag
    if (kind === 'metadata' || kind === 'video header' || kind === 'audio header') this.headers.set(kind, prepared)
    return prepared
  }
}
