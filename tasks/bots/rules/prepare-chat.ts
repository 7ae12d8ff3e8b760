import { config } from '#lib/config.ts'
import type { Offer } from '#sql/bots/actions.ts'
import type { StartedAnswer } from '#sql/bots/answers.ts'
import * as bots from '#sql/bots/bots.ts'
import * as messages from '#sql/bots/messages.ts'
import * as passages from '#sql/bots/passages.ts'
import * as versions from '#sql/bots/versions.ts'
import type { Embedded } from '#sql/knowledge/vectors.ts'
import type { ChatMessage, ChatRequest } from '../../ai/engine.ts'
import type { CallMeans } from './action-request.ts'
import { createChatActions } from './call-action.ts'
import { type Excerpts, joinPassages } from './excerpts.ts'
import { fill } from './fill.ts'
import { isFollowUp } from './follow-up.ts'
import { getUnsureText } from './unsure.ts'

const mostMade = 50

const mostMessages = 100

export interface PreparedChat extends ChatRequest {
  inDocuments: Excerpts['inDocuments']
}

/**
 * Prepares the request for the engine: the conversation's version of the bot, its messages, and matching passages by
 * words and by vector.
 */
export async function prepareChat(
  begun: StartedAnswer,
  embedded: Embedded | undefined,
  offers: readonly Offer[],
  means: CallMeans,
): Promise<PreparedChat> {
  const { db } = means
  const version = await versions.find(db, begun.bot_id, begun.bot_version)
  const before = await messages.listBefore(db, begun, mostMessages)
  // The task that creates passages may not have run yet.
  await passages.createMissing(db, mostMade, begun.bot_id)
  const found = await passages.findForQuestion(db, begun.bot_id, {
    question: begun.question,
    previous: isFollowUp(begun.question) ? before.find(({ role }) => role === 'user')?.content : undefined,
    characters: config.BOTS_DOCUMENT_CHARACTERS,
    embedded,
  })
  const question: ChatMessage = { role: 'user', content: begun.question }
  return {
    system: fill(version.system_prompt, version, begun.variables),
    messages: [...lastThatFit(before, config.BOTS_HISTORY_CHARACTERS), question],
    ...joinPassages(found),
    fallback: version.fallback,
    unsure: getUnsureText(await bots.listLanguages(db, begun.bot_id)),
    actions: createChatActions(begun, offers, means),
    maxTokens: version.max_tokens,
    ...(version.temperature !== null && { temperature: version.temperature }),
  }
}

/** Returns the newest messages with up to this many characters, oldest first, starting with a question. */
function lastThatFit(newestFirst: readonly ChatMessage[], characters: number): ChatMessage[] {
  const taken: ChatMessage[] = []
  let left = characters
  for (const message of newestFirst) {
    left -= message.content.length
    if (left < 0) break
    taken.unshift(message)
  }
  if (taken[0]?.role === 'assistant') taken.shift()
  return taken
}
