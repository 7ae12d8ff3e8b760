import type { Inspection } from './inspection.ts'
import type { Source } from './source.ts'

/** One content inside another, as an archive's walker hands it out. */
export interface Inner {
  /** Its names in the archive, of which a tool takes one; none where it has none of its own. */
  names: string[]
  /** Where it lies unpacked in the archive; or what unpacks it from the first byte on, and ends with a `Refusal` where it is not what the archive says. */
  bytes: Source | (() => AsyncGenerator<Buffer>)
}

/** An archive whose structure is proved, and what is in it. */
export interface OpenedArchive {
  /** Its media type where its entries tell more than its first bytes. */
  type?: string
  /** A document runs in its program, whatever the names in it say; an archive is unpacked, and an attachment opened, by a person. */
  holder: 'archive' | 'document' | 'attachment' | 'wrapper'
  inners: AsyncIterable<Inner>
}

/** Makes an archive of what packs one content alone. */
export function wrapperOf(
  inspection: Inspection,
  bytes: () => AsyncGenerator<Buffer>,
  names: string[] = [],
): OpenedArchive {
  const inners = async function* () {
    inspection.enter()
    yield { names, bytes }
  }
  return { holder: 'wrapper', inners: inners() }
}
