import type { FragmentSqlToken } from 'slonik'
import { type Config, config } from '#lib/config.ts'
import { type Db, sql } from './db.ts'

/** The variables of the configuration that are numbers. */
type Setting = { [Name in keyof Config]-?: Config[Name] extends number ? Name : never }[keyof Config]

/** How long. */
type Span = number | Setting | BoundedSetting

/** What a variable says, but no less, or no more, than a number. */
interface BoundedSetting {
  setting: Setting
  atLeast?: number
  atMost?: number
}

interface Options {
  /** Which rows are forgotten, in words that follow the table's name, and the condition, in which the row is `old`. */
  which?: string
  where?: FragmentSqlToken
  /** A number of the unit after which a row is forgotten where that is sooner; null says nothing. */
  sooner?: FragmentSqlToken
  /** Whether rows in which the column is null go at once. */
  orNever?: boolean
  /** What follows in the same statement from the rows that go: further `with` queries, to which they are `gone`. */
  following?: FragmentSqlToken
  /** Rows of one statement: fewer where each takes others with it, or is large. */
  batch?: number
}

/** How long rows of a table are kept. */
export interface Retention extends Options {
  span: Span
  unit: 'hour' | 'day'
  /** The instant from which on; `id` stands for that in which the id was made. */
  column: string
  /** Whether it ends with a whole hour or day of UTC, the column being an hour, or a date. */
  whole: boolean
}

/** Kept for hours: looked at every few minutes. */
export const hours = (span: Span, column: string, options: Options = {}): Retention => ({
  span,
  unit: 'hour',
  column,
  whole: false,
  ...options,
})

/** Kept for days: looked at once an hour. */
export const days = (span: Span, column: string, options: Options = {}): Retention => ({
  ...hours(span, column, options),
  unit: 'day',
})

/** Kept for so many whole hours. */
export const wholeHours = (span: Span, column: string): Retention => ({ ...hours(span, column), whole: true })

/** Kept for so many days of the calendar; the column is a date. */
export const calendarDays = (span: Span, column: string): Retention => ({ ...days(span, column), whole: true })

/** Rows that one statement takes at most: enough to be quick, few enough to hold no lock for long. */
const batch = 5_000

/** Deletes rows of a plain table whose time is over, one batch, at most those before `until`; returns whether there may be more. */
export async function forget(
  db: Db,
  table: FragmentSqlToken,
  retention: Retention,
  until?: Date | null,
): Promise<boolean> {
  const { column, where, orNever, following, batch: limit = batch } = retention
  const named = sql.identifier(['old', column])
  const at = orNever ? sql.fragment`coalesce(${named}, '-infinity')` : named
  const gone = sql.fragment`
    delete from ${table} where ctid = any(array(
      select old.ctid from ${table} as old
      where ${at} < ${endOf(retention, until)} and ${where ?? sql.fragment`true`}
      order by ${at} limit ${limit} for update of old skip locked))`
  const count = await db.transaction(async (tx) => {
    // The rows of an organisation that is fenced for its move stay, and those of others go all the same.
    await tx.query(sql.unsafe`select set_config('millrace.move', 'forget', true)`)
    return following
      ? await tx.oneFirst(sql.typeAlias('count')`
          with gone as (${gone} returning *), ${following} select count(*) from gone`)
      : (await tx.query(sql.typeAlias('void')`${gone}`)).rowCount
  })
  return count === limit
}

/** What a column must be below for its row to be forgotten. */
function endOf({ span, unit, column, whole, sooner }: Retention, until: Date | null = null): FragmentSqlToken {
  const count = countOf(span)
  if (whole && unit === 'day') return sql.fragment`(now() at time zone 'UTC')::date - ${count}::integer`
  const units = sooner ? sql.fragment`least(${count}, ${sooner})` : sql.fragment`${count}::float8`
  const over = sql.fragment`now() - ${units} * ${unit === 'day' ? sql.fragment`interval '1 day'` : sql.fragment`interval '1 hour'`}`
  const end = until === null ? over : sql.fragment`least(${over}, ${until.toISOString()}::timestamptz)`
  if (column === 'id') return firstIdAt(end)
  return whole ? sql.fragment`date_trunc('hour', ${end}, 'UTC')` : end
}

/** The least id that is made at an instant (RFC 9562 §5.7: 48 bits of milliseconds, then version and variant). */
const firstIdAt = (at: FragmentSqlToken) => sql.fragment`
  (lpad(to_hex((extract(epoch from ${at}) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid`

/** Milliseconds that a retention keeps rows for. */
export const keptMs = ({ span, unit }: Retention): number => countOf(span) * (unit === 'day' ? 86_400_000 : 3_600_000)

/** How many hours or days a span is, as the process is configured. */
function countOf(span: Span): number {
  if (typeof span === 'number') return span
  if (typeof span !== 'object') return config[span]
  const { setting, atLeast = 0, atMost = Number.MAX_SAFE_INTEGER } = span
  return Math.min(Math.max(config[setting], atLeast), atMost)
}
