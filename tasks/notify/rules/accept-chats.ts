import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as messages from '#sql/notify/chat-messages.ts'
import * as connections from '#sql/notify/connections.ts'
import * as copies from '#sql/notify/copies.ts'
import { keepTestMessages } from '../../account/rules/test-messages.ts'
import { enqueueMany } from '../../queue/enqueue.ts'
import { postChat } from '../post-chat.ts'
import type { SendableCopy } from './accept-mails.ts'

/** Queues copies for chat services and URLs and records the result of each, in the caller's transaction. */
export async function acceptChats(tx: Db, waiting: readonly copies.WaitingCopy[]): Promise<void> {
  await copies.endMany(tx, await submitChats(tx, waiting))
}

/**
 * Queues copies for chat services and URLs. The copies are either all from events of live keys or all from events of
 * test keys. Returns the results in order.
 */
export async function submitChats(tx: Db, waiting: readonly SendableCopy[]): Promise<copies.EndedCopy[]> {
  if (waiting.length === 0) return []
  if (waiting.every(({ sandbox = false }) => sandbox)) return await keepTests(tx, waiting)
  const known = await connections.findMany(
    tx,
    waiting.map(({ recipient }) => recipient),
  )
  const made: messages.NewChatMessage[] = []
  const ended = waiting.map((copy): copies.EndedCopy => {
    const { event_id, channel } = copy
    const connection = known.get(copy.recipient)
    if (connection?.org_id !== copy.org_id || connection.state !== 'active')
      return { event_id, channel, status: 'refused', ...disabled, message_id: null }
    const id = newId()
    made.push(messageOf(id, copy))
    return { event_id, channel, status: 'accepted', reason: null, detail: null, message_id: id }
  })
  await messages.insertMany(tx, made)
  await enqueueMany(
    tx,
    postChat,
    made.map(({ id }) => ({ messageId: id })),
    (i) => ({ orgId: made[i]?.org_id ?? '' }),
  )
  return ended
}

const disabled = { reason: 'no_connection', detail: 'The connection was deleted or disabled.' }

function messageOf(id: string, copy: SendableCopy): messages.NewChatMessage {
  const { org_id, key_id, event_id, subject, user_id, product_key, type, title, body, url, data } = copy
  const facts = { org_id, key_id, event_id, product_key, type, title, body, url, data }
  return { id, connection_id: copy.recipient, user_id: subject ?? user_id, ...facts }
}

async function keepTests(tx: Db, waiting: readonly SendableCopy[]): Promise<copies.EndedCopy[]> {
  const ids = waiting.map(() => newId())
  await keepTestMessages(
    tx,
    waiting.map(({ org_id: orgId, key_id: keyId, channel, title, body, url, data }, i) => {
      const [id, content] = [ids[i] as string, { channel, title, body, url, data }]
      return { id, orgId, keyId, channel: 'chat' as const, recipient: channel, title, content, record: null }
    }),
  )
  return waiting.map(({ event_id, channel }, i) => ({
    ...{ event_id, channel, status: 'accepted', reason: null, detail: null },
    message_id: ids[i] as string,
  }))
}
