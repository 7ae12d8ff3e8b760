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

/**
 * Returns the sentences of a chunk that get vectors, without its headings. Each is read below its innermost heading or
 * title, because a sentence such as "This takes two weeks." alone has no subject.
 */
export function listChunkSentences(title: string, headings: readonly string[], text: string): ChunkSentence[] {
  const above = (headings.at(-1) ?? title).slice(0, longestTitle).toWellFormed()
  const sentences = splitSentences(text).filter(({ text }) => !/^#{1,6}\s/.test(text) && /\p{L}/u.test(text))
  const perGroup = Math.ceil(sentences.length / most)
  const groups: ChunkSentence[] = []
  for (let from = 0; from < sentences.length; from += perGroup) {
    const [first, last] = [sentences[from], sentences[Math.min(from + perGroup, sentences.length) - 1]]
    if (!first || !last) break
    const length = last.end - first.start
    const read = text.slice(first.start, last.end).toWellFormed()
    groups.push({ start: first.start, length, read: above.trim() === '' ? read : `${above}. ${read}` })
  }
  return groups
}
