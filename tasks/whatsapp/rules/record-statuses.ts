import type { Db } from '#sql/db.ts'
import type { Message } from '#sql/whatsapp/messages.ts'
import * as statuses from '#sql/whatsapp/statuses.ts'
import { type EmittedEvent, emitMany } from '../../webhooks/rules/emit.ts'

/** Stores reported statuses and sends webhooks for changed statuses. Returns the changed messages. */
export async function recordStatuses(tx: Db, told: readonly statuses.StatusReport[]): Promise<readonly Message[]> {
  const changed = await statuses.record(tx, told)
  await emitMany(tx, changed.flatMap(eventsOf))
  return changed
}

function eventsOf({ id, org_id, phone, status, error, client_reference }: Message): EmittedEvent[] {
  if (status === 'received' || status === 'queued' || status === 'sending') return []
  const why = error && { code: error.code, message: error.message, provider_code: error.provider_code }
  const data = { id, to: phone, status, error: why, client_reference }
  return [{ orgId: org_id, type: `whatsapp.message.${status}`, data }]
}
