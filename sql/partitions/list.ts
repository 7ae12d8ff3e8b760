import { z } from 'zod'
import { getIdTime } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { getRetentionMs } from '../retention.ts'
import { type Family, getRetention } from './families.ts'
import { getPeriod, type Period } from './periods.ts'

const Row = z.object({ name: z.string(), bounds: z.string() })

export interface Partition {
  name: string
  /** Null for the first partition, which has no lower bound. */
  from: Date | null
  /** Null for a partition without an upper bound. */
  to: Date | null
  /** True if the partition contains rows that match no other partition. */
  rest: boolean
}

export const split = (label: string): [area: string, name: string] => label.split('.') as [string, string]

/** Returns the partitions, oldest first. The rest partition is last. */
export async function list(db: Db, label: string): Promise<readonly Partition[]> {
  const rows = await db.any(sql.type(Row)`
    select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bounds
    from pg_inherits as i join pg_class as c on c.oid = i.inhrelid
    where i.inhparent = to_regclass(${label}) and not i.inhdetachpending`)
  const end = ({ rest, to }: Partition) => (rest ? Number.MAX_VALUE : (to?.getTime() ?? Number.MAX_SAFE_INTEGER))
  return rows.map(read).sort((one, other) => end(one) - end(other))
}

function read({ name, bounds }: z.infer<typeof Row>): Partition {
  if (bounds === 'DEFAULT') return { name, from: null, to: null, rest: true }
  // Bounds have the form FOR VALUES FROM ('…') TO ('…').
  const [from = '', to = ''] = bounds.split(' TO ')
  const instant = (bound: string) => {
    const at = getIdTime(bound.split("'")[1] ?? '')
    return Number.isNaN(at) ? null : new Date(at)
  }
  return { name, from: instant(from), to: instant(to), rest: false }
}

/** Returns the time of the database. A process with a wrong clock must not drop any partition. */
export const getDatabaseTime = (db: Db): Promise<Date> =>
  db.oneFirst(sql.type(z.object({ now: z.date() }))`select now()`)

/** Delay in milliseconds after which the rows of a partition that could not be dropped are deleted. */
const lateMs = 2 * 3_600_000

export interface Division {
  period: Period
  partitions: readonly Partition[]
  /** Start of the next partition. Null if a partition has no upper bound. */
  end: Date | null
  over: readonly Partition[]
  /**
   * Partitions whose rows are deleted one by one: the first partition, the rest partition, and partitions that could
   * not be dropped.
   */
  byRow: readonly Partition[]
  /**
   * Rows before this time are deleted from tables that others depend on. Dependent rows are dropped earlier, by
   * partition.
   */
  until: Date | null
}

export async function getDivision(db: Db, family: Family, now: Date): Promise<Division> {
  const partitions = await list(db, family.members[0].name)
  const kept = getRetentionMs(getRetention(family))
  const isOver = ({ to }: Partition, late: number) => to !== null && to.getTime() + kept + late <= now.getTime()
  const regular = partitions.filter(({ rest, from }) => !rest && from !== null)
  const last = partitions.findLast(({ rest }) => !rest)
  return {
    period: getPeriod(kept / 86_400_000),
    partitions,
    // If all partitions were dropped, for example after a long downtime, the next partition can start at any time.
    end: last ? last.to : new Date(0),
    over: partitions.filter((one) => isOver(one, 0)),
    byRow: partitions.filter((one) => one.rest || one.from === null || isOver(one, lateMs)),
    until: regular.find((one) => !isOver(one, lateMs))?.from ?? null,
  }
}
