/** A sentence of a text: `text.slice(start, end)`. */
export interface Sentence {
  text: string
  start: number
  end: number
}

/** Maximum number of characters in a sentence. Longer sentences are split between words. */
const maxLength = 500

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' })

/** Abbreviations with a full stop. ICU treats "Dr." as the end of a sentence (measured). */
const abbreviation =
  /(?:^|[\s(])(?:\p{Lu}|dr|mr|mrs|ms|prof|st|jr|sr|vs|no|nr|fig|art|e\.g|i\.e|cf|approx|dept|ca|bzw|z\.b|nt|lk|jne|vt|s\.o|т\.е|т\.д|г|ул)\.\s*$/iu

export function splitSentences(text: string): Sentence[] {
  const merged: { start: number; end: number }[] = []
  for (const { segment, index } of segmenter.segment(text)) {
    const last = merged.at(-1)
    const end = index + segment.length
    if (last && continuesSentence(text.slice(Math.max(last.start, last.end - 24), last.end), segment)) last.end = end
    else merged.push({ start: index, end })
  }
  return merged.flatMap(({ start, end }) => pieces(text, start, end))
}

/** True if a segment continues the previous sentence: after an abbreviation or in a wrapped line. */
function continuesSentence(tail: string, segment: string): boolean {
  if (abbreviation.test(tail)) return true
  return /[^\s.!?:;…。！？]\r?\n$/u.test(tail) && /^[ \t]*(\p{Ll}|\d+(?![.)\d]))/u.test(segment)
}

function pieces(text: string, from: number, to: number): Sentence[] {
  const found: Sentence[] = []
  let start = from
  while (start < to) {
    let end = to
    if (end - start > maxLength) {
      const space = text.lastIndexOf(' ', start + maxLength)
      end = space > start ? space : wholeCharacter(text, start + maxLength)
    }
    const piece = trimmed(text, start, end)
    if (piece) found.push(piece)
    start = end
  }
  return found
}

/** Returns the index. If the index would split a surrogate pair, returns the previous index. */
const wholeCharacter = (text: string, index: number) => (/[\udc00-\udfff]/.test(text[index] ?? '') ? index - 1 : index)

function trimmed(text: string, start: number, end: number): Sentence | undefined {
  const raw = text.slice(start, end)
  const inner = raw.trim()
  if (inner === '') return undefined
  const from = start + raw.indexOf(inner)
  return { text: inner, start: from, end: from + inner.length }
}
