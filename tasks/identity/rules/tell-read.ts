import type { Db } from '#sql/db.ts'
import type * as readings from '#sql/identity/readings.ts'
import { emit } from '../../webhooks/rules/emit.ts'
import { summariseReading } from './document-told.ts'

/**
 * Sends an event about a reading with its result, but without its data. The event is sent once, when the reading has
 * ended and the image was submitted, in any order. Both steps write the row of the reading, so the later step sees the
 * earlier step.
 */
export async function emitDocumentRead(tx: Db, reading: readings.Reading): Promise<void> {
  const { id, org_id, object_id, subject, status } = reading
  if (subject === null || status === 'waiting') return
  const told = await summariseReading(tx, reading, subject)
  await emit(tx, org_id, 'identity.document.read', { id, object_id, subject, ...told })
}
