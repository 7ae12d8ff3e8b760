import { newId } from '#lib/ids.ts'
import * as assignments from '#sql/bots/assignments.ts'
import type { Conversation } from '#sql/bots/conversations.ts'
import * as rows from '#sql/bots/ratings.ts'
import type { Db } from '#sql/db.ts'
import { emit } from '../../webhooks/rules/emit.ts'

/** Time in hours during which a rating can be changed. */
export const changeHours = 24

export const isChangeable = ({ created_at }: Pick<rows.Rating, 'created_at'>): boolean =>
  Date.now() - created_at.getTime() <= changeHours * 3_600_000

export type Rated = { rating: rows.Rating } | { refused: 'not_ended' | 'final' }

/**
 * Stores the rating of a conversation, or changes it within a day. Repeating a rating changes nothing. The caller must
 * hold the lock of the conversation.
 */
export async function rateConversation(
  tx: Db,
  conversation: Conversation,
  given: Pick<rows.Rating, 'score' | 'comment'>,
): Promise<Rated> {
  const { id: conversation_id, org_id, bot_id, rateable_at } = conversation
  const before = await rows.find(tx, org_id, conversation_id)
  if (!before && rateable_at === null) return { refused: 'not_ended' }
  if (before && before.score === given.score && before.comment === given.comment) return { rating: before }
  if (before && !isChangeable(before)) return { refused: 'final' }
  const rating = before
    ? await rows.update(tx, conversation_id, given)
    : await rows.insert(tx, {
        ...{ id: newId(), conversation_id, org_id, bot_id },
        ...{ ...given, assignee_id: await assignments.findLast(tx, conversation_id) },
      })
  const { score, comment, assignee_id } = rating
  const facts = { bot_id, conversation_id, score, assignee_id, commented: comment !== null, changed: before !== null }
  await emit(tx, org_id, 'bots.conversation.rated', facts)
  return { rating }
}
