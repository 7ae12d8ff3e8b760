import type { Answer, AnswerRequest, ChatReply, ChatRequest, Citation } from '#tasks/ai/engine.ts'
import { findUnansweredTerm } from '../evidence/borne-out.ts'
import { findPassages } from './passages.ts'
import { getEngineResult } from './worked.ts'

/**
 * Minimum share of a question's terms that a sentence must contain to answer it. For example, "Madrid is the capital of
 * Spain" contains only half of the terms. The question was about the capital of France.
 */
const answering = 0.6
/** Minimum share of terms for the closest match in a conversation. */
const near = 0.34

export function answer({ question, documents, maxTokens }: AnswerRequest): Answer {
  const answers = (citation: Citation) => findUnansweredTerm(question, [citation]) === undefined
  const found = findPassages(question, documents, { floor: answering, answers })
  const fitted = fitCitations(found?.citations ?? [], maxTokens)
  const answer = textOf(fitted.citations)
  return {
    answer,
    answered: found !== null,
    confidence: found?.coverage ?? null,
    ...fitted,
    ...getEngineResult([question, ...documents.map(({ text }) => text)], answer),
  }
}

/**
 * Answers the last message with sentences of the documents. If nothing matches, adds the previous message to the
 * search.
 */
export function chat({ system, messages, documents, fallback, maxTokens }: ChatRequest): ChatReply {
  const asked = messages.filter(({ role }) => role === 'user').map(({ content }) => content)
  const found =
    findPassages(asked.at(-1) ?? '', documents, { floor: near }) ??
    findPassages(asked.slice(-2).join('\n'), documents, { floor: near })
  const fitted = fitCitations(found?.citations ?? [], maxTokens)
  const content = found ? textOf(fitted.citations) : fallback
  const read = [system, ...messages.map(({ content }) => content), ...documents.map(({ text }) => text)]
  return { content, ...fitted, ...getEngineResult(read, content) }
}

const textOf = (citations: readonly Citation[]) => citations.map(({ quote }) => quote).join(' ')

/** Returns as many quotes as fit in the token limit. Shortens the first quote if it is too long. */
function fitCitations(
  citations: readonly Citation[],
  maxTokens: number,
): Pick<ChatReply, 'citations' | 'finish_reason'> {
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
