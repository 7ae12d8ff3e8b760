import { listTerms } from '#lib/terms.ts'
import type { AnswerRequest } from '#tasks/ai/engine.ts'
import { listEnglishSentences } from '#tasks/knowledge/rules/english-sentences.ts'
import { createBm25 } from './bm25.ts'

/** A sentence of a document that may get a vector, in UTF-16 units, and the text that the model reads for it. */
export interface CandidateSentence {
  document_id: string
  start: number
  end: number
  read: string
}

export interface CandidatesRequest extends Pick<AnswerRequest, 'question' | 'documents'> {
  /** True if the language of the documents is already known. Default: the parts that look English are listed. */
  areEnglish?: boolean
}

/** Maximum number of sentences per request, about a second of work (measured). */
const most = 128

/**
 * Returns the English sentences of documents that are compared with a question by their meaning. If there are too many,
 * returns those with the most words of the question, and then the first of each document.
 */
export function candidates({ question, documents, areEnglish }: CandidatesRequest): CandidateSentence[] {
  const listed = documents.flatMap(({ id, title = '', text }) =>
    listEnglishSentences(title, text, areEnglish).map(({ start, length, read }) => ({
      ...{ document_id: id, start, end: start + length, read },
    })),
  )
  if (listed.length <= most) return listed
  const scores = createBm25(listed.map(({ read }) => listTerms(read))).score(listTerms(question))
  return listed
    .map((sentence, i) => ({ sentence, score: scores[i] ?? 0 }))
    .sort((one, other) => other.score - one.score || one.sentence.start - other.sentence.start)
    .slice(0, most)
    .map(({ sentence }) => sentence)
}
