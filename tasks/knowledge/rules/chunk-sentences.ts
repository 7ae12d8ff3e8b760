import { splitSentences } from '#lib/sentences.ts'

/** Part of a text that has a vector, in UTF-16 units, and the text that the model reads for it. */
export interface ChunkSentence {
  start: number
  length: number
  read: string
}

/** Maximum number of vectors per chunk. Short sentences of a chunk with more sentences are combined. */
const most = 16

const longestTitle = 100

interface SentenceBelow {
  start: number
  end: number
  /** Innermost heading or title. */
  above: string
}

/**
 * Returns the sentences of a chunk that get vectors, without its headings. Each is read below its innermost heading or
 * title, because a sentence such as "This takes two weeks." alone has no subject.
 */
export function listChunkSentences(title: string, headings: readonly string[], text: string): ChunkSentence[] {
  const sentences = listBelowHeadings(headings.at(-1) ?? title, text)
  const perGroup = Math.ceil(sentences.length / most)
  const groups: ChunkSentence[] = []
  for (let from = 0; from < sentences.length; from += perGroup) {
    const [first, last] = [sentences[from], sentences[Math.min(from + perGroup, sentences.length) - 1]]
    if (!first || !last) break
    const { start, above } = first
    const read = text.slice(start, last.end).toWellFormed()
    groups.push({ start, length: last.end - start, read: above === '' ? read : `${above}. ${read}` })
  }
  return groups
}

function listBelowHeadings(outer: string, text: string): SentenceBelow[] {
  const found: SentenceBelow[] = []
  let above = clean(outer)
  for (const { text: sentence, start, end } of splitSentences(text)) {
    const heading = /^#{1,6}\s+(.*)/s.exec(sentence)?.[1]
    if (heading !== undefined) above = clean(heading)
    else if (/\p{L}/u.test(sentence)) found.push({ start, end, above })
  }
  return found
}

const clean = (heading: string): string => heading.slice(0, longestTitle).toWellFormed().trim()
