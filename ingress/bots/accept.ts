import { badRequest, conflict, type Fault } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import * as bots from '#sql/bots/bots.ts'
import * as conversations from '#sql/bots/conversations.ts'
import * as messages from '#sql/bots/messages.ts'
import * as versions from '#sql/bots/versions.ts'
import type { Db } from '#sql/db.ts'
import { requireKeyUse } from '#tasks/ai/rules/require-key-use.ts'
import { requireTokens } from '#tasks/ai/rules/token-budget.ts'
import { findPerson, mostPending, queueAnswer } from '#tasks/bots/rules/ask-bot.ts'
import { findMissingValues } from '#tasks/bots/rules/fill.ts'
import { mustFind } from '../http/must-find.ts'

export interface MessageRequest {
  message: string
  conversation_id?: string | undefined
  /** ID of the user. `null` for a visitor, who can continue only conversations without a user. */
  user_id?: string | null | undefined
  variables?: Record<string, string> | undefined
  metadata?: Record<string, string> | undefined
  stream: boolean
  /** Language of a visitor. It is stored with the first message. */
  language?: string | undefined
}

export interface AcceptedMessage {
  conversation_id: string
  /** ID of the answer. If a person answers, this is the ID of the message itself. */
  answer_id: string
}

/** Stores a message, its pending answer and the job that writes the answer. Runs in the caller's transaction. */
export async function acceptMessage(
  tx: Db,
  orgId: string,
  botId: string,
  said: MessageRequest,
  keyId?: string,
): Promise<AcceptedMessage> {
  const bot = await mustFind(bots.findVisible(tx, orgId, botId), 'bot')
  const conversation = await (said.conversation_id === undefined
    ? begin(tx, orgId, bot, said)
    : goOn(tx, orgId, bot, said.conversation_id, said))
  const place = { org_id: orgId, bot_id: botId, conversation_id: conversation.id }
  const questionId = newId()
  const question = { ...place, id: questionId, seq: conversation.last_seq - 1 }
  await messages.insertQuestion(tx, { ...question, content: said.message, metadata: said.metadata ?? null })
  if (await findPerson(tx, bot, place, said.message)) {
    return { conversation_id: conversation.id, answer_id: questionId }
  }
  await requireTokens(tx, orgId)
  if (keyId !== undefined) await requireKeyUse(tx, keyId, 'chat')
  const answerId = await queueAnswer(tx, conversation, { streamed: said.stream, keyId })
  return { conversation_id: conversation.id, answer_id: answerId }
}

async function begin(tx: Db, orgId: string, bot: bots.Bot, { user_id, variables = {}, language }: MessageRequest) {
  const version = await versions.find(tx, bot.id, bot.version)
  const faults: Fault[] = []
  for (const name of Object.keys(variables)) {
    const issue = faultOf(version, name)
    if (issue) faults.push({ field: `body.variables.${name}`, issue })
  }
  faults.push(...findMissingValues(version, variables))
  if (faults.length > 0) throw badRequest(faults)
  const person = { org_id: orgId, user_id: user_id ?? null, language: language ?? null }
  const conversation = { ...person, id: newId(), bot_id: bot.id, bot_version: version.version, variables }
  return await conversations.insert(tx, conversation)
}

function faultOf({ variables, variable_values }: versions.Version, name: string): string | undefined {
  if (!variables.some(({ key }) => key === name)) return 'must be a variable of the bot'
  return variable_values[name] === undefined ? undefined : 'cannot be set: the bot’s owner has set it'
}

async function goOn(tx: Db, orgId: string, bot: bots.Bot, id: string, { user_id, variables }: MessageRequest) {
  const named = { orgId, botId: bot.id, id, userId: user_id }
  const conversation = await mustFind(conversations.reserveQuestionAndAnswer(tx, named), 'conversation')
  if (conversation.closed_at) throw conflict('The conversation is closed. Start a new one.')
  if (conversation.channel_id) {
    throw conflict('The contact writes to this conversation by its channel. Only a person’s reply can be added.')
  }
  if (variables !== undefined) {
    throw badRequest([{ field: 'body.variables', issue: 'can only be sent with the first message of a conversation' }])
  }
  if ((await messages.countPending(tx, id)) >= mostPending) {
    throw conflict(`This conversation has ${mostPending} pending answers. Wait until one is complete.`)
  }
  return conversation
}
