import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

export const State = z.enum(['ok', 'degraded', 'down'])

export type State = z.infer<typeof State>

/** Why an area is not ok: requests fail, jobs wait, no job is processed, or an operator has paused a pool. */
export const Reason = z.enum(['failing', 'waiting', 'stopped', 'paused'])

export type Reason = z.infer<typeof Reason>

export const table = defineTable(
  'status',
  'areas',
  z.object({
    area: z.string(),
    state: State,
    reason: Reason.nullable(),
    since: z.date(),
    /** Number of consecutive measurements with problems, and without problems. */
    bad_minutes: z.number(),
    good_minutes: z.number(),
    measured_at: z.date(),
  }),
)

export type AreaState = z.infer<typeof table.Row>

/** Name of the row of the whole platform. */
export const platform = ''

export async function list(db: Db): Promise<readonly AreaState[]> {
  return await db.any(sql.type(table.Row)`select ${table.columns()} from ${table.name} order by area`)
}

/**
 * Starts the measurement of the current minute. Returns its time, or null if this minute was already measured. Locks the
 * measurement until the end of the transaction.
 */
export async function claimMinute(tx: Db): Promise<Date | null> {
  return await tx.maybeOneFirst(sql.type(z.object({ measured_at: z.date() }))`
    insert into status.areas as a (area, state, since, measured_at)
    values (${platform}, 'ok', now(), date_trunc('minute', now()))
    on conflict (area) do update set measured_at = excluded.measured_at
      where a.measured_at < excluded.measured_at or a.measured_at > now() + interval '1 minute'
    returning measured_at`)
}

export async function write(tx: Db, rows: readonly AreaState[]): Promise<void> {
  if (rows.length === 0) return
  await tx.query(sql.typeAlias('void')`
    ${table.insertMany(rows.map((row) => ({ ...row, since: row.since.toISOString(), measured_at: row.measured_at.toISOString() })))}
    on conflict (area) do update set state = excluded.state, reason = excluded.reason, since = excluded.since,
      bad_minutes = excluded.bad_minutes, good_minutes = excluded.good_minutes, measured_at = excluded.measured_at`)
}
