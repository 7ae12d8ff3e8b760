import type { Db } from '#sql/db.ts'
import type { Import } from '#sql/moving/imports.ts'
import type { Result, Row } from '#sql/moving/rows.ts'
import { importSuppressions } from '../../../email/rules/imports/import-suppressions.ts'

/** Adds suppressions with the reason and the time of the provider. */
export async function writeSuppressions(tx: Db, about: Import, rows: readonly Row[]): Promise<Result[]> {
  const given = rows.map(({ number, item }) => ({
    line: number,
    fields: Object.fromEntries(
      Object.entries(item ?? {}).flatMap(([name, value]) => (value ? [[name, String(value)]] : [])),
    ),
  }))
  const results = await importSuppressions(tx, about, given)
  return results.map(({ line, outcome, reason }) => ({
    ...{ number: line, reason, target_id: null },
    outcome: outcome === 'unsubscribed' ? ('existing' as const) : outcome,
  }))
}
