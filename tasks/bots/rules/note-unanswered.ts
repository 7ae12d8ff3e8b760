import type { Ending, StartedAnswer } from '#sql/bots/answers.ts'
import * as bots from '#sql/bots/bots.ts'
import type { Conversation } from '#sql/bots/conversations.ts'
import * as messages from '#sql/bots/messages.ts'
import * as unanswered from '#sql/bots/unanswered.ts'
import type { Db } from '#sql/db.ts'
import { enqueue } from '../../queue/enqueue.ts'
import { groupQuestions } from '../group-questions.ts'
import { getFingerprint } from './fingerprint.ts'
import { handOver } from './hand-over.ts'

/** True if an answer is the bot's fallback or only cites passages that may help. A withheld answer does not count. */
export const isUnanswered = ({ content, citations, finish_reason, answered }: Ending, fallback: string): boolean => {
  if (finish_reason === 'content_filter') return false
  return answered === false || (citations.length === 0 && content.trim() === fallback.trim())
}

/**
 * Stores an unanswered question. After the second consecutive unanswered question, starts a handover. The caller must
 * hold the lock of the conversation.
 */
export async function recordUnanswered(
  tx: Db,
  begun: StartedAnswer,
  fallback: string,
  conversation: Conversation | null,
): Promise<void> {
  const { bot_id, org_id, conversation_id, question } = begun
  const fingerprint = getFingerprint(question)
  const isNew =
    fingerprint !== undefined && (await unanswered.countQuestion(tx, { bot_id, org_id, fingerprint, question }))
  if (isNew)
    await enqueue(tx, groupQuestions, { botId: bot_id, orgId: org_id }, { key: `group:${bot_id}`, orgId: org_id })
  if (!conversation || conversation.closed_at) return
  if (!(await bots.handsOver(tx, bot_id)) || !(await messages.wasPreviousAnswerFallback(tx, begun, fallback))) return
  await handOver(tx, { conversation_id, org_id, bot_id, reason: 'unanswered', last_message: question })
}
