import { z } from 'zod'
import { firstIdAt } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { getColumns } from '../table.ts'
import { table as deliveries, type Status } from '../webhooks/deliveries.ts'
import { dayBefore, table } from '../webhooks/events.ts'

/** Messages to the organisation's customers. They are in the table of the organisation's own events. */

export const MessageStatus = z.enum(['pending', 'delivered', 'failed', 'unrouted'])

export type MessageStatus = z.infer<typeof MessageStatus>

const Message = table.Row.omit({ sample: true }).extend({ status: MessageStatus })

export type Message = z.infer<typeof Message>

const stored = getColumns(Message.omit({ status: true }), 'e')

const has = (status: Status) =>
  sql.fragment`exists (select from webhooks.deliveries as d where d.event_id = e.id and d.status = ${status})`

const status = sql.fragment`case when ${has('pending')} then 'pending' when ${has('failed')} then 'failed'
  when ${has('delivered')} then 'delivered' else 'unrouted' end`

export const filters = {
  event_type: table.equals('type', 'e'),
  event_id: table.equals('event_id', 'e'),
  status: (wanted: MessageStatus) => sql.fragment`${status} = ${wanted}`,
  tag: (tag: string) => sql.fragment`${tag} = any(e.tags)`,
  channel: (channel: string) => sql.fragment`${channel} = any(e.channels)`,
  since: (since: string) => sql.fragment`e.created_at >= ${since}`,
  until: (until: string) => sql.fragment`e.created_at < ${until}`,
}

/** Returns messages without test messages, newest first. */
export async function list(
  db: Db,
  appId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly Message[]> {
  return await db.any(sql.type(Message)`
    select ${stored}, ${status} as status from webhooks.events as e
    where e.app_id = ${appId} and not e.sample and ${where} and ${isOlder(before, ['e', 'id'])}
    order by e.id desc limit ${limit}`)
}

export async function find(db: Db, appId: string, id: string): Promise<Message | null> {
  return await db.maybeOne(sql.type(Message)`
    select ${stored}, ${status} as status from webhooks.events as e where e.id = ${id} and e.app_id = ${appId}`)
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

const Missed = table.Row.pick({ id: true, type: true, data: true, channels: true, created_at: true })

export type Missed = z.infer<typeof Missed>

/** Returns messages of an app in a period that were never sent to an endpoint, oldest first. */
export async function listMissed(
  tx: Db,
  { appId, endpointId, since, until, limit }: MissedPeriod,
): Promise<readonly Missed[]> {
  return await tx.any(sql.type(Missed)`
    select ${getColumns(Missed, 'e')} from webhooks.events as e
    where e.app_id = ${appId} and not e.sample and e.payload_deleted_at is null
      and e.created_at >= ${since} and e.created_at < ${until} and e.id >= ${firstIdAt(dayBefore(since))}
      and not exists (
        select from webhooks.deliveries as d where d.event_id = e.id and d.endpoint_id = ${endpointId})
    order by e.created_at, e.id limit ${limit}`)
}

interface MissedPeriod {
  appId: string
  endpointId: string
  since: string
  until: string
  limit: number
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
