import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { getColumns } from '../table.ts'
import { Endpoint, table } from '../webhooks/endpoints.ts'

/** Endpoints of the organisation's customers. They are in the table of the organisation's own endpoints. */

const columns = getColumns(Endpoint)

export type Settings = Pick<
  Endpoint,
  'url' | 'events' | 'description' | 'filters' | 'channels' | 'header_names' | 'rate_limit' | 'rate_per'
> & { headers: string | null }

export type NewEndpoint = Settings &
  Pick<z.infer<typeof table.Row>, 'id' | 'org_id' | 'secret' | 'status' | 'disabled_reason' | 'disabled_at'> & {
    app_id: string
  }

const bound = ({ events, channels, header_names, ...rest }: Partial<Settings>) => ({
  ...rest,
  ...(events && { events: sql.array(events, 'text') }),
  ...(channels !== undefined && { channels: channels && sql.array(channels, 'text') }),
  ...(header_names !== undefined && { header_names: header_names && sql.array(header_names, 'text') }),
})

/** Call it with a locked app. Returns null if the app already has `max` endpoints. */
export async function insert(tx: Db, endpoint: NewEndpoint, max: number): Promise<Endpoint | null> {
  const isFull = await tx.exists(sql.type(z.object({ id: Id }))`
    select id from webhooks.endpoints where app_id = ${endpoint.app_id} offset ${max - 1} limit 1`)
  if (isFull) return null
  return await tx.one(sql.type(Endpoint)`${table.insert({ ...endpoint, ...bound(endpoint) })} returning ${columns}`)
}

export async function update(tx: Db, id: string, change: Partial<Settings>): Promise<Endpoint> {
  return await tx.one(sql.type(Endpoint)`
    update webhooks.endpoints set ${table.set(bound(change))} where id = ${id} returning ${columns}`)
}

/** Disables an endpoint at the request of its owner. Returns null if it was already disabled. */
export async function disable(tx: Db, id: string, reason: string): Promise<Endpoint | null> {
  return await tx.maybeOne(sql.type(Endpoint)`
    update webhooks.endpoints set status = 'disabled', disabled_reason = ${reason}, disabled_at = now()
    where id = ${id} and status = 'enabled' returning ${columns}`)
}

export const filters = { status: table.equals('status') }

export async function list(
  db: Db,
  appId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly Endpoint[]> {
  return await db.any(sql.type(Endpoint)`
    select ${columns} from webhooks.endpoints where app_id = ${appId} and ${where} and ${isOlder(before)}
    order by id desc limit ${limit}`)
}

const Subscription = table.Row.pick({ id: true, org_id: true, events: true, filters: true, channels: true }).extend({
  app_id: Id,
})

export type Subscription = z.infer<typeof Subscription>

/** Returns the enabled endpoints of these apps. */
export async function listEnabled(db: Db, appIds: readonly string[]): Promise<readonly Subscription[]> {
  return await db.any(sql.type(Subscription)`
    select ${getColumns(Subscription)} from webhooks.endpoints
    where app_id = any(${sql.array([...appIds], 'uuid')}) and status = 'enabled'`)
}

const Secrets = table.Row.pick({ secret: true, previous_secret: true })

/** Returns the sealed secrets of an endpoint. Null if it does not exist. */
export async function findSecrets(db: Db, appId: string, id: string): Promise<z.infer<typeof Secrets> | null> {
  return await db.maybeOne(sql.type(Secrets)`
    select secret, case when previous_until > now() then previous_secret end as previous_secret
    from webhooks.endpoints where id = ${id} and app_id = ${appId}`)
}

const Counts = z.object({ pending: z.number(), delivered: z.number(), failed: z.number() })

const maxCounted = 10_000

/** Returns the number of deliveries to an endpoint by status, up to 10,000 each. */
export async function countDeliveries(db: Db, id: string): Promise<z.infer<typeof Counts>> {
  const count = (status: string) => sql.fragment`(select count(*)::integer from (
    select from webhooks.deliveries where endpoint_id = ${id} and status = ${status} limit ${maxCounted}) as counted)`
  return await db.one(sql.type(Counts)`
    select ${count('pending')} as pending, ${count('delivered')} as delivered, ${count('failed')} as failed`)
}
