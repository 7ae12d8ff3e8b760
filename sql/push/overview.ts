import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import * as credentials from './credentials.ts'
import * as messages from './messages.ts'

const since = (days: number) => sql.fragment`(now() at time zone 'utc')::date - ${days - 1}::int`

const Day = z.object({
  day: z.string(),
  sent: z.number(),
  delivered: z.number(),
  displayed: z.number(),
  opened: z.number(),
  failed: z.number(),
})

export type Day = z.infer<typeof Day>

export async function listDays(db: Db, days: number): Promise<readonly Day[]> {
  const of = (status: string) => sql.fragment`coalesce(sum(d.count) filter (where d.status = ${status}), 0)::int8`
  return await db.any(sql.type(Day)`
    select g.day::date::text as day, ${of('sent')} as sent, ${of('delivered')} as delivered, ${of('displayed')} as displayed,
      ${of('opened')} as opened, coalesce(sum(d.count) filter (where d.status in ('failed', 'expired')), 0)::int8 as failed
    from generate_series((${since(days)})::timestamp, (now() at time zone 'utc')::date::timestamp, interval '1 day') as g (day)
    left join push.daily as d on d.day = g.day::date
    group by g.day order by g.day`)
}

const AppRow = z.object({
  id: Id,
  name: z.string(),
  org: z.string(),
  devices: z.number(),
  invalidated: z.number(),
  sent: z.number(),
  delivered: z.number(),
  opened: z.number(),
  failed: z.number(),
})

export type AppRow = z.infer<typeof AppRow>

export async function listApps(db: Db, days: number, limit: number): Promise<readonly AppRow[]> {
  const of = (status: string) => sql.fragment`coalesce(sum(count) filter (where status = ${status}), 0)::int8`
  return await db.any(sql.type(AppRow)`
    with most as (
      select a.id, a.name, o.name as org, c.*
      from push.apps as a join account.orgs as o on o.id = a.org_id cross join lateral (
        select ${of('sent')} as sent, ${of('delivered')} as delivered, ${of('opened')} as opened,
          coalesce(sum(count) filter (where status in ('failed', 'expired')), 0)::int8 as failed
        from push.daily where app_id = a.id and day >= ${since(days)}
      ) as c
      order by c.sent desc, a.id desc limit ${limit}
    )
    select m.*, i.devices, i.invalidated
    from most as m cross join lateral (
      select count(*) filter (where status = 'active') as devices, count(*) filter (where status = 'invalidated') as invalidated
      from push.installations where app_id = m.id
    ) as i order by m.sent desc, m.id desc`)
}

const Reason = z.object({ provider: z.string(), status: z.string(), reason: z.string(), count: z.number() })

export type Reason = z.infer<typeof Reason>

export async function listReasons(db: Db, days: number, limit: number): Promise<readonly Reason[]> {
  return await db.any(sql.type(Reason)`
    select provider, status, reason, sum(count)::int8 as count from push.daily
    where day >= ${since(days)} and status in ('failed', 'expired') and reason <> ''
    group by provider, status, reason order by count desc, reason limit ${limit}`)
}

const CredentialRow = credentials.CredentialFacts.extend({ app: z.string(), org: z.string(), open: z.boolean() })

export type CredentialRow = z.infer<typeof CredentialRow>

/**
 * Lists credentials of all organisations: first credentials whose breaker is or was open, then rejected credentials.
 */
export async function listCredentials(db: Db, limit: number): Promise<readonly CredentialRow[]> {
  const columns = sql.join(
    Object.keys(credentials.CredentialFacts.shape).map((column) => sql.identifier(['c', column])),
    sql.fragment`, `,
  )
  return await db.any(sql.type(CredentialRow)`
    select ${columns}, a.name as app, o.name as org, coalesce(c.open_until > now(), false) as open
    from push.credentials as c join push.apps as a on a.id = c.app_id join account.orgs as o on o.id = c.org_id
    order by c.open_until is null, c.check_state is distinct from 'failed', c.created_at desc limit ${limit}`)
}

export const MessageView = messages.table.Row.extend({ app: z.string(), org: z.string() })

/** Returns a message of any organisation, by its ID or the ID of one of its deliveries. */
export async function findMessage(db: Db, id: string): Promise<z.infer<typeof MessageView> | null> {
  return await db.maybeOne(sql.type(MessageView)`
    select ${messages.table.columns('m')}, a.name as app, o.name as org
    from push.messages as m join push.apps as a on a.id = m.app_id join account.orgs as o on o.id = m.org_id
    where m.id = ${id} or m.id = (select message_id from push.deliveries where id = ${id})`)
}
