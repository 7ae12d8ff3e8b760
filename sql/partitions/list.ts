import { z } from 'zod'
import { madeAt } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { keptMs } from '../retention.ts'
import { type Family, retentionOf } from './families.ts'
import { type Period, periodOf } from './periods.ts'

const Row = z.object({ name: z.string(), bounds: z.string() })

/** A partition, by its name within the area. */
export interface Partition {
  name: string
  /** Null for the first one, which takes all that is before its end. */
  from: Date | null
  /** Null for one that takes all that is after its begin. */
  to: Date | null
  /** Whether it takes what no other does. */
  rest: boolean
}

/** The area and the name of an `area.name`. */
export const split = (label: string): [area: string, name: string] => label.split('.') as [string, string]

/** The partitions of a table, the oldest first and what takes the rest last. */
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
  // FOR VALUES FROM ('…') TO ('…')
  const [from = '', to = ''] = bounds.split(' TO ')
  const instant = (bound: string) => {
    const at = madeAt(bound.split("'")[1] ?? '')
    return Number.isNaN(at) ? null : new Date(at)
  }
  return { name, from: instant(from), to: instant(to), rest: false }
}

/** What time it is by the database's clock, as a process whose own is wrong must drop nothing. */
export const nowOf = (db: Db): Promise<Date> => db.oneFirst(sql.type(z.object({ now: z.date() }))`select now()`)

/** Milliseconds after which a partition that could not be dropped in time has its rows deleted. */
const lateMs = 2 * 3_600_000

/** How a family is divided at an instant, and what of it is over. */
export interface Division {
  period: Period
  partitions: readonly Partition[]
  /** Where the next partition begins; null where one takes all that comes. */
  end: Date | null
  /** Partitions whose time is over. */
  over: readonly Partition[]
  /** Those whose rows are deleted one by one: the first, what takes the rest, and what could not be dropped. */
  byRow: readonly Partition[]
  /** Until when rows that others hang on are deleted: those that hang on later ones go by a whole partition, before them. */
  until: Date | null
}

/** Looks at how a family is divided. */
export async function divisionOf(db: Db, family: Family, now: Date): Promise<Division> {
  const partitions = await list(db, family.members[0].name)
  const kept = keptMs(retentionOf(family))
  const isOver = ({ to }: Partition, late: number) => to !== null && to.getTime() + kept + late <= now.getTime()
  const regular = partitions.filter(({ rest, from }) => !rest && from !== null)
  const last = partitions.findLast(({ rest }) => !rest)
  return {
    period: periodOf(kept / 86_400_000),
    partitions,
    // Where all have been dropped, as after a long halt, the next one may begin anywhere.
    end: last ? last.to : new Date(0),
    over: partitions.filter((one) => isOver(one, 0)),
    byRow: partitions.filter((one) => one.rest || one.from === null || isOver(one, lateMs)),
    until: regular.find((one) => !isOver(one, lateMs))?.from ?? null,
  }
}
