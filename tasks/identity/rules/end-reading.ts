import { hash } from 'node:crypto'
import type { Db } from '#sql/db.ts'
import * as readings from '#sql/identity/readings.ts'
import type { DocumentReading } from '../engine.ts'
import { emitDocumentRead } from './tell-read.ts'

/** Ends a pending reading. Sends an event if its image was submitted. */
export async function endReading(
  tx: Db,
  { org_id, object_id }: readings.Reading,
  found: DocumentReading,
): Promise<void> {
  const result = 'reason' in found ? found : { ...found, numberHash: numberHashOf(org_id, found) }
  const ended = await readings.end(tx, object_id, result)
  if (ended) await emitDocumentRead(tx, ended)
}

/** Returns a hash to find the same document in its organisation. `null` if its number was not read with certainty. */
function numberHashOf(orgId: string, { facts, checks }: Exclude<DocumentReading, { reason: string }>): string | null {
  const { issuing_state, document_number, kind } = facts
  const isSure = checks.some(({ check, passed }) => (check === 'document_number' || check === 'fields') && passed)
  const issuer = facts.subdivision ? [issuing_state, facts.subdivision] : issuing_state
  if (document_number === '' || !isSure) return null
  return hash('sha256', JSON.stringify([orgId, kind, issuer, document_number]))
}
