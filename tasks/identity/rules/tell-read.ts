import type { Db } from '#sql/db.ts'
import type * as readings from '#sql/identity/readings.ts'
import { emit } from '../../webhooks/rules/emit.ts'
import { documentTold } from './document-told.ts'

/**
 * Tells webhooks of a reading: of the facts, whether they hold, and none of them. Told once it has ended and its picture is handed in,
 * whichever comes last: both write its row, so the later one sees the other.
 */
export async function tellRead(tx: Db, reading: readings.Reading): Promise<void> {
  const { id, org_id, object_id, subject, status } = reading
  if (subject === null || status === 'waiting') return
  const told = await documentTold(tx, reading, subject)
  await emit(tx, org_id, 'identity.document.read', { id, object_id, subject, ...told })
}
