import type { Source } from './source.ts'

/** One content inside another, as an archive's walker hands it out. */
export interface Inner {
  /** Its names in the archive, of which a tool takes one; none where it has none of its own. */
  names: string[]
  /** Bytes, as the archive says; null where it does not. */
  size: number | null
  /** Its bytes where they lie unpacked in the archive, null where they are packed. */
  source: Source | null
  /** Its bytes from the first on; ends with a `Refusal` where they are not what the archive says of them. */
  open(): AsyncGenerator<Buffer>
}

/** An archive whose structure is proved, and what is in it. */
export interface Opened {
  /** Its media type where its entries tell more than its first bytes. */
  type: string
  /** A document runs in its program, whatever the names in it say; an archive is unpacked by a person. */
  holder: 'archive' | 'document' | 'wrapper'
  inners: AsyncIterable<Inner>
}
