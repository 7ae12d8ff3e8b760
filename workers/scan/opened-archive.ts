import type { Inspection } from './inspection.ts'
import type { Source } from './source.ts'

export interface InnerContent {
  /** Possible names of the content in the archive. Empty if it has no name. */
  names: string[]
  /**
   * Stored bytes in the archive, or a function that unpacks the content from the start. The function throws a
   * `RefusalError` if the content differs from the archive's data.
   */
  bytes: Source | (() => AsyncGenerator<Buffer>)
}

export interface OpenedArchive {
  /** Media type, if the entries show more than the first bytes do. */
  type?: string
  /**
   * A document opens in its program, regardless of the names inside. People unpack an archive and open an attachment.
   */
  holder: 'archive' | 'document' | 'attachment' | 'wrapper'
  inners: AsyncIterable<InnerContent>
}

export function openWrapper(
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
