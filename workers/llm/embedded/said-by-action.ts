import { toStorableText } from '#lib/outside-text.ts'
import type { ChatReply, ChatRequest } from '#tasks/ai/engine.ts'
import type { ChatActions } from '#tasks/ai/rules/chat-actions.ts'
import { isTriggered } from '#tasks/bots/rules/triggered.ts'
import { getEngineResult } from './worked.ts'

const charactersPerToken = 4

/**
 * Returns the answer of a triggered action without arguments: its text, or the member `text` of its JSON. Returns
 * `null` if there is no such action or no text.
 */
export async function getActionAnswer(
  { messages, maxTokens }: Omit<ChatRequest, 'actions'>,
  { definitions, call }: ChatActions,
): Promise<ChatReply | null> {
  const question = messages.at(-1)?.content ?? ''
  const asked = definitions.find((definition) => isTriggered(definition, question))
  if (!asked) return null
  const answer = await call(asked.name, {})
  const text = 'text' in answer ? textOf(answer.text).trim() : ''
  if (text === '') return null
  const content = toStorableText(text, maxTokens * charactersPerToken)
  const finish_reason = content.length < text.length ? 'length' : 'stop'
  return { content, citations: [], finish_reason, ...getEngineResult([question], content) }
}

function textOf(answer: string): string {
  try {
    const { text } = Object(JSON.parse(answer))
    return typeof text === 'string' ? text : ''
  } catch {
    return answer
  }
}
