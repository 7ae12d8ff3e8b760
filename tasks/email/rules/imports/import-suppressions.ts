import type { Db } from '#sql/db.ts'
import * as suppressions from '#sql/email/contacts/suppressions.ts'
import type { ImportRow, Result } from '#sql/email/import-rows.ts'
import type { Import } from '#sql/email/imports.ts'
import { readRow, SuppressionRow } from './read-row.ts'

/** Adds the suppressions of some rows. Returns the result of each. */
export async function importSuppressions(
  tx: Db,
  { org_id }: Pick<Import, 'org_id'>,
  rows: readonly Pick<ImportRow, 'line' | 'fields'>[],
): Promise<Result[]> {
  const read = rows.map((row) => ({ line: row.line, said: readRow(SuppressionRow, row) }))
  const wanted = new Map<string, { line: number; row: SuppressionRow }>()
  for (const { line, said } of read) {
    if (typeof said === 'string') continue
    const key = keyOf(said)
    if (!wanted.has(key)) wanted.set(key, { line, row: said })
  }
  const now = new Date().toISOString()
  const added = await suppressions.importMany(
    tx,
    [...wanted.values()].map(({ row: { email, reason, detail = null, created_at = now } }) => ({
      org_id,
      email,
      reason,
      detail,
      created_at,
    })),
  )
  const fresh = new Set(added.map(keyOf))
  return read.map(({ line, said }) => {
    if (typeof said === 'string') return { line, email: null, outcome: 'invalid', reason: said }
    const key = keyOf(said)
    const isFirst = fresh.has(key) && wanted.get(key)?.line === line
    return { line, email: said.email, outcome: isFirst ? 'imported' : 'existing', reason: null }
  })
}

const keyOf = ({ email, reason }: Pick<SuppressionRow, 'email' | 'reason'>): string => `${email} ${reason}`
