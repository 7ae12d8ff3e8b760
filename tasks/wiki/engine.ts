export interface PageContent {
  /** Media type detected from the content, regardless of the server's header. */
  type: string
  title: string | null
  /** Readable part of a web page, or a plain text. `null` if the page has no readable text. */
  text: string | null
  /** Number of characters of the whole text. `text` has the first million. */
  length: number | null
  /** All visible text of the page, normalised (tasks/wiki/rules/normal-text.ts). Quotes are searched in it. */
  normalText: string | null
  /**
   * For paged documents: number of code points of `normaliseText` up to the end of each page. `null` for other types.
   */
  pageEnds: number[] | null
}

/** Thrown if the bytes could not be read within the limits of time and memory. */
export class PageUnreadableError extends Error {
  override name = 'PageUnreadableError'
}

export interface PageReader {
  /** Reads bytes for an organisation. Throws `PageUnreadableError` if that exceeds the time or memory limit. */
  read(bytes: Uint8Array, declaredType: string | undefined, orgId: string, signal: AbortSignal): Promise<PageContent>
}
