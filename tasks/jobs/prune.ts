import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { familyOf } from '#sql/partitions/families.ts'
import { divisionOf, nowOf, split } from '#sql/partitions/list.ts'
import { retained } from '#sql/retained.ts'
import { forget, type Retention } from '#sql/retention.ts'
import { labelOf, type Table } from '#sql/table.ts'
import { enqueue } from '../queue/enqueue.ts'
import { type Attempt, task } from '../queue/task.ts'

/** How often it runs, and for how long a run goes on, in milliseconds. */
const [everyMs, spanMs] = [5 * 60_000, 4 * 60_000]

/** Runs in an hour: what is kept for days is looked at by one of them, the tables spread over all. */
const runsAnHour = 3_600_000 / everyMs

/** A table with one of its retentions. */
interface Work extends Pick<Table<z.ZodObject>, 'name'> {
  /** `area.name` */
  label: string
  retention: Retention
  /** Rows from then on go later, after a partition with what hangs on them. */
  until?: Date | null
}

export const works = retained.flatMap(({ name, retentions }) =>
  retentions.map((retention): Work => ({ name, retention, label: labelOf({ name }) })),
)

/** What runs by the clock that begin at an instant look at. */
export const dueAt = (at: number): readonly Work[] =>
  works.filter(
    ({ retention }, i) => retention.unit === 'hour' || i % runsAnHour === Math.floor(at / everyMs) % runsAnHour,
  )

/**
 * Forgets what each table's declaration says is over; what is left when a run's time is over goes on in another. A table that fails
 * keeps none of the others, and fails the job at its end.
 */
export const prune = task({
  name: 'jobs/prune',
  pool: 'core',
  /** The tables, as `area.name`; by the clock those whose time it is. */
  payload: z.object({ tables: z.array(z.string()).optional() }),
  cron: '*/5 * * * *',
  timeout: everyMs,
  async run({ tables }, attempt): Promise<void> {
    const named = works.filter(({ label }) => tables?.includes(label))
    const { left, failed } = await pruneAll(tables ? named : dueAt(Date.now()), attempt, spanMs)
    if (left.length > 0) await enqueue(attempt.db, prune, { tables: left }, { key: 'jobs/prune' })
    if (failed.size > 0) {
      const [cause] = failed.values()
      throw new Error(`${[...failed.keys()].join(', ')} could not be pruned`, { cause })
    }
  },
})

/**
 * Prunes by turns a batch of each table, so that none waits for one with much to forget, until nothing is left or `most`
 * milliseconds are over. Returns what was left, and what failed with its first error.
 */
export async function pruneAll(
  due: readonly Work[],
  { db, log, signal }: Pick<Attempt, 'db' | 'log' | 'signal'>,
  most: number,
): Promise<{ left: string[]; failed: Map<string, unknown> }> {
  const end = Date.now() + most
  const failed = new Map<string, unknown>()
  let left = await partsOf(db, due)
  while (left.length > 0 && Date.now() < end) {
    const more: Work[] = []
    for (const work of left) {
      signal.throwIfAborted()
      // A table that somebody holds takes as long as a statement may: what comes after it is left to the next run.
      if (Date.now() >= end) {
        more.push(work)
        continue
      }
      try {
        if (await forget(db, work.name, work.retention, work.until)) more.push(work)
      } catch (err) {
        log.error({ err, table: work.label }, 'a table could not be pruned')
        failed.set(work.label, err)
      }
    }
    left = more
  }
  return { left: [...new Set(left.map(({ label }) => label))], failed }
}

/** Has rows of partitioned tables looked for where they do not go by a whole partition, each of which is a table of its own. */
async function partsOf(db: Attempt['db'], due: readonly Work[]): Promise<readonly Work[]> {
  const parts: Work[] = []
  for (const work of due) {
    const family = familyOf(work.label)
    if (!family) {
      parts.push(work)
      continue
    }
    const { byRow, until } = await divisionOf(db, family, await nowOf(db))
    const own = family.members.some(({ name }) => name === work.label)
    const [area] = split(work.label)
    if (own) for (const { name } of byRow) parts.push({ ...work, name: sql.fragment`${sql.identifier([area, name])}` })
    else parts.push({ ...work, until })
  }
  return parts
}
