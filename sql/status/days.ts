import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { days as keepDays } from '../retention.ts'
import { defineTable } from '../table.ts'
import { type AreaState, platform } from './areas.ts'

/** Number of days that the status page shows. */
export const shownDays = 90

export const table = defineTable(
  'status',
  'days',
  z.object({ area: z.string(), day: z.string(), measured: z.number(), degraded: z.number(), down: z.number() }),
  { retention: keepDays(100, 'day') },
)

export type Day = z.infer<typeof table.Row>

/** Adds one minute to the day of the measurement. */
export async function addMinute(tx: Db, at: Date, bad: readonly Pick<AreaState, 'area' | 'state'>[]): Promise<void> {
  const rows = [
    { area: platform, measured: 1, degraded: 0, down: 0 },
    ...bad.map(({ area, state }) => ({
      area,
      measured: 0,
      degraded: state === 'degraded' ? 1 : 0,
      down: state === 'down' ? 1 : 0,
    })),
  ]
  await tx.query(sql.typeAlias('void')`
    insert into status.days as d (area, day, measured, degraded, down)
    select area, (${at.toISOString()}::timestamptz at time zone 'UTC')::date, measured, degraded, down
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as n (area text, measured integer, degraded integer, down integer)
    on conflict (area, day) do update set measured = d.measured + excluded.measured,
      degraded = d.degraded + excluded.degraded, down = d.down + excluded.down`)
}

/** Returns the days of all areas, oldest first. */
export async function list(db: Db): Promise<readonly Day[]> {
  return await db.any(sql.type(table.Row)`
    select area, day::text, measured, degraded, down from status.days
    where day > (now() at time zone 'UTC')::date - ${shownDays}::integer order by day, area`)
}
