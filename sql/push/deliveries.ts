import { z } from 'zod'
import { firstIdAt, Id } from '#lib/ids.ts'
import { notClosing } from '../account/closures.ts'
import { allIn, allOf, byKey } from '../by-key.ts'
import { type Db, sql } from '../db.ts'
import { everything, isOlder, type Page, type Part } from '../filters.ts'
import { zeroCounts } from '../no-counts.ts'
import { defineTable, getColumns } from '../table.ts'
import { type Credential, table as credentials } from './credentials.ts'
import { Provider } from './installations.ts'

export const Status = z.enum(['queued', 'sent', 'delivered', 'failed', 'expired', 'cancelled'])

export type Status = z.infer<typeof Status>

export const table = defineTable(
  'push',
  'deliveries',
  z.object({
    id: Id,
    org_id: Id,
    app_id: Id,
    message_id: Id,
    installation_id: Id,
    push_user_id: Id,
    provider: Provider,
    environment: z.enum(['production', 'sandbox']),
    platform: z.string().nullable(),
    status: Status,
    reason: z.string().nullable(),
    event: z.number().nullable(),
    attempts: z.number(),
    due_at: z.date(),
    leased_by: Id.nullable(),
    created_at: z.date(),
    sent_at: z.date().nullable(),
    delivered_at: z.date().nullable(),
    displayed_at: z.date().nullable(),
    opened_at: z.date().nullable(),
    dismissed_at: z.date().nullable(),
  }),
)

export type Delivery = z.infer<typeof table.Row>

/** A new delivery. Times are strings. */
export type NewDelivery = Pick<
  Delivery,
  | 'id'
  | 'org_id'
  | 'app_id'
  | 'message_id'
  | 'installation_id'
  | 'push_user_id'
  | 'provider'
  | 'environment'
  | 'platform'
  | 'status'
  | 'event'
  | 'attempts'
> & {
  sent_at: string | null
  reason: string | null
  /** Set for all deliveries of the insert or for none. Default: now. */
  due_at?: string
}

const Added = z.object({ id: Id })

/** Inserts deliveries and ignores existing ones. Returns the IDs of the new deliveries. */
export async function insertMany(tx: Db, deliveries: readonly NewDelivery[]): Promise<ReadonlySet<string>> {
  if (deliveries.length === 0) return new Set()
  const name = deliveries[0]?.due_at === undefined ? 'push_deliveries.insert_many' : 'push_deliveries.insert_due'
  const added = await tx.anyFirst(sql.prepared(name, Added)`
    ${table.insertMany(deliveries)} on conflict (message_id, installation_id) do nothing returning id`)
  return new Set(added)
}

/** Assigns numbers to deliveries to streams, in the streams of their users. */
export async function assignEventNumbers(tx: Db, events: readonly { id: string; event: number }[]): Promise<void> {
  if (events.length === 0) return
  await tx.query(sql.typeAlias('void')`
    update push.deliveries as d set event = g.event
    from json_to_recordset(${JSON.stringify(events)}::json) as g (id uuid, event bigint)
    where ${byKey(
      'd.id',
      'g.id',
      allIn(
        events.map(({ id }) => id),
        'uuid',
      ),
    )}`)
}

/** Deliveries that are sent together. Deliveries to streams, which this process serves, also form a lane. */
export interface Lane extends Pick<Credential, 'app_id' | 'environment'> {
  provider: Provider
}

/**
 * Selects queued deliveries of a lane. Selects none while the app’s organisation is closing, which is checked once per
 * statement. If closing is cancelled, the deliveries become due again.
 */
const inLane = ({ app_id, provider, environment }: Lane) =>
  sql.fragment`app_id = ${app_id} and provider = ${provider} and environment = ${environment} and status = 'queued'
    and (select account.is_closing(org_id) from push.apps where id = ${app_id}) is not true`

export const ClaimedDelivery = table.Row.pick({
  id: true,
  org_id: true,
  app_id: true,
  message_id: true,
  installation_id: true,
  push_user_id: true,
  provider: true,
  platform: true,
  attempts: true,
  created_at: true,
}).extend({
  /** True if a previous worker recorded no result. The device may already have the message. */
  lost: z.boolean(),
})

export type ClaimedDelivery = z.infer<typeof ClaimedDelivery>

/**
 * Leases up to `limit` deliveries of a lane: deliveries that this job had before its worker was killed, and due
 * deliveries. A leased delivery becomes due again when its lease ends.
 */
export async function claim(
  tx: Db,
  lane: Lane,
  { lease, seconds, limit }: { lease: string; seconds: number; limit: number },
): Promise<readonly ClaimedDelivery[]> {
  return await tx.any(sql.type(ClaimedDelivery)`
    with own as (
      select id from push.deliveries
      where leased_by = ${lease} and ${inLane(lane)} order by id limit ${limit} for update
    ), due as (
      select id, leased_by is not null as lost from push.deliveries
      where ${inLane(lane)} and due_at <= now() and leased_by is distinct from ${lease}
      order by due_at limit greatest(0, ${limit} - (select count(*) from own)) for update skip locked
    ), taken as (select id, true as lost from own union all select id, lost from due)
    update push.deliveries as d
    set leased_by = ${lease}, due_at = now() + ${seconds} * interval '1 second',
      attempts = d.attempts + case when t.lost then 1 else 0 end
    from taken as t where ${byKey('d.id', 't.id', allOf('id', 'taken'))}
    returning ${getColumns(ClaimedDelivery.omit({ lost: true }), 'd')}, t.lost`)
}

