import { forEachConcurrently } from '#lib/concurrency.ts'
import { type People, type Sums, sumUp } from '#sql/account/move/rows.ts'
import type { MovedTable } from '#sql/account/move/tables.ts'
import type { Moving } from './plan.ts'

/** Number of concurrent statements, and number of tables per statement. Fewer statements shorten the pause. */
const [atOnce, together] = [4, 12]

export interface Comparison {
  differing: ReadonlyMap<MovedTable, readonly number[]>
  /** Number of rows in the source by table, without empty tables. */
  counts: Readonly<Record<string, number>>
}

/** Compares hashes of all rows. Each cell hashes its own rows, so no row is transferred. */
export async function compare(
  { source, target, tables, move }: Moving,
  people: People,
  snapshot?: string,
): Promise<Comparison> {
  const differing = new Map<MovedTable, readonly number[]>()
  const counts: Record<string, number> = {}
  const groups = Array.from({ length: Math.ceil(tables.length / together) }, (_, i) =>
    tables.slice(i * together, (i + 1) * together),
  )
  await forEachConcurrently(groups, atOnce, async (group) => {
    const [ours, theirs] = await Promise.all([
      sumUp(source.db, group, { orgId: move.org_id, people, snapshot }),
      sumUp(target.db, group, { orgId: move.org_id }),
    ])
    for (const [i, table] of group.entries()) {
      const [here, there] = [ours[i] as Sums, theirs[i] as Sums]
      const buckets = [...new Set([...here.keys(), ...there.keys()])].filter((bucket) => !isSame(here, there, bucket))
      if (buckets.length > 0) differing.set(table, buckets)
      const count = [...here.values()].reduce((sum, each) => sum + each.count, 0)
      if (count > 0) counts[table.name] = count
    }
  })
  return { differing, counts: Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1))) }
}

const isSame = (here: Sums, there: Sums, bucket: number) =>
  here.get(bucket)?.count === there.get(bucket)?.count && here.get(bucket)?.sum === there.get(bucket)?.sum
