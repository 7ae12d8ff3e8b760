/** The text of a PDF as poppler gives it out, in UTF-8. */
export interface PdfText {
  bytes: Uint8Array
  /** Whether each page ends with a form feed, and none stands in between: what the document itself says may hold some. */
  isPaged: boolean
}

const [lineFeed, formFeed, blank] = [10, 12, 32]

/** How many form feeds there are, counted up to one more than `most`. */
export function feedsOf(bytes: Uint8Array, most: number): number {
  let count = 0
  for (let at = bytes.indexOf(formFeed); at !== -1 && count <= most; at = bytes.indexOf(formFeed, at + 1)) count++
  return count
}

/** The text of each page; all of it as one where nobody knows where pages end. */
export function pagesOf({ bytes, isPaged }: PdfText): string[] {
  if (isPaged) return Buffer.from(bytes).toString().split('\f').slice(0, -1)
  const text = Buffer.from(bytes)
  for (let i = 0; i < text.length; i++) if (text[i] === formFeed) text[i] = text[i - 1] === lineFeed ? lineFeed : blank
  return [text.toString()]
}
