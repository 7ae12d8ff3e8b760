import { z } from 'zod'
import { firstIdAt } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { everything, isOlder, type Page } from '../filters.ts'
import { getColumns } from '../table.ts'
import { table as deliveries } from '../webhooks/deliveries.ts'
import { dayBefore, table } from '../webhooks/events.ts'

/** Messages to the organisation's customers. They are in the table of the organisation's own events. */

export const MessageStatus = z.enum(['pending', 'delivered', 'failed', 'unrouted'])

export type MessageStatus = z.infer<typeof MessageStatus>

const Message = table.Row.omit({ sample: true }).extend({ status: MessageStatus })

export type Message = z.infer<typeof Message>

const stored = getColumns(Message.omit({ status: true }), 'e')

/** Counts the deliveries `c` of each message `e` by its index. `exists` could read the whole log. */
const source = sql.fragment`webhooks.events as e cross join lateral (
  select coalesce(bool_or(d.status = 'pending'), false) as pending, coalesce(bool_or(d.status = 'failed'), false) as failed,
    count(*) as total
  from webhooks.deliveries as d where d.event_id = e.id) as c`

const status = sql.fragment`case when c.pending then 'pending' when c.failed then 'failed'
  when c.total > 0 then 'delivered' else 'unrouted' end`

export const filters = {
  event_type: table.equals('type', 'e'),
  status: (wanted: MessageStatus) => sql.fragment`${status} = ${wanted}`,
  tag: (tag: string) => sql.fragment`e.tags @> ${sql.array([tag], 'text')}`,
  channel: (channel: string) => sql.fragment`e.channels @> ${sql.array([channel], 'text')}`,
  since: (since: string) => sql.fragment`e.created_at >= ${since}`,
  until: (until: string) => sql.fragment`e.created_at < ${until}`,
}

/** Statuses of few messages. They are found by the deliveries of the app's endpoints. */
const rare: ReadonlySet<string | undefined> = new Set(['pending', 'failed'])

/** Returns messages without test messages, newest first. `only` has values of filters that need the app. */
export async function list(
  db: Db,
  appId: string,
  { where, before, limit }: Page<typeof filters>,
  only: { event_id?: string | undefined; status?: MessageStatus | undefined },
): Promise<readonly Message[]> {
  const named =
    only.event_id === undefined
      ? everything
      : sql.fragment`e.id = (
        select message_id from hooks.event_ids where app_id = ${appId} and event_id = ${only.event_id})`
  const found =
    only.status === undefined || !rare.has(only.status)
      ? everything
      : sql.fragment`e.id in (select d.event_id from webhooks.deliveries as d where d.status = ${only.status}
        and d.endpoint_id = any(array(select id from webhooks.endpoints where app_id = ${appId})))`
  return await db.any(sql.type(Message)`
    select ${stored}, ${status} as status from ${source}
    where e.app_id = ${appId} and not e.sample and ${where} and ${named} and ${found} and ${isOlder(before, ['e', 'id'])}
    order by e.id desc limit ${limit}`)
}

export async function find(db: Db, appId: string, id: string): Promise<Message | null> {
  return await db.maybeOne(sql.type(Message)`
    select ${stored}, ${status} as status from ${source} where e.id = ${id} and e.app_id = ${appId}`)
}

/** Deletes the payload of a message. Pending deliveries end. Returns false if the message does not exist. */
export async function deletePayload(tx: Db, appId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update webhooks.events set data = '{}', payload_deleted_at = coalesce(payload_deleted_at, now()), payload_until = null
    where id = ${id} and app_id = ${appId}`)
  return rowCount === 1
}

const Delivery = deliveries.Row.extend({ type: z.string() })

export type Delivery = z.infer<typeof Delivery>

/** Returns the deliveries of a message, by endpoint. */
export async function listDeliveries(
  db: Db,
  messageId: string,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<readonly Delivery[]> {
  return await db.any(sql.type(Delivery)`
    select ${deliveries.columns('d')}, e.type from webhooks.deliveries as d join webhooks.events as e on e.id = d.event_id
    where d.event_id = ${messageId} and ${isOlder(before, ['d', 'id'])} order by d.id desc limit ${limit}`)
}

/** Deletes up to `limit` messages of an app, also test messages. Returns their number. */
export async function deleteOfApp(db: Db, appId: string, limit: number): Promise<number> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    delete from webhooks.events where id = any(array(
      select id from webhooks.events where app_id = ${appId} order by id limit ${limit}))`)
  return rowCount
}

export const deliveryFilters = { status: deliveries.equals('status', 'd') }

/** Returns the deliveries to an endpoint, newest first. */
export async function listEndpointDeliveries(
  db: Db,
  endpointId: string,
  { where, before, limit }: Page<typeof deliveryFilters>,
): Promise<readonly Delivery[]> {
  return await db.any(sql.type(Delivery)`
    select ${deliveries.columns('d')}, e.type from webhooks.deliveries as d join webhooks.events as e on e.id = d.event_id
    where d.endpoint_id = ${endpointId} and ${where} and ${isOlder(before, ['d', 'id'])} order by d.id desc limit ${limit}`)
}

const Missed = table.Row.pick({ id: true, type: true, channels: true, created_at: true })

export type Missed = z.infer<typeof Missed>

/** Returns messages of an app in a period, after `after`, that were never sent to an endpoint, oldest first. */
export async function listMissed(
  tx: Db,
  { appId, endpointId, since, until, after, limit }: MissedPeriod,
): Promise<readonly Missed[]> {
  return await tx.any(sql.type(Missed)`
    select ${getColumns(Missed, 'e')} from webhooks.events as e
    where e.app_id = ${appId} and not e.sample and e.payload_deleted_at is null
      and e.created_at >= ${since} and e.created_at < ${until} and e.id >= ${firstIdAt(dayBefore(since))}
      and ${after ? sql.fragment`(e.created_at, e.id) > (${after.created_at.toISOString()}, ${after.id})` : everything}
      and not exists (
        select from webhooks.deliveries as d where d.event_id = e.id and d.endpoint_id = ${endpointId})
    order by e.created_at, e.id limit ${limit}`)
}

interface MissedPeriod {
  appId: string
  endpointId: string
  since: string
  until: string
  after: Pick<Missed, 'id' | 'created_at'> | null
  limit: number
}

const Payload = table.Row.pick({ id: true, data: true })

/** Returns the payloads of messages. A payload can have 256 KiB, so read only a few at a time. */
export async function listPayloads(db: Db, ids: readonly string[]): Promise<readonly z.infer<typeof Payload>[]> {
  return await db.any(sql.type(Payload)`
    select id, data from webhooks.events where id = any(${sql.array([...ids], 'uuid')})`)
}

/** Returns the delivery of a message to an endpoint. Null if it was never sent to it. */
export async function findDelivery(db: Db, messageId: string, endpointId: string): Promise<string | null> {
  return await db.maybeOneFirst(sql.type(deliveries.Row.pick({ id: true }))`
    select id from webhooks.deliveries where event_id = ${messageId} and endpoint_id = ${endpointId}`)
}

/** Deletes up to `limit` payloads whose retention has ended. Returns their number. */
export async function expirePayloads(db: Db, limit: number): Promise<number> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    update webhooks.events set data = '{}', payload_deleted_at = now(), payload_until = null
    where id = any(array(
      select id from webhooks.events where payload_until <= now() order by payload_until limit ${limit}))`)
  return rowCount
}
