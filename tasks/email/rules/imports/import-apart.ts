import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { type Db, isRowFault } from '#sql/db.ts'
import type { ImportRow, Result } from '#sql/email/import-rows.ts'
import type { Import } from '#sql/email/imports.ts'
import { importConsents } from './import-consents.ts'
import { importSuppressions } from './import-suppressions.ts'

/** Imports some rows. Halves them until a row that cannot be stored is separate from the others. */
export async function importApart(tx: Db, list: Import, rows: readonly ImportRow[]): Promise<readonly Result[]> {
  if (rows.length === 0) return []
  const read = list.kind === 'suppressions' ? importSuppressions : importConsents
  try {
    return await tx.transaction((inner) => read(inner, list, rows))
  } catch (error) {
    if (!isRowFault(error)) throw error
    const [only] = rows
    if (rows.length === 1 && only) {
      log.error({ err: describe(error), import_id: list.id, line: only.line }, 'a row of an import could not be stored')
      return [{ line: only.line, email: null, outcome: 'invalid', reason: 'The row could not be stored.' }]
    }
    const half = Math.ceil(rows.length / 2)
    return [...(await importApart(tx, list, rows.slice(0, half))), ...(await importApart(tx, list, rows.slice(half)))]
  }
}
