import { listTerms } from '#lib/terms.ts'
import type { Answer, AnswerRequest, ChatReply, ChatRequest, Citation, SourceDocument } from '#tasks/ai/engine.ts'
import { isFollowUp } from '#tasks/bots/rules/follow-up.ts'
import { type Decision, decide } from './decide.ts'
import { getEngineResult } from './worked.ts'

/**
 * Minimum shares of a question's terms. For example, "Madrid is the capital of Spain" contains only half of the terms.
 * The question was about the capital of France. In a conversation, the closest match counts if meaning was not
 * compared.
 */
const shares = {
  answer: { answers: 0.6, strong: 0.6, helps: 0.34, checksTerms: true },
  chat: { answers: 0.34, strong: 0.6, helps: 0.34, checksTerms: false },
}

export function answer({ question, documents, near, maxTokens }: AnswerRequest): Answer {
  const found = decide(question, documents, near, shares.answer)
  const fitted = fitCitations(found?.answered ? found.citations : [], maxTokens)
  const answer = textOf(fitted.citations)
  return {
    answer,
    answered: found?.answered ?? false,
    confidence: found?.answered ? (found.coverage ?? found.score) : null,
    score: found?.score ?? null,
    method: near === undefined ? 'words' : 'meaning',
    ...fitted,
    suggestions: found && !found.answered ? found.citations : [],
    ...getEngineResult([question, ...documents.map(({ text }) => text)], answer, near !== undefined),
  }
}

/**
 * Answers the last message with sentences of the documents, or cites passages that may help. If the message refers to
 * the message before, both are searched.
 */
export function chat({ system, messages, documents, near, fallback, unsure, maxTokens }: ChatRequest): ChatReply {
  const asked = messages.filter(({ role }) => role === 'user').map(({ content }) => content)
  const question = asked.at(-1) ?? ''
  const direct = decide(question, documents, near, shares.chat)
  const found = direct?.answered ? direct : (findFollowedUp(asked, documents) ?? direct)
  const read = [system, ...messages.map(({ content }) => content), ...documents.map(({ text }) => text)]
  const fitted = fitCitations(found?.citations ?? [], maxTokens)
  const isUnsure = found !== null && !found.answered && unsure !== undefined
  const content = found ? `${isUnsure ? `${unsure}\n\n` : ''}${quotesIn(fitted.citations, isUnsure)}` : fallback
  return {
    content,
    ...fitted,
    answered: found?.answered ?? false,
    score: found?.score ?? null,
    ...getEngineResult(read, content, near !== undefined),
  }
}

/**
 * Searches for a message together with the message before, if it cannot stand alone. Each word of its own must occur in
 * the same source as the answer, so that a new topic is not answered from the topic before.
 */
function findFollowedUp(asked: readonly string[], documents: readonly SourceDocument[]): Decision | null {
  const [question = '', before] = asked.toReversed()
  if (before === undefined || !isFollowUp(question)) return null
  const found = decide(`${question}\n${before}`, documents, undefined, shares.chat)
  const [citation] = found?.citations ?? []
  const source = documents.find(({ id }) => id === citation?.document_id)
  const terms = new Set(listTerms(`${source?.title ?? ''}\n${source?.text ?? ''}`))
  return listTerms(question).every((term) => terms.has(term)) ? found : null
}

const quotesIn = (citations: readonly Citation[], isList: boolean): string =>
  isList ? citations.map(({ quote }) => `• ${quote}`).join('\n') : textOf(citations)

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
