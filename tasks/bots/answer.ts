import { z } from 'zod'
import { Later, Permanent, Rejected } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { toStorableText } from '#lib/outside-text.ts'
import { listCallable, type Offer } from '#sql/bots/actions.ts'
import * as answers from '#sql/bots/answers.ts'
import * as conversations from '#sql/bots/conversations.ts'
import * as messages from '#sql/bots/messages.ts'
import type { Db } from '#sql/db.ts'
import type { ChatReply, LanguageEngine } from '../ai/engine.ts'
import { type Outcome, runCharged } from '../ai/rules/charged.ts'
import { keyProblemCodes } from '../ai/rules/require-key-use.ts'
import { type ChargeMeans, runInSeat } from '../ai/rules/seated.ts'
import { embedQuestion } from '../knowledge/rules/embed-question.ts'
import type { Tools } from '../pools.ts'
import { type Attempt, task } from '../queue/task.ts'
import { sendNotices, sendReply } from './rules/channels/send-reply.ts'
import { createChunkWriter } from './rules/chunk-writer.ts'
import { emitCompleted, emitFailed } from './rules/emit-answer.ts'
import { handOver } from './rules/hand-over.ts'
import { isUnanswered, recordUnanswered } from './rules/note-unanswered.ts'
import { prepareChat } from './rules/prepare-chat.ts'
import { createPromptGuard } from './rules/prompt-guard.ts'
import { isTriggered } from './rules/triggered.ts'

/** Delay in milliseconds until an answer is retried that waits for an earlier answer of its conversation. */
const waitMs = 300

/** Delay in milliseconds until an answer is retried that waits for a free slot for actions. */
const seatMs = 500

type Means = Attempt & Tools['llm']

const attempts = 3

/** Failures that the caller, not the operator, can fix. */
const callerFaults: ReadonlySet<string> = new Set(['input_too_long', 'token_budget_exceeded', ...keyProblemCodes])

/** Passes the reason for a failure to `giveUp`. */
class NoAnswerError extends Error {
  readonly code: messages.AnswerError['code']
  readonly reason: messages.AnswerError

  constructor(reason: messages.AnswerError) {
    super(`The bot could not answer: ${reason.code}.`)
    this.code = reason.code
    this.reason = reason
  }
}

/**
 * Answers one message of a conversation. All attempts together store one answer: only the attempt that started last can
 * end it (`generation`). An answer that has ended, or that another job retries (`try`), is not started.
 */
export const answer = task({
  name: 'bots/answer',
  pool: 'llm',
  payload: z.object({ messageId: Id, try: z.int(), keyId: Id.optional() }),
  attempts,
  timeout: 2 * 60_000,
  async run({ messageId, try: nth, keyId }, tools) {
    const begun = await answers.begin(tools.db, { id: messageId, try: nth })
    if (begun === null) return
    if (begun === 'waits') throw new Later(waitMs, 'an earlier answer of the conversation is pending')
    const offers = await listActionsFor(begun, tools)
    using seat = offers.length > 0 ? tools.actions.take(begun.org_id) : undefined
    if (offers.length > 0 && !seat) throw new Later(seatMs, 'too many answers are waiting for actions')
    await make({ ...begun, keyId }, offers, tools)
  },
  async giveUp({ messageId, try: nth }, error, { db }) {
    const reason = getFailureReason(error)
    await db.transaction(async (tx) => {
      const conversation = await lockConversationOf(tx, messageId)
      const failed = await answers.fail(tx, { id: messageId, try: nth }, reason)
      if (failed) await emitFailed(tx, failed, reason)
      if (failed && conversation) await handOverContact(tx, conversation, reason)
    })
  },
  async revive({ messageId }, { db, enqueue }) {
    const again = await answers.retry(db, messageId, false)
    if (!again) throw new Permanent('The answer already exists or is already being retried.')
    const about = { subject: messageId, orgId: again.org_id }
    await enqueue('bots/answer', { messageId, try: again.try }, about)
  },
})

async function listActionsFor(
  { bot_id, org_id, question }: answers.StartedAnswer,
  { db, llm }: Means,
): Promise<Offer[]> {
  const offers = await listCallable(db, bot_id, org_id)
  return offers.filter((offer) => llm.gateway !== undefined || isTriggered(offer, question))
}

type Begun = answers.StartedAnswer & { keyId: string | undefined }

