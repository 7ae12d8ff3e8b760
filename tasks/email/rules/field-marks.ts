import { markPlaceholders } from '#lib/placeholders.ts'

/**
 * Replaces each placeholder in HTML with a mark that reads as one word. Also returns a function that restores the
 * placeholders in text. Reading HTML takes ten times as long as the rest of a message, so it is done once per campaign.
 */
export function replaceFieldsByMarks(html: string): { html: string; unmark(text: string): string } {
  const { text, found } = markPlaceholders(html, mark)
  return {
    html: text,
    unmark: (read) =>
      read
        .split(end)
        .map((piece, i, all) => (i === all.length - 1 ? piece : withField(piece, found)))
        .join(''),
  }
}

/** Private-use characters (Unicode 16, §23.5), which have no meaning in email. */
const [begin, end] = ['\ue0f1', '\ue0f2']

const mark = (number: number): string => `${begin}${number}${end}`

/** If a mark is the customer’s own character, it is kept. */
function withField(piece: string, found: readonly string[]): string {
  const at = piece.lastIndexOf(begin)
  const field = at < 0 ? undefined : found[Number(piece.slice(at + 1))]
  return field === undefined ? `${piece}${end}` : `${piece.slice(0, at)}${field}`
}
