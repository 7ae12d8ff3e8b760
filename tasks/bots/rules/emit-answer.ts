import type { Ending } from '#sql/bots/answers.ts'
import type { AnswerError, Message } from '#sql/bots/messages.ts'
import type { Db } from '#sql/db.ts'
import { emit } from '../../webhooks/rules/emit.ts'

type Answered = Pick<Message, 'id' | 'org_id' | 'bot_id' | 'conversation_id'>

const facts = ({ id, bot_id, conversation_id }: Answered) => ({ message_id: id, bot_id, conversation_id })

export const emitCompleted = (tx: Db, message: Answered, { finish_reason, model }: Ending): Promise<void> =>
  emit(tx, message.org_id, 'bots.answer.completed', { ...facts(message), finish_reason, model })

export const emitFailed = (tx: Db, message: Answered, { code, retryable }: AnswerError): Promise<void> =>
  emit(tx, message.org_id, 'bots.answer.failed', { ...facts(message), code, retryable })
