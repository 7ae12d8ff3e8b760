import type { Answer, AnswerRequest, ChatReply, ChatRequest, Citation } from '#tasks/ai/language-engine.ts'
import { findPassages } from './passages.ts'
import { worked } from './worked.ts'

/** Answers with the sentences of the documents that fit the question best. */
export function answer({ question, documents, maxTokens }: AnswerRequest): Answer {
  const found = findPassages(question, documents)
  const fitted = fit(found?.citations ?? [], maxTokens)
  const answer = textOf(fitted.citations)
  return {
    ...{ answer, answered: found !== null, confidence: found?.coverage ?? null },
    ...fitted,
    ...worked([question, ...documents.map(({ text }) => text)], answer),
  }
}

/** Answers the last message with sentences of the documents; one that asks for nothing found there is read with the one before it. */
export function chat({ system, messages, documents, fallback, maxTokens }: ChatRequest): ChatReply {
  const asked = messages.filter(({ role }) => role === 'user').map(({ content }) => content)
  const found = findPassages(asked.at(-1) ?? '', documents) ?? findPassages(asked.slice(-2).join('\n'), documents)
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
