/** What bytes from the web say. */
export interface Reading {
  /** Their media type by their content, whatever the server said. */
  type: string
  title: string | null
  /** The readable part of a page, or a text as it is; null where the bytes hold no text that is read. */
  text: string | null
  /** Characters of the whole text, of which `text` has the first million. */
  length: number | null
  /** All that the page shows, normalised (lib/normal-text.ts); a quote from the page stands in it. */
  normalText: string | null
  /** Of a document of pages: characters (code points) of `normalText` up to the end of each; null for what has none. */
  pageEnds: number[] | null
}

/** Bytes could not be read within the bounds of time and memory. */
export class PageUnreadable extends Error {
  override name = 'PageUnreadable'
}

/** Reads what came from the web. */
export interface PageReader {
  /** Reads bytes for an organisation; throws `PageUnreadable` when that takes more time or memory than a page may. */
  read(bytes: Uint8Array, declaredType: string | undefined, orgId: string, signal: AbortSignal): Promise<Reading>
}
