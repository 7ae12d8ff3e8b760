import { z } from 'zod'
import { type Db, sql } from '../../db.ts'
import { days } from '../../retention.ts'
import { defineTable } from '../../table.ts'
import { PoolKey } from './pool-keys.ts'

export const table = defineTable(
  'email',
  'mx_sets',
  z.object({
    pool: PoolKey,
    local_address: z.string(),
    mx_set: z.string(),
    level: z.number(),
    level_at: z.date(),
    suspended_until: z.date().nullable(),
    reason: z.string().nullable(),
    reply_class: z.string().nullable(),
    used_at: z.date(),
  }),
  {
    retention: days(30, 'used_at', {
      which: 'that are not suspended',
      where: sql.fragment`(old.suspended_until > now()) is not true`,
    }),
  },
)

export type MxSet = z.infer<typeof table.Row>

export type Site = Pick<MxSet, 'pool' | 'local_address' | 'mx_set'>

/** Period in milliseconds in which equal replies on several connections count once. */
const sameMs = 5_000

export interface Throttle {
  /** Time in milliseconds for which nothing is sent. */
  suspend: number
  /** Time in milliseconds after which a level ends. */
  recovery: number
  /** Maximum level. */
  highest: number
  reply_class: string
  reason: string
}

/** Adds a level and suspends the set. A milder reply shortens neither the suspension nor the level. */
export async function slow(db: Db, site: Site, throttle: Throttle): Promise<void> {
  const { suspend, recovery, highest, reply_class, reason } = throttle
  const { pool, local_address, mx_set } = site
  const isSame = sql.fragment`s.level > 0 and s.level_at > now() - ${sameMs} * interval '1 millisecond'`
  const level = sql.fragment`greatest(0, s.level - floor(extract(epoch from now() - s.level_at) * 1000 / ${recovery}::integer))`
  const isMilder = sql.fragment`s.suspended_until > greatest(excluded.suspended_until, now())`
  await db.query(sql.typeAlias('void')`
    insert into email.mx_sets as s (pool, local_address, mx_set, level, suspended_until, reply_class, reason)
    values (${pool}, ${local_address}, ${mx_set}, ${Math.min(1, highest)}, now() + ${suspend} * interval '1 millisecond', ${reply_class}, ${reason})
    on conflict (pool, local_address, mx_set) do update set
      level = case when ${isSame} then s.level else greatest(${level}, least(${highest}::integer, ${level} + 1)) end,
      level_at = case when ${isSame} then s.level_at else now() end,
      suspended_until = greatest(s.suspended_until, excluded.suspended_until),
      reply_class = case when ${isMilder} then s.reply_class else excluded.reply_class end,
      reason = case when ${isMilder} then s.reason else excluded.reason end`)
}

/** Suspends an MX set until the end of the day (UTC). */
export async function suspendToday(db: Db, { pool, local_address, mx_set }: Site, reason: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update email.mx_sets set reply_class = 'warm_up', reason = ${reason},
      suspended_until = greatest(suspended_until, ((now() at time zone 'utc')::date + 1)::timestamp at time zone 'utc')
    where pool = ${pool} and local_address = ${local_address} and mx_set = ${mx_set}`)
}

export async function list(db: Db, limit: number): Promise<readonly MxSet[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from email.mx_sets
    order by (suspended_until > now()) is true desc, level desc, used_at desc limit ${limit}`)
}
