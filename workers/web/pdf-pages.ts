export interface PdfText {
  bytes: Uint8Array
  /** True if each page ends with a form feed and contains no other. The text of a document can contain form feeds. */
  isPaged: boolean
}

const [lineFeed, formFeed, blank] = [10, 12, 32]

/** Returns the number of form feeds. Stops counting at `most` plus one. */
export function countFormFeeds(bytes: Uint8Array, most: number): number {
  let count = 0
  for (let at = bytes.indexOf(formFeed); at !== -1 && count <= most; at = bytes.indexOf(formFeed, at + 1)) count++
  return count
}

/** Returns the text of each page. If the page ends are unknown, returns the complete text as one page. */
export function splitPages({ bytes, isPaged }: PdfText): string[] {
  if (isPaged) return Buffer.from(bytes).toString().split('\f').slice(0, -1)
  const text = Buffer.from(bytes)
  for (let i = 0; i < text.length; i++) if (text[i] === formFeed) text[i] = text[i - 1] === lineFeed ? lineFeed : blank
  return [text.toString()]
}
