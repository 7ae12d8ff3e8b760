import type { Inspection } from './inspection.ts'
import type { Source } from './source.ts'

export interface InnerContent {
  /** Its possible names in the archive; empty if it has none. */
  names: string[]
  /**
   * The stored bytes in the archive, or a function that unpacks it from the start and throws a `RefusalError` if it
   * differs from the archive's data.
   */
  bytes: Source | (() => AsyncGenerator<Buffer>)
}

export interface OpenedArchive {
  /** Media type, if the entries show more than the first bytes. */
  type?: string
  /**
   * A document runs in its program, regardless of the names inside. A person unpacks an archive and opens an
   * attachment.
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