async function make(begun: Begun, offers: readonly Offer[], tools: Means): Promise<void> {
  const { outcome, request, inDocuments, leaks } = await runInSeat(tools, begun.org_id, (means) =>
    ask(begun, offers, means, tools),
  )
  const ending = toEnding(outcome, request.fallback, tools.attempt)
  const reply = { ...ending, citations: inDocuments(ending.citations) }
  const shown = leaks(reply.content) ? withheld(reply, request.fallback) : reply
  const isOurs = await tools.db.transaction(async (tx) => {
    // The conversation is locked before the answer’s row, in the same order as for a new message, because the answer
    // may start a handover.
    const conversation = await lockOf(tx, begun)
    const isFirst = await answers.complete(tx, begun, shown)
    if (isFirst) await emitCompleted(tx, begun, shown)
    if (isFirst && conversation) await sendReply(tx, conversation, toReply(begun, shown))
    if (isFirst && isUnanswered(shown, request.fallback))
      await recordUnanswered(tx, begun, request.fallback, conversation)
    if (isFirst && conversation) await sendNotices(tx, conversation, begun.seq)
    return isFirst
  })
  if (!isOurs) tools.log.info({ message_id: begun.id }, 'another attempt wrote the answer')
}

const lockOf = (
  tx: Db,
  {
    conversation_id: id,
    org_id: orgId,
    bot_id: botId,
  }: Pick<answers.StartedAnswer, 'conversation_id' | 'org_id' | 'bot_id'>,
) => conversations.lock(tx, { id, orgId, botId, userId: undefined })

const toReply = ({ id, seq }: answers.StartedAnswer, { content }: answers.Ending) => ({
  id,
  seq,
  content,
  author: null,
})

async function lockConversationOf(tx: Db, messageId: string): Promise<conversations.Conversation | null> {
  const message = await messages.findAny(tx, messageId)
  return message && (await lockOf(tx, message))
}

/** Contacts of channels cannot repeat a request, so a person continues after a failed answer. */
async function handOverContact(
  tx: Db,
  conversation: conversations.Conversation,
  reason: messages.AnswerError,
): Promise<void> {
  const { id: conversation_id, org_id, bot_id, channel_id, closed_at } = conversation
  if (channel_id === null || closed_at) return
  const last_message = await messages.lastQuestion(tx, conversation_id)
  const note = `The bot could not answer: ${reason.code}.`
  await handOver(tx, { conversation_id, org_id, bot_id, reason: 'channel', last_message, note })
  await sendNotices(tx, conversation, conversation.last_seq)
}

/** Calls the engine. The question's vector and the answer share one seat. */
async function ask(begun: Begun, offers: readonly Offer[], means: ChargeMeans, { actions, llm: { gateway } }: Means) {
  const { db, log, signal } = means
  const embedded = await embedQuestion(begun.question, begun.org_id, means, { keyId: begun.keyId })
  const { inDocuments, ...request } = await prepareChat(begun, embedded, offers, { db, signal, actions })
  const leaks = createPromptGuard(request.system)
  const writer = begun.streamed ? createChunkWriter(db, begun, leaks, log) : undefined
  const chat = (llm: LanguageEngine, signal: AbortSignal) => llm.chat(request, signal, writer?.add)
  try {
    // An engine without an upstream does not repeat the request with the results of actions.
    const paid = gateway ? request : { ...request, actions: undefined }
    const outcome = await runCharged('chat', begun.org_id, means, chat, paid, { keyId: begun.keyId, subject: begun.id })
    return { outcome, request, inDocuments, leaks }
  } finally {
    await writer?.stop()
  }
}

/** Maps an engine's result to the end of an answer. If a model refuses, the answer is the fallback. */
function toEnding(outcome: Outcome<ChatReply>, fallback: string, attempt: number): answers.Ending {
  if ('answer' in outcome) {
    const { content, answered = null, score = null, ...reply } = outcome.answer
    return { ...reply, answered, score, content: toStorableText(content) }
  }
  const { failure } = outcome
  if (failure.code === 'content_refused') {
    const nothing = { engine: 'upstream', model: null, usage: null, answered: null, score: null } as const
    return { ...nothing, citations: [], content: fallback, finish_reason: 'content_filter' }
  }
  const { code, upstream_status, retryable } = failure
  const cause = new NoAnswerError({ code, upstream_status, retryable })
  if (callerFaults.has(failure.code)) throw new Rejected(cause.message, { cause })
  throw failure.retryable && attempt < attempts ? cause : new Permanent(cause.message, { cause })
}

const withheld = (reply: answers.Ending, fallback: string): answers.Ending => ({
  ...reply,
  content: fallback,
  citations: [],
  finish_reason: 'content_filter',
})

/** Returns the reason for an error or its cause. A reason that was stored with the job has only its code. */
function getFailureReason(error: Error): messages.AnswerError {
  for (const carrier of [error, error.cause]) {
    if (carrier instanceof NoAnswerError) return carrier.reason
    const code = messages.AnswerError.shape.code.safeParse((carrier as { code?: unknown } | undefined)?.code)
    if (code.success) return { code: code.data, upstream_status: null, retryable: false }
  }
  return { code: 'upstream_error', upstream_status: null, retryable: true }
}
