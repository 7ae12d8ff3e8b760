import { split } from '#sql/knowledge/split.ts'
import { type ChunkSentence, listChunkSentences } from './chunk-sentences.ts'
import { looksEnglish } from './english.ts'

/** Returns the sentences of the English parts of a text, as they would get vectors in the search index. */
export const listEnglishSentences = (title: string, text: string): ChunkSentence[] =>
  split(text)
    .filter((piece) => looksEnglish(piece.text))
    .flatMap(({ start, headings, text }) =>
      listChunkSentences(title, headings, text).map((one) => ({ ...one, start: start + one.start })),
    )
