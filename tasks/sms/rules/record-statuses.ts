import type { Db } from '#sql/db.ts'
import type { Message } from '#sql/sms/messages.ts'
import * as statuses from '#sql/sms/statuses.ts'
import { type EmittedEvent, emitMany } from '../../webhooks/rules/emit.ts'

/** Stores reported statuses and sends webhooks for changed statuses. Returns the changed messages. */
export async function recordStatuses(tx: Db, told: readonly statuses.StatusReport[]): Promise<readonly Message[]> {
  const changed = await statuses.record(tx, told)
  await emitMany(tx, changed.flatMap(eventsOf))
  return changed
}

function eventsOf({ id, org_id, phone, sender, segments, status, error, client_reference }: Message): EmittedEvent[] {
  if (status === 'received' || status === 'queued' || status === 'sending') return []
  const why = error && { code: error.code, message: error.message, provider_code: error.provider_code }
  const data = { id, to: phone, from: sender, status, segments, error: why, client_reference }
  return [{ orgId: org_id, type: `sms.message.${status}`, data }]
}
