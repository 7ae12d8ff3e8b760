import type { Citation, SourceDocument } from '#tasks/ai/engine.ts'

/**
 * Minimum and maximum number of characters in a quote. Shorter quotes occur anywhere. Longer quotes are the whole
 * document.
 */
const least = 4
const most = 2_000
const mostQuotes = 50

export interface ClaimedQuote {
  document_id: string
  quote: string
}

/** Returns each quote that occurs literally in a document once. Drops the others. */
export function verifyQuotes(claimed: readonly ClaimedQuote[], documents: readonly SourceDocument[]): Citation[] {
  const found = claimed.slice(0, mostQuotes).flatMap(({ document_id, quote }) => {
    // A model may name the wrong document, so the other documents are searched next.
    const named = documents.filter(({ id }) => id === document_id)
    const others = documents.filter(({ id }) => id !== document_id)
    return [...named, ...others].flatMap((document) => citationIn(document, quote)).slice(0, 1)
  })
  return [...new Map(found.map((citation) => [`${citation.document_id}\0${citation.start}`, citation])).values()]
}

function citationIn({ id, title, url, text }: SourceDocument, claimed: string): Citation[] {
  const quote = claimed.trim()
  if (quote.length < least || quote.length > most) return []
  const place = findPlace(text, quote)
  if (!place) return []
  return [
    {
      document_id: id,
      title: title ?? null,
      url: url ?? null,
      quote: text.slice(...place),
      start: place[0],
      end: place[1],
    },
  ]
}

/** Returns the position of a quote. White space may differ, because models join lines. */
function findPlace(text: string, quote: string): [number, number] | undefined {
  const start = text.indexOf(quote)
  if (start >= 0) return [start, start + quote.length]
  const { plain, places } = collapsed(text)
  const at = plain.indexOf(quote.replaceAll(/\s+/gu, ' '))
  if (at < 0) return undefined
  const last = at + quote.replaceAll(/\s+/gu, ' ').length - 1
  return [places[at] as number, (places[last] as number) + 1]
}

function collapsed(text: string): { plain: string; places: number[] } {
  const places: number[] = []
  let plain = ''
  let isBehindSpace = false
  for (let i = 0; i < text.length; i++) {
    const isSpace = /\s/u.test(text[i] as string)
    if (!(isSpace && isBehindSpace)) {
      plain += isSpace ? ' ' : text[i]
      places.push(i)
    }
    isBehindSpace = isSpace
  }
  return { plain, places }
}

const quoted = /["“„«»]([^"“”„«»]{4,2000})["”“«»]/gu

export const findQuotes = (content: string, documents: readonly SourceDocument[]): Citation[] =>
  verifyQuotes(
    [...content.matchAll(quoted)].map(([, quote = '']) => ({ document_id: '', quote })),
    documents,
  )
