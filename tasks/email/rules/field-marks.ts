import { markPlaceholders } from '#lib/placeholders.ts'

/**
 * HTML in whose place of each field a mark stands, which is one word to whoever reads it as text; and what puts the fields back into
 * that text. Reading HTML takes ten times as long as all else that is done for a message: so it is done once for a campaign.
 */
export function withMarks(html: string): { html: string; unmark(text: string): string } {
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

/** For private use (Unicode 16, §23.5): of no meaning in any mail. */
const [begin, end] = ['\ue0f1', '\ue0f2']

const mark = (number: number): string => `${begin}${number}${end}`

/** A piece that ends with a mark, but for its end; one that was the customer's own character stays. */
function withField(piece: string, found: readonly string[]): string {
  const at = piece.lastIndexOf(begin)
  const field = at < 0 ? undefined : found[Number(piece.slice(at + 1))]
  return field === undefined ? `${piece}${end}` : `${piece.slice(0, at)}${field}`
}
