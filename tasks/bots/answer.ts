import { z } from 'zod'
import { Later, Permanent, Rejected } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as answers from '#sql/bots/answers.ts'
import type { AnswerError } from '#sql/bots/messages.ts'
import { type ChatRequest, type LanguageEngine, LanguageEngineError } from '../ai/language-engine.ts'
import { task } from '../queue/task.ts'
import { createChunkWriter } from './chunk-writer.ts'
import { prepareChat } from './prepare-chat.ts'
import { createPromptGuard } from './prompt-guard.ts'

/** Milliseconds until an answer is tried again that waits for an earlier one of its conversation. */
const waitMs = 300

const attempts = 3

/**
 * Answers one message of a conversation. However often it runs, one answer is kept: only the attempt that has begun it last may
 * end it (`generation`), and an answer that has ended is not begun again.
 */
export const answer = task({
  name: 'bots/answer',
  pool: 'llm',
  payload: z.object({ messageId: Id }),
  attempts,
  timeout: 2 * 60_000,
  async run({ messageId }, { db, llm, log, signal, attempt }) {
    const begun = await answers.begin(db, messageId)
    if (begun === null) return
    if (begun === 'waits') throw new Later(waitMs, 'an earlier answer of the conversation is pending')
    const request = await prepareChat(db, begun)
    const leaks = createPromptGuard(request.system)
    const writer = begun.streamed ? createChunkWriter(db, begun, leaks, log) : undefined
    try {
      const reply = await replyTo(request, llm, signal, writer?.add)
      await writer?.stop()
      const told = leaks(reply.content) ? withheld(reply, request.fallback) : reply
      const isOurs = await answers.complete(db, begun, told)
      if (!isOurs) log.info({ message_id: messageId }, 'another attempt has the answer')
    } catch (error) {
      await writer?.stop()
      throw error instanceof LanguageEngineError ? failureOf(error, attempt) : error
    }
  },
  async giveUp({ messageId }, error, { db }) {
    await answers.fail(db, messageId, reasonOf(error))
  },
  async revive({ messageId }, { db }) {
    if ((await answers.retry(db, messageId, false)) === null)
      throw new Permanent('The answer is there, or pending already.')
  },
})

const withheld = (reply: answers.Ending, fallback: string): answers.Ending => ({
  ...reply,
  content: fallback,
  citations: [],
  finish_reason: 'content_filter',
})

/** What the engine replies, as Postgres takes it; a model that refuses says what the bot says where it knows nothing. */
async function replyTo(
  request: ChatRequest,
  llm: LanguageEngine,
  signal: AbortSignal,
  tell: ((text: string) => void) | undefined,
): Promise<answers.Ending> {
  try {
    const reply = await llm.chat(request, signal, tell)
    return { ...reply, content: reply.content.replaceAll('\0', '').toWellFormed() }
  } catch (error) {
    if (!(error instanceof LanguageEngineError) || error.code !== 'content_refused') throw error
    const nothing = { engine: 'upstream', model: null, usage: null } as const
    return { ...nothing, citations: [], content: request.fallback, finish_reason: 'content_filter' }
  }
}

/** What an engine's failure means for the job. */
function failureOf(error: LanguageEngineError, attempt: number): Error {
  if (error.code === 'input_too_long') return new Rejected(error.message, { cause: error })
  return error.retryable && attempt < attempts ? error : new Permanent(error.message, { cause: error })
}

function reasonOf(error: Error): AnswerError {
  const cause = error instanceof LanguageEngineError ? error : error.cause
  if (cause instanceof LanguageEngineError) {
    return { code: cause.code, upstream_status: cause.upstreamStatus, retryable: cause.retryable }
  }
  return { code: 'upstream_error', upstream_status: null, retryable: true }
}
