import { z } from 'zod'
import { Later } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as closures from '#sql/account/closures.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as messages from '#sql/notify/chat-messages.ts'
import * as connections from '#sql/notify/connections.ts'
import { filterEntitled } from '../account/rules/entitled-keys.ts'
import { task } from '../queue/task.ts'
import { isLocalOrg, selectOutbound } from '../webhooks/rules/endpoint-url.ts'
import { emitConnection, emitEnded } from './rules/emit-chat.ts'
import { type PostResult, postChatMessage } from './rules/post-chat-message.ts'

/** Maximum number of requests for one message. Up to 2 hours with the delays. */
const maxTries = 12

/** Delay before a repeated request, in seconds, by the number of past requests. */
const delayOf = (tries: number): number => Math.min(5 * 2 ** (tries - 1), 1_800)

/**
 * Posts a message to a chat service or a URL. A chat service has no idempotency key, so a message without a response
 * is not repeated. A URL receives the same `webhook-id` again, so its message is repeated.
 */
export const postChat = task({
  name: 'notify/post-chat',
  pool: 'webhooks',
  payload: z.object({ messageId: Id }),
  timeout: 30_000,
  async run({ messageId }, { db, outbound: usual, local, seal, signal }) {
    const stored = await messages.findAny(db, messageId)
    if (!stored || (stored.status !== 'queued' && stored.status !== 'sending')) return
    const connection = await connections.findAny(db, stored.connection_id)
    if (!connection) return
    if (stored.status === 'sending') {
      if (connection.kind !== 'url') return await finish(db, messageId, 'unknown', lostAnswer)
      await messages.requeue(db, messageId)
    }
    const refusal = await findRefusal(db, stored, connection)
    if (refusal) return await finish(db, messageId, 'failed', refusal)
    const waitMs = (connection.paused_until?.getTime() ?? 0) - Date.now()
    if (waitMs > 0) throw new Later(waitMs)
    const message = await messages.begin(db, messageId)
    if (!message) return
    const means = { seal, outbound: await selectOutbound(message.org_id, { db, outbound: usual, local }), signal }
    const isLocal = local !== undefined && (await isLocalOrg(db, message.org_id))
    const result = await postChatMessage(connection, message, { ...means, isLocal })
    await settle(db, message, connection, result)
  },
  async giveUp({ messageId }, _, { db }) {
    await finish(db, messageId, 'failed', { code: 'given_up', message: 'All attempts failed.', http_status: null })
  },
})

const lostAnswer: messages.ChatError = {
  code: 'no_response',
  message: 'The worker stopped before the response arrived.',
  http_status: null,
}

/** Returns why a message is no longer allowed. The key, the connection and the organisation may have changed. */
async function findRefusal(
  db: DatabasePool,
  { org_id, key_id }: messages.ChatMessage,
  { state }: connections.Connection,
): Promise<messages.ChatError | undefined> {
  const refuse = (code: string, message: string) => ({ code, message, http_status: null })
  if (await closures.isClosing(db, org_id)) return refuse('organisation_closed', 'The organisation is closed.')
  if (key_id !== null && !(await filterEntitled(db, [key_id], 'notify:write')).has(key_id))
    return refuse(
      'key_revoked',
      'The API key was revoked, or lost the scope `notify:write`, before the message was sent.',
    )
  if (state !== 'active') return refuse('connection_disabled', 'The connection is not active.')
  return undefined
}

async function settle(
  db: DatabasePool,
  { id, tries }: messages.ChatMessage,
  connection: connections.Connection,
  result: PostResult,
): Promise<void> {
  if (result.outcome === 'sent') return await finish(db, id, 'sent', null)
  const { error } = result
  if (result.outcome === 'gone') {
    await db.transaction(async (tx) => {
      const disabled = await connections.disable(tx, connection, `The server returned ${error.http_status}.`)
      if (disabled) await emitConnection(tx, 'disabled', disabled)
    })
    return await finish(db, id, 'failed', error)
  }
  if (result.outcome === 'refused') return await finish(db, id, 'failed', error)
  if (result.outcome === 'unknown' && connection.kind !== 'url') return await finish(db, id, 'unknown', error)
  if (tries >= maxTries) return await finish(db, id, result.outcome === 'unknown' ? 'unknown' : 'failed', error)
  const asked = result.outcome === 'later' ? result.retryAfter : null
  if (result.outcome === 'later' && result.isPaused) await connections.pause(db, connection.id, asked ?? 1)
  await messages.requeue(db, id)
  throw new Later(Math.max(asked ?? 0, delayOf(tries)) * 1_000)
}

async function finish(
  db: DatabasePool,
  id: string,
  status: 'sent' | 'unknown' | 'failed',
  error: messages.ChatError | null,
): Promise<void> {
  await db.transaction(async (tx) => {
    const ended = await messages.end(tx, id, { status, error })
    if (ended) await emitEnded(tx, ended)
  })
}
