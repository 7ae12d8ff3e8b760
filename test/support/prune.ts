import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import { retained } from '#sql/retained.ts'
import { prune } from '#tasks/jobs/prune.ts'

/** The tables of an area that are pruned, as `area.name`. */
export const tablesOf = (area: string): string[] =>
  retained.map(({ name }) => name.sql.replaceAll('"', '')).filter((name) => name.startsWith(`${area}.`))

/** Forgets what is over in an area's tables. */
export async function pruneArea(db: DatabasePool, area: string): Promise<void> {
  const tools = { db, log, signal: new AbortController().signal }
  await prune.run({ tables: tablesOf(area) }, tools as never)
}
