import { split } from '#sql/knowledge/split.ts'
import { type ChunkSentence, listChunkSentences } from './chunk-sentences.ts'
import { looksEnglish } from './english.ts'

/**
 * Returns the sentences of the English parts of a text, as they would get vectors in the search index. With `isEnglish`,
 * returns all sentences.
 */
export const listEnglishSentences = (title: string, text: string, isEnglish = false): ChunkSentence[] =>
  split(text)
    .filter((piece) => isEnglish || looksEnglish(piece.text))
    .flatMap(({ start, headings, text }) =>
      listChunkSentences(title, headings, text).map((one) => ({ ...one, start: start + one.start })),
    )
