import type { Ending } from '#sql/bots/answers.ts'
import type { AnswerError, Message } from '#sql/bots/messages.ts'
import type { Db } from '#sql/db.ts'
import { emit } from '../../webhooks/rules/emit.ts'

type Answered = Pick<Message, 'id' | 'org_id' | 'bot_id' | 'conversation_id'>

const facts = ({ id, bot_id, conversation_id }: Answered) => ({ message_id: id, bot_id, conversation_id })

/** Tells webhooks that a bot has answered, without what was said. */
export const emitCompleted = (tx: Db, message: Answered, { finish_reason, model }: Ending): Promise<void> =>
  emit(tx, message.org_id, 'bots.answer.completed', { ...facts(message), finish_reason, model })

/** Tells webhooks that a bot has no answer, and why. */
export const emitFailed = (tx: Db, message: Answered, { code, retryable }: AnswerError): Promise<void> =>
  emit(tx, message.org_id, 'bots.answer.failed', { ...facts(message), code, retryable })
