import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { KeyAi } from '../account/keys.ts'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

export const periods = ['month', 'day'] as const

export type Period = (typeof periods)[number]

/** Reported thresholds of budgets of keys. */
export const alerts = defineTable(
  'ai',
  'key_alerts',
  z.object({
    org_id: Id,
    key_id: Id,
    period: z.enum(periods),
    starts_on: z.string(),
    percent: z.number(),
    created_at: z.date(),
  }),
  { retention: days(400, 'created_at') },
)

const today = sql.fragment`(now() at time zone 'utc')::date`
const monthStart = sql.fragment`date_trunc('month', ${today})::date`

/** A key, and the keys that created it directly or indirectly. */
const chainOf = (keyId: string) => sql.fragment`
  with recursive chain as (
    select id, made_by_key, 1 as depth from account.keys where id = ${keyId}
    union all
    select m.id, m.made_by_key, depth + 1 from chain join account.keys as m on m.id = chain.made_by_key
    where depth < 100)`

const Limited = z.object({ id: Id, name: z.string(), ai: KeyAi })

export type LimitedKey = z.infer<typeof Limited>

/** Returns the limits of a key and of the keys that created it. */
export async function list(db: Db, keyId: string): Promise<readonly LimitedKey[]> {
  return await db.any(sql.type(Limited)`
    ${chainOf(keyId)} select k.id, k.name, k.ai from account.keys as k join chain using (id)
    where k.ai is not null order by k.id`)
}

/** Like `list`, but locks the keys until the transaction ends, so that concurrent requests see each other. */
export async function lock(tx: Db, keyId: string): Promise<readonly LimitedKey[]> {
  return await tx.any(sql.type(Limited)`
    select id, name, ai from account.keys
    where id in (${chainOf(keyId)} select id from chain) and ai is not null order by id for no key update`)
}

/**
 * True if the key, which was valid when its request was accepted, has been revoked or has expired. A key ends with the
 * keys that created it, and with its organisation.
 */
export async function hasEnded(db: Db, keyId: string): Promise<boolean> {
  return await db.exists(sql.type(z.object({ id: Id }))`
    select id from account.keys as k
    where id in (${chainOf(keyId)} select id from chain)
      and (revoked_at is not null or expires_at <= clock_timestamp() or exists (
        select from account.closures as c where c.org_id = k.org_id and c.state in ('waiting', 'running')))`)
}

const Spent = z.object({
  month: z.number(),
  day: z.number(),
  reserved: z.number(),
  month_start: z.string(),
  day_start: z.string(),
  month_ends: z.date(),
  day_ends: z.date(),
})

export type KeySpent = z.infer<typeof Spent>

/** Returns the cost of a key and of the keys that it created in one currency, and the amount reserved by requests in progress. */
export async function findSpent(db: Db, keyId: string, currency: string): Promise<KeySpent> {
  return await db.one(sql.type(Spent)`
    with recursive below as (
      select id, 1 as depth from account.keys where id = ${keyId}
      union
      select k.id, depth + 1 from below join account.keys as k on k.made_by_key = below.id where depth < 100)
    select
      coalesce((select sum(cost) from ai.costs where key_id in (select id::text from below) and day >= ${monthStart}
        and currency = ${currency}), 0)::bigint as month,
      coalesce((select sum(cost) from ai.costs where key_id in (select id::text from below) and day >= ${today}
        and currency = ${currency}), 0)::bigint as day,
      coalesce((select sum(reserved) from ai.charges where key_id in (select id from below)
        and currency = ${currency}), 0)::bigint as reserved,
      ${monthStart}::text as month_start, ${today}::text as day_start,
      (${monthStart} + interval '1 month') at time zone 'utc' as month_ends,
      (${today} + 1)::timestamp at time zone 'utc' as day_ends`)
}

/** Records a threshold. Returns false if it was already reported in its period. */
export async function recordAlert(tx: Db, alert: Omit<z.infer<typeof alerts.Row>, 'created_at'>): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`${alerts.insert(alert)} on conflict do nothing`)
  return rowCount > 0
}
