import type { Answer, AnswerRequest, ChatReply, ChatRequest, Citation } from '#tasks/ai/engine.ts'
import { unansweredBy } from '../evidence/borne-out.ts'
import { findPassages } from './passages.ts'
import { worked } from './worked.ts'

/**
 * The part of a question's terms that a sentence covers which is said to answer it. "Madrid is the capital of Spain" covers half of
 * what is asked of the capital of France.
 */
const answering = 0.6
/** The part from which a sentence is told in a conversation, as what is nearest. */
const near = 0.34

/** Answers with the sentences of the documents that fit the question best and have all names and numbers that it asks for. */
export function answer({ question, documents, maxTokens }: AnswerRequest): Answer {
  const answers = (citation: Citation) => unansweredBy(question, [citation]) === undefined
  const found = findPassages(question, documents, { floor: answering, answers })
  const fitted = fit(found?.citations ?? [], maxTokens)
  const answer = textOf(fitted.citations)
  return {
    answer,
    answered: found !== null,
    confidence: found?.coverage ?? null,
    ...fitted,
    ...worked([question, ...documents.map(({ text }) => text)], answer),
  }
}

/** Answers the last message with sentences of the documents; one that asks for nothing found there is read with the one before it. */
export function chat({ system, messages, documents, fallback, maxTokens }: ChatRequest): ChatReply {
  const asked = messages.filter(({ role }) => role === 'user').map(({ content }) => content)
  const found =
    findPassages(asked.at(-1) ?? '', documents, { floor: near }) ??
    findPassages(asked.slice(-2).join('\n'), documents, { floor: near })
  const fitted = fit(found?.citations ?? [], maxTokens)
  const content = found ? textOf(fitted.citations) : fallback
  const read = [system, ...messages.map(({ content }) => content), ...documents.map(({ text }) => text)]
  return { content, ...fitted, ...worked(read, content) }
}

const textOf = (citations: readonly Citation[]) => citations.map(({ quote }) => quote).join(' ')

/** As many of the quotes as a number of tokens holds; a first one that is too long is cut. */
function fit(citations: readonly Citation[], maxTokens: number): Pick<ChatReply, 'citations' | 'finish_reason'> {
  const fitting: Citation[] = []
  let room = maxTokens * 4
  for (const citation of citations) {
    if (citation.quote.length > room) {
      if (fitting.length === 0) fitting.push(cut(citation, room))
      return { citations: fitting, finish_reason: 'length' }
    }
    fitting.push(citation)
    room -= citation.quote.length + 1
  }
  return { citations: fitting, finish_reason: 'stop' }
}

function cut(citation: Citation, length: number): Citation {
  const quote = citation.quote
    .slice(0, length)
    .toWellFormed()
    .replace(/\ufffd$/, '')
    .trimEnd()
  return { ...citation, quote, end: citation.start + quote.length }
}
