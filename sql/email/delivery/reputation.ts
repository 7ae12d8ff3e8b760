import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'
import { defineTable } from '../../table.ts'
import * as daily from '../daily.ts'

export const table = defineTable(
  'email',
  'reputation',
  z.object({
    org_id: Id,
    marketing: z.enum(['active', 'paused']),
    reason: z.string().nullable(),
    warned_at: z.date().nullable(),
    paused_at: z.date().nullable(),
    counted_from: z.string().nullable(),
  }),
)

export const windowDays = 7

/** Fractions above which marketing is paused, and above which a warning is sent. */
export const thresholds = {
  bounce: { pause: 0.15, warn: 0.05 },
  complaint: { pause: 0.005, warn: 0.001 },
} as const

/** Minimum numbers of messages. A few bad addresses must not stop a new sender. */
export const samples = {
  bounce: { tried: 200, hard: 10 },
  complaint: { delivered: 1_000, complaints: 3 },
} as const

export const Rates = z.object({
  delivered: z.number(),
  taken: z.number(),
  hard_bounced: z.number(),
  complained: z.number(),
  bounce_rate: z.number(),
  complaint_rate: z.number(),
})

export type Rates = z.infer<typeof Rates>

export const ReputationVerdict = z.object({ org_id: Id, verdict: z.enum(['paused', 'warned']), reason: z.string() })

export type ReputationVerdict = z.infer<typeof ReputationVerdict>

export async function find(db: Db, orgId: string): Promise<z.infer<typeof table.Row> & Rates> {
  return await db.one(sql.type(table.Row.extend(Rates.shape))`
    select o.id as org_id, coalesce(r.marketing, 'active') as marketing, r.reason, r.warned_at, r.paused_at,
      r.counted_from::text, ${rates}
    from account.orgs as o left join email.reputation as r on r.org_id = o.id ${windowed}
    where o.id = ${orgId}`)
}

/** A complaint counts against messages that the recipient’s server or a smarthost accepted. */
const windowed = sql.fragment`
  cross join lateral (
    select coalesce(sum(d.delivered), 0)::integer as delivered, coalesce(sum(${daily.taken}), 0)::integer as taken,
      coalesce(sum(d.hard_bounced), 0)::integer as hard_bounced, coalesce(sum(d.complained), 0)::integer as complained
    from email.daily as d
    where d.org_id = o.id and d.day > (now() at time zone 'utc')::date - ${windowDays}::integer
      and d.day >= coalesce(r.counted_from, '-infinity')
  ) as w`

const rates = sql.fragment`w.delivered, w.taken, w.hard_bounced, w.complained,
  coalesce(w.hard_bounced::float8 / nullif(w.taken + w.hard_bounced, 0), 0) as bounce_rate,
  coalesce(w.complained::float8 / nullif(w.taken, 0), 0) as complaint_rate`

/** Pauses or warns organisations whose rates exceed the thresholds. */
export async function evaluate(tx: Db, orgIds: readonly string[]): Promise<readonly ReputationVerdict[]> {
  const judged: ReputationVerdict[] = []
  for (const orgId of orgIds) {
    const now = await find(tx, orgId)
    const [pause, warn] = [faultOf(now, 'pause'), faultOf(now, 'warn')]
    if (pause && now.marketing === 'active') {
      if (await set(tx, orgId, 'paused', pause)) judged.push({ org_id: orgId, verdict: 'paused', reason: pause })
    } else if (warn && now.marketing === 'active' && now.warned_at === null) {
      if (await set(tx, orgId, 'warned', warn)) judged.push({ org_id: orgId, verdict: 'warned', reason: warn })
    }
  }
  return judged
}

function faultOf(now: Rates, level: 'pause' | 'warn'): string | undefined {
  const bounced = now.taken + now.hard_bounced >= samples.bounce.tried && now.hard_bounced >= samples.bounce.hard
  const complained = now.taken >= samples.complaint.delivered && now.complained >= samples.complaint.complaints
  const percent = (share: number) => `${Number((share * 100).toFixed(2))} %`
  if (bounced && now.bounce_rate > thresholds.bounce[level])
    return `The bounce rate of ${windowDays} days is ${percent(now.bounce_rate)}, above ${percent(thresholds.bounce[level])}.`
  if (complained && now.complaint_rate > thresholds.complaint[level])
    return `The complaint rate of ${windowDays} days is ${percent(now.complaint_rate)}, above ${percent(thresholds.complaint[level])}.`
  return undefined
}

async function set(tx: Db, orgId: string, verdict: 'paused' | 'warned', reason: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    verdict === 'paused'
      ? sql.typeAlias('void')`
          insert into email.reputation as r (org_id, marketing, reason, paused_at) values (${orgId}, 'paused', ${reason}, now())
          on conflict (org_id) do update set marketing = 'paused', reason = excluded.reason, paused_at = now()
          where r.marketing = 'active'`
      : sql.typeAlias('void')`
          insert into email.reputation as r (org_id, reason, warned_at) values (${orgId}, ${reason}, now())
          on conflict (org_id) do update set reason = excluded.reason, warned_at = now() where r.warned_at is null`,
  )
  return rowCount > 0
}

/** Returns the organisations whose marketing is paused. */
export async function pausedAmong(db: Db, orgIds: readonly string[]): Promise<ReadonlySet<string>> {
  const ids = await db.anyFirst(sql.type(z.object({ org_id: Id }))`
    select org_id from email.reputation where marketing = 'paused' and org_id = any(${sql.array(orgIds, 'uuid')})`)
  return new Set(ids)
}

/** Resumes marketing. Days before today no longer count. Returns false if marketing was not paused. */
export async function resume(tx: Db, orgId: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update email.reputation
    set marketing = 'active', reason = null, paused_at = null, warned_at = null,
      counted_from = (now() at time zone 'utc')::date + 1
    where org_id = ${orgId} and marketing = 'paused'`)
  return rowCount > 0
}

const FlaggedSender = z.object({
  org_id: Id,
  name: z.string(),
  marketing: z.enum(['active', 'paused']),
  reason: z.string().nullable(),
  since: z.date().nullable(),
})

export type DoubtfulSender = z.infer<typeof FlaggedSender>

export async function listFlagged(db: Db): Promise<readonly DoubtfulSender[]> {
  return await db.any(sql.type(FlaggedSender)`
    select o.id as org_id, o.name, r.marketing, r.reason, coalesce(r.paused_at, r.warned_at) as since
    from email.reputation as r join account.orgs as o on o.id = r.org_id
    where r.marketing = 'paused' or r.warned_at is not null
    order by since desc limit 500`)
}
