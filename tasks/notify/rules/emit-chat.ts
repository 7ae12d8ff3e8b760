import type { Db } from '#sql/db.ts'
import type { ChatMessage } from '#sql/notify/chat-messages.ts'
import type { Facts } from '#sql/notify/connections.ts'
import { emitMany } from '../../webhooks/rules/emit.ts'

export async function emitConnection(tx: Db, what: 'verified' | 'disabled', connection: Facts): Promise<void> {
  const { id, org_id, kind, name, host, reason } = connection
  await emitMany(tx, [{ orgId: org_id, type: `notify.connection.${what}`, data: { id, kind, name, host, reason } }])
}

export async function emitEnded(tx: Db, message: ChatMessage): Promise<void> {
  const { id, org_id, connection_id, event_id, user_id, status, error } = message
  if (status === 'queued' || status === 'sending') return
  await emitMany(tx, [
    { orgId: org_id, type: `notify.chat.${status}`, data: { id, connection_id, event_id, user_id, status, error } },
  ])
}