/** Leases up to `limit` deliveries of a lane that are not being sent and whose messages ended `late` seconds ago. */
export async function claimExpired(
  tx: Db,
  lane: Lane,
  { lease, seconds, limit, late }: { lease: string; seconds: number; limit: number; late: number },
): Promise<readonly ClaimedDelivery[]> {
  return await tx.any(sql.type(ClaimedDelivery)`
    update push.deliveries as d set leased_by = ${lease}, due_at = now() + ${seconds} * interval '1 second'
    where d.id = any(array(
      select id from push.deliveries as o
      where ${inLane(lane)} and due_at <= now() and leased_by is null and exists (
        select from push.messages as m where m.id = o.message_id and m.expires_at < now() - ${late} * interval '1 second')
      order by due_at limit ${limit} for update skip locked))
    returning ${getColumns(ClaimedDelivery.omit({ lost: true }), 'd')}, false as lost`)
}

export async function countDue(db: Db, lane: Lane, limit: number): Promise<number> {
  return await db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*) as count from (
      select from push.deliveries where ${inLane(lane)} and due_at <= now() limit ${limit}) as due`)
}

/**
 * Returns the time in seconds until the next delivery of a lane is due. `null` if no delivery waits, or if a job is
 * sending it.
 */
export async function getSecondsUntilDue(db: Db, lane: Lane): Promise<number | null> {
  return await db.maybeOneFirst(sql.type(z.object({ seconds: z.number() }))`
    select extract(epoch from due_at - now()) as seconds from push.deliveries
    where ${inLane(lane)} and leased_by is null order by due_at limit 1`)
}

const lanes = sql.fragment`(values ('apns', 'production'), ('apns', 'sandbox'), ('fcm', 'production'), ('webpush', 'production'), ('sse', 'production'))`

/** Lists lanes with a delivery that has been due for `seconds`, because its lease ended or its wake-up was lost. */
export async function listOverdue(db: Db, seconds: number): Promise<readonly (Lane & { org_id: string })[]> {
  const Row = credentials.Row.pick({ org_id: true, app_id: true, environment: true }).extend({ provider: Provider })
  return await db.any(sql.type(Row)`
    select a.org_id, a.id as app_id, l.provider, l.environment
    from push.apps as a cross join ${lanes} as l (provider, environment)
    where ${notClosing('a')} and exists (
      select from push.deliveries as d
      where d.app_id = a.id and d.provider = l.provider and d.environment = l.environment and d.status = 'queued'
        and d.due_at < now() - ${seconds} * interval '1 second')`)
}

export async function countByStatus(db: Db, messageId: string): Promise<Partial<Record<Status, number>>> {
  const rows = await db.any(sql.type(z.object({ status: Status, count: z.number() }))`
    select status, count(*) as count from push.deliveries where message_id = ${messageId} group by status`)
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}

export async function countReceipts(db: Db, messageId: string): Promise<{ displayed: number; opened: number }> {
  return await db.one(sql.type(z.object({ displayed: z.number(), opened: z.number() }))`
    select count(displayed_at) as displayed, count(opened_at) as opened
    from push.deliveries where message_id = ${messageId}`)
}

/** A delivery with the customer’s ID of its user. `null` for an anonymous device. */
export const DeliveryView = table.Row.extend({ user_id: z.string().nullable() })

export type DeliveryView = z.infer<typeof DeliveryView>

export const filters = { status: table.equals('status', 's'), provider: table.equals('provider', 'p') }

/**
 * Lists deliveries of an app, newest first. A page with filters is merged from the newest deliveries of each matching
 * status and provider, so one index is enough for all filters.
 */
export async function list(
  db: Db,
  appId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly DeliveryView[]> {
  const of = sql.fragment`app_id = ${appId} and ${isOlder(before)}`
  const found =
    where === everything
      ? sql.fragment`select * from push.deliveries where ${of} order by id desc limit ${limit}`
      : sql.fragment`
        select f.* from unnest(${sql.array(Status.options, 'text')}) as s (status)
        cross join unnest(${sql.array(Provider.options, 'text')}) as p (provider)
        cross join lateral (
          select * from push.deliveries where ${of} and status = s.status and provider = p.provider
          order by id desc limit ${limit}) as f
        where ${where}`
  return await db.any(sql.type(DeliveryView)`
    select ${table.columns('d')}, coalesce(m.user_id, u.user_id) as user_id
    from (${found}) as d join push.messages as m on m.id = d.message_id
    left join push.users as u on u.id = d.push_user_id
    order by d.id desc limit ${limit}`)
}

export async function listForMessage(
  db: Db,
  messageId: string,
  { before, limit }: Part,
): Promise<readonly DeliveryView[]> {
  return await db.any(sql.type(DeliveryView)`
    select ${table.columns('d')}, u.user_id
    from push.deliveries as d left join push.users as u on u.id = d.push_user_id
    where d.message_id = ${messageId} and (${before ?? null}::uuid is null or d.id < ${before ?? null})
    order by d.id desc limit ${limit}`)
}

/** Counts deliveries of an app since a time by status. The result contains every status. */
export async function countSince(db: Db, appId: string, since: Date): Promise<Record<Status, number>> {
  const rows = await db.any(sql.type(z.object({ status: Status, count: z.number() }))`
    select status, count(*) as count from push.deliveries
    where app_id = ${appId} and id >= ${firstIdAt(since)} group by status`)
  return { ...zeroCounts(Status), ...Object.fromEntries(rows.map(({ status, count }) => [status, count])) }
}
