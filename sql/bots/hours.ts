import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

export const Interval = z.object({
  day: z.int().min(1).max(7).describe('Day of the week, 1 (Monday) to 7 (Sunday)'),
  from: z.string().describe('Local start, such as `09:00`'),
  to: z.string().describe('Local end, such as `17:30`. `24:00` is the end of the day.'),
})

export type Interval = z.infer<typeof Interval>

export const table = defineTable(
  'bots',
  'hours',
  z.object({
    bot_id: Id,
    time_zone: z.string(),
    intervals: z.array(Interval),
    closed_dates: z.array(z.string()),
    asks_email: z.boolean(),
    updated_at: z.date(),
  }),
)

export type Hours = z.infer<typeof table.Row>

const columns = table.columns()

/** Returns the office hours of a bot. Null if the bot is always open. */
export async function find(db: Db, botId: string): Promise<Hours | null> {
  return await db.maybeOne(sql.type(table.Row)`select ${columns} from bots.hours where bot_id = ${botId}`)
}

export async function replace(tx: Db, hours: Omit<Hours, 'updated_at'>): Promise<Hours> {
  return await tx.one(sql.type(table.Row)`
    insert into bots.hours (bot_id, time_zone, intervals, closed_dates, asks_email)
    values (${hours.bot_id}, ${hours.time_zone}, ${sql.jsonb(hours.intervals)}, ${sql.jsonb(hours.closed_dates)},
      ${hours.asks_email})
    on conflict (bot_id) do update set time_zone = excluded.time_zone, intervals = excluded.intervals,
      closed_dates = excluded.closed_dates, asks_email = excluded.asks_email, updated_at = now()
    returning ${columns}`)
}

export async function remove(tx: Db, botId: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`delete from bots.hours where bot_id = ${botId}`)
  return rowCount === 1
}
