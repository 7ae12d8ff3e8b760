import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'
import { hours } from '../../retention.ts'
import { defineTable } from '../../table.ts'
import type { MetricName } from './metrics.ts'

export const Period = z.enum(['month', 'day'])

export const table = defineTable(
  'account',
  'budgets',
  z.object({
    org_id: Id,
    metric: z.string(),
    period: Period,
    soft: z.number().nullable(),
    hard: z.number().nullable(),
    alert_at: z.array(z.number()),
    updated_at: z.date(),
  }),
)

export type Budget = z.infer<typeof table.Row>

/** Amounts reserved for work whose size is known only when the work ends. */
export const reservations = defineTable(
  'account',
  'usage_reservations',
  z.object({ id: Id, org_id: Id, metric: z.string(), amount: z.number(), expires_at: z.date() }),
  { retention: hours(0, 'expires_at') },
)

const today = sql.fragment`(now() at time zone 'utc')::date`

const startOf = sql.fragment`case b.period when 'day' then ${today} else date_trunc('month', ${today})::date end`

const usedOrReserved = sql.fragment`(
  coalesce((select sum(u.amount) from account.usage_daily as u
    where u.org_id = b.org_id and u.metric = b.metric and u.dimension = '' and u.day >= ${startOf}), 0)
  + coalesce((select sum(r.amount) from account.usage_reservations as r
    where r.org_id = b.org_id and r.metric = b.metric and r.expires_at > clock_timestamp()), 0))`

/** Condition that the budget `b` applies. The platform’s own organisation is never limited. */
const isHeld = sql.fragment`b.org_id not in (select org_id from account.platform where org_id is not null)`

const Room = z.object({ org_id: Id, room: z.number() })

/**
 * Returns the amount that hard limits leave to organisations with a budget. Locks the budgets until the transaction
 * ends, so that concurrent requests cannot exceed the limit together.
 */
export async function lockRoom(
  tx: Db,
  metric: MetricName,
  orgIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const ids = sql.array([...orgIds], 'uuid')
  const locked = await tx.any(sql.type(table.Row.pick({ org_id: true }))`
    select org_id from account.budgets as b
    where metric = ${metric} and org_id = any(${ids}) and hard is not null and ${isHeld}
    order by org_id for no key update`)
  if (locked.length === 0) return new Map()
  // This is a separate statement, so that it sees the usage of the previous lock holders.
  const held = sql.array(
    locked.map(({ org_id }) => org_id),
    'uuid',
  )
  const rows = await tx.any(sql.type(Room)`
    select b.org_id, (b.hard - ${usedOrReserved})::float8 as room
    from account.budgets as b where b.metric = ${metric} and b.org_id = any(${held})`)
  return new Map(rows.map(({ org_id, room }) => [org_id, room]))
}

/**
 * Reserves an amount of a budget until the reservation is settled or `seconds` have passed. Returns false if the amount
 * does not fit. Without a budget, nothing is stored.
 */
export async function reserve(
  tx: Db,
  metric: MetricName,
  { id, orgId, amount, seconds }: { id: string; orgId: string; amount: number; seconds: number },
): Promise<boolean> {
  const room = (await lockRoom(tx, metric, [orgId])).get(orgId)
  if (room === undefined) return true
  if (amount > room) return false
  await tx.query(sql.typeAlias('void')`
    insert into account.usage_reservations (id, org_id, metric, amount, expires_at)
    values (${id}, ${orgId}, ${metric}, ${amount}, clock_timestamp() + make_interval(secs => ${seconds}))`)
  return true
}

/** Ends a reservation. The caller adds the actual usage in the same transaction. */
export async function release(tx: Db, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`delete from account.usage_reservations where id = ${id}`)
}

export async function list(db: Db, orgId: string): Promise<readonly Budget[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from account.budgets where org_id = ${orgId} order by metric`)
}

/** Returns a budget and locks it until the transaction ends. */
export async function lock(tx: Db, orgId: string, metric: MetricName): Promise<Budget | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from account.budgets where org_id = ${orgId} and metric = ${metric} for no key update`)
}

export async function put(tx: Db, budget: Omit<Budget, 'updated_at'>): Promise<Budget> {
  const { alert_at, ...rest } = budget
  return await tx.one(sql.type(table.Row)`
    ${table.insert({ ...rest, alert_at: sql.array(alert_at, 'int4') })}
    on conflict (org_id, metric) do update set period = excluded.period, soft = excluded.soft, hard = excluded.hard,
      alert_at = excluded.alert_at, updated_at = now()
    returning ${table.columns()}`)
}

export async function remove(tx: Db, orgId: string, metric: MetricName): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    delete from account.budgets where org_id = ${orgId} and metric = ${metric}`)
}

/**
 * Returns the lower of the plan limit and the organisation’s hard limit, for metrics of stored amounts. `null` without
 * a budget.
 */
export async function findHardLimit(db: Db, orgId: string, metric: MetricName): Promise<number | null> {
  return await db.maybeOneFirst(sql.type(z.object({ hard: z.number() }))`
    select hard from account.budgets as b
    where org_id = ${orgId} and metric = ${metric} and hard is not null and ${isHeld}`)
}

const BudgetUsage = z.object({ period: Period, limit: z.number(), used: z.number(), resets_at: z.date() })

/** Usage of an organisation against its own hard limit. `null` without a hard limit. Reservations count as usage. */
export type Spent = z.infer<typeof BudgetUsage>

export async function findSpent(db: Db, orgId: string, metric: MetricName): Promise<Spent | null> {
  return await db.maybeOne(sql.type(BudgetUsage)`
    select b.period, b.hard as limit,
      ${usedOrReserved}::float8 as used,
      (case b.period when 'day' then ${today} + 1 else date_trunc('month', ${today}) + interval '1 month' end)::timestamp
        at time zone 'utc' as resets_at
    from account.budgets as b
    where b.org_id = ${orgId} and b.metric = ${metric} and b.hard is not null and ${isHeld}`)
}
