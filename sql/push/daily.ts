import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { calendarDays } from '../retention.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'push',
  'daily',
  z.object({
    org_id: Id,
    app_id: Id,
    day: z.string(),
    provider: z.string(),
    platform: z.string(),
    status: z.string(),
    reason: z.string(),
    count: z.number(),
  }),
  { retention: calendarDays(100, 'day') },
)

export interface StatusEntry {
  org_id: string
  app_id: string
  created_at: Date
  provider: string
  platform: string | null
  status: 'sent' | 'delivered' | 'displayed' | 'opened' | 'failed' | 'expired'
  reason?: string | null
}

/** Adds deliveries to the counts of their days, in one statement that locks rows in a fixed order. */
export async function count(tx: Db, came: readonly StatusEntry[]): Promise<void> {
  if (came.length === 0) return
  const counts = new Map<string, z.infer<typeof table.Row>>()
  for (const { created_at, platform, reason, ...rest } of came) {
    const key = { ...rest, day: created_at.toISOString().slice(0, 10), platform: platform ?? '', reason: reason ?? '' }
    const name = JSON.stringify(key)
    const before = counts.get(name)
    if (before) before.count++
    else counts.set(name, { ...key, count: 1 })
  }
  await tx.query(sql.typeAlias('void')`
    insert into push.daily as d (org_id, app_id, day, provider, platform, status, reason, count)
    select org_id, app_id, day, provider, platform, status, reason, sum(count)
    from json_populate_recordset(null::push.daily, ${JSON.stringify([...counts.values()])}::json)
    group by org_id, app_id, day, provider, platform, status, reason
    order by app_id, day, provider, platform, status, reason
    on conflict (app_id, day, provider, platform, status, reason) do update set count = d.count + excluded.count`)
}

const Series = z.object({ day: z.string(), status: z.string(), count: z.number() })
const Part = z.object({ status: z.string(), name: z.string(), count: z.number() })

export type Dimension = 'provider' | 'platform' | 'reason'

export async function listByDay(db: Db, appId: string, since: string): Promise<readonly z.infer<typeof Series>[]> {
  return await db.any(sql.type(Series)`
    select day::text as day, status, sum(count) as count from push.daily
    where app_id = ${appId} and day >= ${since}::date group by day, status order by day, status`)
}

export async function listByDimension(
  db: Db,
  appId: string,
  since: string,
  by: Dimension,
): Promise<readonly z.infer<typeof Part>[]> {
  const column = sql.identifier([by])
  return await db.any(sql.type(Part)`
    select ${column} as name, status, sum(count) as count from push.daily
    where app_id = ${appId} and day >= ${since}::date and (${by} <> 'reason' or reason <> '')
    group by ${column}, status order by count desc, name limit 200`)
}
