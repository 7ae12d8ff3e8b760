import { hash } from 'node:crypto'
import type { Db } from '#sql/db.ts'
import * as readings from '#sql/identity/readings.ts'
import { emit } from '../../webhooks/rules/emit.ts'
import type { DocumentReading } from '../engine.ts'
import { documentTold } from './document-told.ts'

/** Ends a reading that waits, and tells webhooks of it: of the facts, whether they hold, and none of them. */
export async function endReading(
  tx: Db,
  { org_id, object_id }: readings.Reading,
  found: DocumentReading,
): Promise<void> {
  const result = 'reason' in found ? found : { ...found, numberHash: numberHashOf(org_id, found.facts) }
  const ended = await readings.end(tx, object_id, result)
  if (ended === null) return
  const told = await documentTold(tx, ended, ended.subject ?? '')
  await emit(tx, org_id, 'identity.document.read', { id: ended.id, object_id, subject: ended.subject, ...told })
}

/** What a document is found again by in its organisation; null where its number was not read for sure. */
function numberHashOf(orgId: string, { issuing_state, document_number, kind }: readings.DocumentFacts): string | null {
  if (document_number === '') return null
  return hash('sha256', JSON.stringify([orgId, kind, issuing_state, document_number]))
}
