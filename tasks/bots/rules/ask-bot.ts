import { newId } from '#lib/ids.ts'
import type { Bot } from '#sql/bots/bots.ts'
import * as conversations from '#sql/bots/conversations.ts'
import * as handovers from '#sql/bots/handovers.ts'
import * as messages from '#sql/bots/messages.ts'
import type { Db } from '#sql/db.ts'
import { enqueue } from '../../queue/enqueue.ts'
import { answer } from '../answer.ts'
import { asksForPerson } from './asks-for-person.ts'
import { handOver } from './hand-over.ts'

/** Maximum number of pending answers of a conversation. */
export const mostPending = 10

type Place = Pick<messages.Message, 'org_id' | 'bot_id' | 'conversation_id'>

/**
 * Leaves a message to a person and releases the number of its answer. Returns `handled` if a person handles the
 * conversation, and `asked` if the message requests a person. Otherwise returns `null`, and the bot answers.
 */
export async function findPerson(
  tx: Db,
  bot: Pick<Bot, 'handover'>,
  place: Place,
  message: string,
): Promise<'handled' | 'asked' | null> {
  const { org_id, conversation_id } = place
  if (await handovers.find(tx, org_id, conversation_id)) {
    await handovers.updateLastMessage(tx, conversation_id, message, true)
    await conversations.releaseAnswerSeq(tx, conversation_id)
    return 'handled'
  }
  if (!bot.handover || !asksForPerson(message)) return null
  await conversations.releaseAnswerSeq(tx, conversation_id)
  await handOver(tx, { ...place, reason: 'asked', last_message: message })
  return 'asked'
}

/**
 * Adds the pending answer to the last question and the job that writes the answer. `keyId` is the key whose limits count it.
 * Returns the ID of the answer.
 */
export async function queueAnswer(
  tx: Db,
  { id: conversation_id, org_id, bot_id, last_seq: seq }: conversations.Conversation,
  { streamed = false, keyId }: { streamed?: boolean; keyId?: string | undefined } = {},
): Promise<string> {
  const answerId = newId()
  await messages.insertAnswer(tx, { id: answerId, org_id, bot_id, conversation_id, seq, streamed })
  await enqueue(tx, answer, { messageId: answerId, try: 1, keyId }, { orgId: org_id })
  return answerId
}
