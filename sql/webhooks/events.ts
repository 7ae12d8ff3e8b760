import { z } from 'zod'
import { firstIdAt, Id } from '#lib/ids.ts'
import { queueStored } from '../account/streams/queue.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { days } from '../retention.ts'
import { defineTable, getColumns } from '../table.ts'

/** Selects deliveries `d` of an enabled endpoint that is not paused. */
export const pendingDeliveries = sql.fragment`
  select from webhooks.deliveries as d join webhooks.endpoints as p on p.id = d.endpoint_id
  where d.status = 'pending' and p.status = 'enabled' and p.paused_at is null
    and not exists (select from hooks.apps as a where a.id = p.app_id and a.disabled_at is not null)`

/** Events of a paused endpoint have the same retention as other events. */
export const table = defineTable(
  'webhooks',
  'events',
  z.object({
    id: Id,
    org_id: Id,
    type: z.string(),
    data: z.record(z.string(), z.unknown()),
    sample: z.boolean(),
    created_at: z.date(),
    app_id: Id.nullable(),
    event_id: z.string().nullable(),
    tags: z.array(z.string()).nullable(),
    channels: z.array(z.string()).nullable(),
    deliver_at: z.date().nullable(),
    payload_until: z.date().nullable(),
    payload_deleted_at: z.date().nullable(),
  }),
  {
    retention: days('WEBHOOK_LOG_DAYS', 'created_at', {
      which: 'without pending deliveries',
      where: sql.fragment`not exists (${pendingDeliveries} and d.event_id = old.id)`,
    }),
  },
)

export const Event = table.Row.pick({ id: true, org_id: true, type: true, data: true, sample: true, created_at: true })

export type Event = z.infer<typeof Event>

const columns = getColumns(Event)

/** Columns of a message to a customer of the organisation. */
export type MessageColumns = Pick<z.infer<typeof table.Row>, 'app_id' | 'event_id' | 'tags' | 'channels'> & {
  deliver_at: string | null
  payload_until: string | null
}

export async function insertMany(
  tx: Db,
  events: readonly (Omit<Event, 'created_at'> & Partial<MessageColumns> & { created_at: string })[],
): Promise<void> {
  if (events.length === 0) return
  await tx.query(sql.typeAlias('void')`
    with stored as (${table.insertMany(events)} on conflict (id) do nothing returning id, org_id, app_id, sample)
    ${queueStored('stored', 'events', sql.fragment`r.app_id is null and not r.sample`)}`)
}

/** Returns events without samples, newest first, after the event `before`. */
export const filters = { type: table.equals('type') }

export async function list(
  db: Db,
  orgId: string,
  { where, testOnly = false, before, limit }: Page<typeof filters> & { testOnly?: boolean },
): Promise<readonly Event[]> {
  return await db.any(sql.type(Event)`
    select ${columns} from webhooks.events
    where org_id = ${orgId} and app_id is null and not sample and ${where} and (not ${testOnly} or data ->> 'sandbox' = 'true')
      and ${isOlder(before)}
    order by id desc limit ${limit}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<Event | null> {
  return await db.maybeOne(sql.type(Event)`
    select ${columns} from webhooks.events where org_id = ${orgId} and app_id is null and id = ${id}`)
}

/** One day earlier, because the time of an ID can differ from the time of its row. The ID selects the partitions. */
export const dayBefore = (instant: string) => new Date(Date.parse(instant) - 86_400_000)

export async function listMissed(
  tx: Db,
  { endpointId, orgId, since, limit }: { endpointId: string; orgId: string; since: string; limit: number },
): Promise<readonly Event[]> {
  return await tx.any(sql.type(Event)`
    select ${getColumns(Event, 'e')} from webhooks.events as e
    where e.org_id = ${orgId} and e.app_id is null and not e.sample and e.created_at >= ${since} and e.id >= ${firstIdAt(dayBefore(since))}
      and not exists (
        select from webhooks.deliveries as d where d.event_id = e.id and d.endpoint_id = ${endpointId})
    order by e.created_at, e.id limit ${limit}`)
}
