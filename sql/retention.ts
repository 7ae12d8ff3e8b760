import type { FragmentSqlToken } from 'slonik'
import { type Config, config } from '#lib/config.ts'
import { type Db, sql } from './db.ts'

type Setting = { [Name in keyof Config]-?: Config[Name] extends number ? Name : never }[keyof Config]

type Span = number | Setting | BoundedSetting

interface BoundedSetting {
  setting: Setting
  atLeast?: number
  atMost?: number
}

interface Options {
  /** The rows to delete: the SQL after the table’s name, and the condition for the row `old`. */
  which?: string
  where?: FragmentSqlToken
  /** An earlier end of the retention, in the same unit. Null has no effect. */
  sooner?: FragmentSqlToken
  /** True if rows with null in the column are deleted immediately. */
  orNever?: boolean
  /** Additional `with` queries in the same statement. They can use the deleted rows `gone`. */
  following?: FragmentSqlToken
  /** Number of rows per statement. Set a lower number if rows are large or each deletion also deletes other rows. */
  batch?: number
}

export interface Retention extends Options {
  span: Span
  unit: 'hour' | 'day'
  /** Name of the column with the start of the retention. `id` means the creation time of the ID. */
  column: string
  /** True if the retention ends with a full hour or day in UTC. The column is an hour or a date. */
  whole: boolean
}

export const hours = (span: Span, column: string, options: Options = {}): Retention => ({
  span,
  unit: 'hour',
  column,
  whole: false,
  ...options,
})

export const days = (span: Span, column: string, options: Options = {}): Retention => ({
  ...hours(span, column, options),
  unit: 'day',
})

export const wholeHours = (span: Span, column: string): Retention => ({ ...hours(span, column), whole: true })

/** Retention in calendar days. The column is a date. */
export const calendarDays = (span: Span, column: string): Retention => ({ ...days(span, column), whole: true })

const batch = 5_000

/**
 * Deletes one batch of expired rows of a table without partitions, optionally only rows before `until`. Returns true if
 * more rows can be left.
 */
export async function deleteExpired(
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
    // Rows of an organisation that is being moved are not deleted. Rows of other organisations are deleted.
    await tx.query(sql.unsafe`select set_config('millrace.move', 'forget', true)`)
    return following
      ? await tx.oneFirst(sql.typeAlias('count')`
          with gone as (${gone} returning *), ${following} select count(*) from gone`)
      : (await tx.query(sql.typeAlias('void')`${gone}`)).rowCount
  })
  return count === limit
}

function endOf({ span, unit, column, whole, sooner }: Retention, until: Date | null = null): FragmentSqlToken {
  const count = countOf(span)
  if (whole && unit === 'day') return sql.fragment`(now() at time zone 'UTC')::date - ${count}::integer`
  const units = sooner ? sql.fragment`least(${count}, ${sooner})` : sql.fragment`${count}::float8`
  const over = sql.fragment`now() - ${units} * ${unit === 'day' ? sql.fragment`interval '1 day'` : sql.fragment`interval '1 hour'`}`
  const end = until === null ? over : sql.fragment`least(${over}, ${until.toISOString()}::timestamptz)`
  if (column === 'id') return firstIdAt(end)
  return whole ? sql.fragment`date_trunc('hour', ${end}, 'UTC')` : end
}

/** Returns the smallest ID for a time (RFC 9562 §5.7: 48 bits of milliseconds, then version and variant). */
const firstIdAt = (at: FragmentSqlToken) => sql.fragment`
  (lpad(to_hex((extract(epoch from ${at}) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid`

export const getRetentionMs = ({ span, unit }: Retention): number =>
  countOf(span) * (unit === 'day' ? 86_400_000 : 3_600_000)

function countOf(span: Span): number {
  if (typeof span === 'number') return span
  if (typeof span !== 'object') return config[span]
  const { setting, atLeast = 0, atMost = Number.MAX_SAFE_INTEGER } = span
  return Math.min(Math.max(config[setting], atLeast), atMost)
}
