import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { notClosing } from '../account/closures.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { defineTable, getColumns } from '../table.ts'
import { ofDisabledApp } from './endpoints.ts'
import { table as events } from './events.ts'
import { windowEnd } from './rates.ts'

const Attempt = z.object({
  at: z.coerce.date(),
  status: z.number().nullable(),
  ms: z.number(),
  error: z.string().nullable(),
})

const maxLogged = 20

export const table = defineTable(
  'webhooks',
  'deliveries',
  z.object({
    id: Id,
    org_id: Id,
    event_id: Id,
    endpoint_id: Id,
    status: z.enum(['pending', 'delivered', 'failed']),
    attempts: z.number(),
    due_at: z.date(),
    attempted_at: z.date().nullable(),
    response_status: z.number().nullable(),
    latency_ms: z.number().nullable(),
    response_head: z.string().nullable(),
    error: z.string().nullable(),
    created_at: z.date(),
    response_headers: z.record(z.string(), z.string()).nullable(),
    attempt_log: z.array(Attempt).nullable(),
  }),
)

export const Status = table.Row.shape.status

export type Status = z.infer<typeof Status>

export type NewDelivery = Pick<z.infer<typeof table.Row>, 'id' | 'org_id' | 'event_id' | 'endpoint_id'> & {
  /** Time of the first attempt. Default: now. */
  due_at?: string | null
}

/**
 * Returns the endpoint of each delivery. Skips deleted endpoints. Endpoint rows are locked until the transaction ends,
 * so that the caller’s insert never fails.
 */
export async function insertMany(tx: Db, deliveries: readonly NewDelivery[]): Promise<readonly string[]> {
  return await tx.anyFirst(sql.type(z.object({ endpoint_id: Id }))`
    with given as (
      select * from json_to_recordset(${JSON.stringify(deliveries)}::json)
        as g (id uuid, org_id uuid, event_id uuid, endpoint_id uuid, due_at timestamptz)
    ), there as (
      select id from webhooks.endpoints where id in (select endpoint_id from given) order by id for key share
    )
    insert into webhooks.deliveries (id, org_id, event_id, endpoint_id, due_at)
    select g.id, g.org_id, g.event_id, g.endpoint_id, coalesce(g.due_at, now()) from given as g join there as t on t.id = g.endpoint_id
    on conflict (event_id, endpoint_id) do nothing
    returning endpoint_id`)
}

export const DueDelivery = table.Row.pick({ id: true, attempts: true, event_id: true }).extend({
  type: events.Row.shape.type,
  data: events.Row.shape.data,
  occurred_at: events.Row.shape.created_at,
  payload_deleted_at: events.Row.shape.payload_deleted_at,
})

export type DueDelivery = z.infer<typeof DueDelivery>

/** Maximum size of the events that are read together, in bytes. A payload can have 256 KiB. */
const maxBytes = 2 * 1_048_576

/**
 * Returns up to `limit` due deliveries, longest due first, except the deliveries in `except`. Returns fewer if their
 * events are large, but at least one.
 */
export async function listDue(
  db: Db,
  endpointId: string,
  { limit, except }: { limit: number; except: readonly string[] },
): Promise<readonly DueDelivery[]> {
  return await db.any(sql.type(DueDelivery)`
    select id, attempts, event_id, type, data, occurred_at, payload_deleted_at from (
      select d.id, d.attempts, d.event_id, e.type, e.data, e.created_at as occurred_at, e.payload_deleted_at, d.due_at,
        row_number() over place as number, sum(octet_length(e.data::text)) over place as bytes
      from (
        select id, attempts, event_id, due_at from webhooks.deliveries
        where endpoint_id = ${endpointId} and status = 'pending' and due_at <= now()
          and not id = any(${sql.array(except, 'uuid')})
        order by due_at, id limit ${limit}
      ) as d join webhooks.events as e on e.id = d.event_id
      window place as (order by d.due_at, d.id)
    ) as read where number = 1 or bytes <= ${maxBytes} order by due_at, id`)
}

/** Returns the next due time by the clock of Postgres. Null if no delivery waits. */
export async function findNextDue(db: Db, endpointId: string): Promise<Date | null> {
  return await db.maybeOneFirst(sql.type(z.object({ at: z.date() }))`
    select greatest(d.due_at, e.resume_at, ${windowEnd('e')}, (
        select ${windowEnd('a')} from hooks.apps as a where a.id = e.app_id)) as at
    from webhooks.endpoints as e join webhooks.deliveries as d on d.endpoint_id = e.id and d.status = 'pending'
    where e.id = ${endpointId} and e.status = 'enabled' and e.paused_at is null and not ${ofDisabledApp('e')}
    order by d.due_at limit 1`)
}

export interface AttemptLog {
  status: Status
  /** Delay until the next attempt of a pending delivery in milliseconds. */
  dueMs: number
  response_status: number | null
  latency_ms: number
  response_head: string | null
  response_headers?: Readonly<Record<string, string>> | null
  error: string | null
}

