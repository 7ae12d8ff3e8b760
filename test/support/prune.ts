import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import { tablesWithRetention } from '#sql/retained.ts'
import { prune } from '#tasks/jobs/prune.ts'

/** Returns the pruned tables of an area as `area.name`. */
export const tablesOf = (area: string): string[] =>
  tablesWithRetention.map(({ name }) => name.sql.replaceAll('"', '')).filter((name) => name.startsWith(`${area}.`))

/** Deletes expired rows of an area’s tables. */
export async function pruneArea(db: DatabasePool, area: string): Promise<void> {
  const tools = { db, log, signal: new AbortController().signal }
  await prune.run({ tables: tablesOf(area) }, tools as never)
}
