import type { Db } from '#sql/db.ts'
import type { Broadcast } from '#sql/notify/broadcasts.ts'
import { emit } from '../../webhooks/rules/emit.ts'

/** Sends `notify.broadcast.completed`, or `notify.broadcast.stopped` if not all people were processed. */
export async function emitEndedBroadcast(tx: Db, broadcast: Broadcast): Promise<void> {
  const { org_id, id, audience, topic, product_key, type, status, reason, total, told, refused, failed } = broadcast
  await emit(tx, org_id, `notify.broadcast.${status === 'completed' ? 'completed' : 'stopped'}`, {
    ...{ id, audience, topic, product_key, type, status, reason, total, told, refused, failed },
    ...(broadcast.sandbox && { sandbox: true as const }),
  })
}