/** Returns false if another attempt was recorded after `attempts` was read, or the endpoint was deleted. */
export async function record(
  tx: Db,
  { id, event_id }: Pick<DueDelivery, 'id' | 'event_id'>,
  attempts: number,
  logged: AttemptLog,
): Promise<boolean> {
  const { status, dueMs, response_status, latency_ms, response_head, response_headers = null, error } = logged
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update webhooks.deliveries
    set status = ${status}, attempts = attempts + 1, due_at = now() + ${Math.round(dueMs)} * interval '1 ms',
      attempted_at = now(), response_status = ${response_status}, latency_ms = ${latency_ms},
      response_head = ${response_head}, error = ${error}, response_headers = ${response_headers && sql.jsonb(response_headers)},
      attempt_log = (case when jsonb_array_length(coalesce(attempt_log, '[]')) >= ${maxLogged} then attempt_log - 0
        else coalesce(attempt_log, '[]') end) || jsonb_build_object(
          'at', now(), 'status', ${response_status}::integer, 'ms', ${latency_ms}::integer, 'error', ${error}::text)
    where id = ${id} and event_id = ${event_id} and attempts = ${attempts} and status = 'pending'`)
  return rowCount === 1
}

/** Ends a pending delivery without an attempt. Returns false if it was not pending. */
export async function skip(
  tx: Db,
  { id, event_id }: Pick<DueDelivery, 'id' | 'event_id'>,
  error: string,
): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update webhooks.deliveries set status = 'failed', error = ${error}
    where id = ${id} and event_id = ${event_id} and status = 'pending'`)
  return rowCount === 1
}

export async function recordTest(
  tx: Db,
  { eventId, endpointId }: { eventId: string; endpointId: string },
  { delivered, ...logged }: Omit<AttemptLog, 'status' | 'dueMs'> & { delivered: boolean },
): Promise<void> {
  const id = await tx.maybeOneFirst(sql.type(z.object({ id: Id }))`
    select id from webhooks.deliveries where event_id = ${eventId} and endpoint_id = ${endpointId}`)
  if (id)
    await record(tx, { id, event_id: eventId }, 0, { ...logged, status: delivered ? 'delivered' : 'failed', dueMs: 0 })
}

const Listed = table.Row.omit({ response_headers: true, attempt_log: true })

export const View = Listed.extend({ type: events.Row.shape.type })

export type View = z.infer<typeof View>

export const filters = { status: table.equals('status', 'd') }

export async function list(
  db: Db,
  endpointId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly View[]> {
  return await db.any(sql.type(View)`
    select ${getColumns(Listed, 'd')}, e.type
    from webhooks.deliveries as d join webhooks.events as e on e.id = d.event_id
    where d.endpoint_id = ${endpointId} and ${where} and ${isOlder(before, ['d', 'id'])}
    order by d.id desc limit ${limit}`)
}

const Whole = table.Row.extend({ type: events.Row.shape.type, data: events.Row.shape.data, occurred_at: z.date() })

export type Whole = z.infer<typeof Whole>

const whole = sql.fragment`${table.columns('d')}, e.type, e.data, e.created_at as occurred_at
  from webhooks.deliveries as d join webhooks.events as e on e.id = d.event_id`

/** Returns a delivery with its event. `null` if the webhook has no such delivery. */
export async function find(db: Db, endpointId: string, id: string): Promise<Whole | null> {
  return await db.maybeOne(sql.type(Whole)`select ${whole} where d.endpoint_id = ${endpointId} and d.id = ${id}`)
}

/** Returns a delivery of the organisation without its event. */
export async function findAny(db: Db, orgId: string, id: string): Promise<Pick<Whole, 'id' | 'endpoint_id'> | null> {
  return await db.maybeOne(sql.type(table.Row.pick({ id: true, endpoint_id: true }))`
    select id, endpoint_id from webhooks.deliveries
    where endpoint_id in (select id from webhooks.endpoints where org_id = ${orgId} and app_id is null) and id = ${id}`)
}

/** Returns the deliveries of an event to all webhooks of the organisation. */
export async function listOfEvent(db: Db, orgId: string, eventId: string): Promise<readonly Whole[]> {
  return await db.any(sql.type(Whole)`
    select ${whole} where d.org_id = ${orgId} and d.event_id = ${eventId} and e.app_id is null order by d.id limit 100`)
}

const again = sql.fragment`status = 'pending', attempts = 0, due_at = now()`

/** Returns false if the delivery does not exist. */
export async function replay(tx: Db, endpointId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update webhooks.deliveries set ${again} where id = ${id} and endpoint_id = ${endpointId}`)
  return rowCount === 1
}

interface ReplayPeriod {
  since: string
  until?: string | null
  statuses: readonly Status[]
  limit: number
}

/**
 * Repeats up to `limit` deliveries, oldest first, and returns when they were added. They are found by an array of event
 * IDs, because a join could scan the whole log.
 */
export async function replaySince(
  tx: Db,
  endpointId: string,
  { since, until = null, statuses, limit }: ReplayPeriod,
): Promise<readonly Date[]> {
  return await tx.anyFirst(sql.type(z.object({ created_at: z.date() }))`
    with replayed as (
      update webhooks.deliveries set ${again} where endpoint_id = ${endpointId} and event_id = any(array(
        select event_id from webhooks.deliveries
        where endpoint_id = ${endpointId} and created_at >= ${since}
          and (${until}::timestamptz is null or created_at < ${until}) and status = any(${sql.array(statuses, 'text')})
        order by created_at, id limit ${limit} for update))
      returning created_at)
    select created_at from replayed order by created_at`)
}

/** Returns endpoints with a delivery that has been due for `ms` milliseconds and that no job has leased. */
export async function listOverdue(
  db: Db,
  ms: number,
  limit: number,
): Promise<readonly { id: string; org_id: string }[]> {
  return await db.any(sql.type(z.object({ id: Id, org_id: Id }))`
    select id, org_id from webhooks.endpoints as e
    where status = 'enabled' and paused_at is null and not ${ofDisabledApp('e')} and ${notClosing('e')} and (leased_until is null or leased_until < now())
      and (resume_at is null or resume_at < now() - ${ms} * interval '1 ms')
      and exists (select 1 from webhooks.deliveries where endpoint_id = e.id and status = 'pending'
        and due_at < now() - ${ms} * interval '1 ms')
    limit ${limit}`)
}
