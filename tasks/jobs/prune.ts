import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { findFamily } from '#sql/partitions/families.ts'
import { getDatabaseTime, getDivision, split } from '#sql/partitions/list.ts'
import { tablesWithRetention } from '#sql/retained.ts'
import { deleteExpired, type Retention } from '#sql/retention.ts'
import { getTableLabel, type Table } from '#sql/table.ts'
import { enqueue } from '../queue/enqueue.ts'
import { type Attempt, task } from '../queue/task.ts'

/** Interval between runs and maximum duration of a run, in milliseconds. */
const [everyMs, spanMs] = [5 * 60_000, 4 * 60_000]

/**
 * Number of runs per hour. One run per hour checks each table with a retention in days. The tables are distributed over
 * the runs.
 */
const runsAnHour = 3_600_000 / everyMs

interface Work extends Pick<Table<z.ZodObject>, 'name'> {
  label: string
  retention: Retention
  /** Rows from this time on are deleted in a later step, after a partition and its dependent rows. */
  until?: Date | null
}

export const works = tablesWithRetention.flatMap(({ name, retentions }) =>
  retentions.map((retention): Work => ({ name, retention, label: getTableLabel({ name }) })),
)

/** Returns the work of the scheduled run that starts at this time. */
export const getDueWork = (at: number): readonly Work[] =>
  works.filter(
    ({ retention }, i) => retention.unit === 'hour' || i % runsAnHour === Math.floor(at / everyMs) % runsAnHour,
  )

/**
 * Deletes the rows of each table that have reached the end of their retention. If a run has no time left, another run
 * continues. If a table fails, the other tables are still processed. The job then fails after the last table.
 */
export const prune = task({
  name: 'jobs/prune',
  pool: 'core',
  payload: z.object({ tables: z.array(z.string()).optional() }),
  cron: '*/5 * * * *',
  timeout: everyMs,
  async run({ tables }, attempt): Promise<void> {
    const named = works.filter(({ label }) => tables?.includes(label))
    const { left, failed } = await pruneAll(tables ? named : getDueWork(Date.now()), attempt, spanMs)
    if (left.length > 0) await enqueue(attempt.db, prune, { tables: left }, { key: 'jobs/prune' })
    if (failed.size > 0) {
      const [cause] = failed.values()
      throw new Error(`${[...failed.keys()].join(', ')} could not be pruned`, { cause })
    }
  },
})

/**
 * Prunes one batch of each table in turn, so that no table waits for a large table. Stops when no expired rows are left
 * or `most` milliseconds have passed. Returns the remaining work, and the failed tables with their first error.
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
      // A locked table can use all the time until the statement timeout. The next run handles the tables after it.
      if (Date.now() >= end) {
        more.push(work)
        continue
      }
      try {
        if (await deleteExpired(db, work.name, work.retention, work.until)) more.push(work)
      } catch (err) {
        log.error({ err, table: work.label }, 'a table could not be pruned')
        failed.set(work.label, err)
      }
    }
    left = more
  }
  return { left: [...new Set(left.map(({ label }) => label))], failed }
}

/** Splits partitioned tables into partitions if their rows are not dropped as whole partitions. */
async function partsOf(db: Attempt['db'], due: readonly Work[]): Promise<readonly Work[]> {
  const parts: Work[] = []
  for (const work of due) {
    const family = findFamily(work.label)
    if (!family) {
      parts.push(work)
      continue
    }
    const { byRow, until } = await getDivision(db, family, await getDatabaseTime(db))
    const own = family.members.some(({ name }) => name === work.label)
    const [area] = split(work.label)
    if (own) for (const { name } of byRow) parts.push({ ...work, name: sql.fragment`${sql.identifier([area, name])}` })
    else parts.push({ ...work, until })
  }
  return parts
}
