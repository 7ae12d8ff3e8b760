import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { isOpen } from '../account/closures.ts'
import { type Db, sql } from '../db.ts'
import { lockOrgLimit } from '../org-limits.ts'
import { defineTable, getColumns } from '../table.ts'

/** Condition on a value of the payload. */
export const Filter = z.object({
  path: z.string(),
  op: z.enum(['eq', 'ne', 'in', 'exists', 'gt', 'lt']),
  value: z.unknown(),
})

export type Filter = z.infer<typeof Filter>

export const table = defineTable(
  'webhooks',
  'endpoints',
  z.object({
    id: Id,
    org_id: Id,
    area: z.enum(['email', 'push']).nullable(),
    name: z.string().nullable(),
    mode: z.enum(['live', 'test']).nullable(),
    url: z.string(),
    events: z.array(z.string()),
    secret: z.string(),
    previous_secret: z.string().nullable(),
    previous_until: z.date().nullable(),
    status: z.enum(['enabled', 'disabled']),
    disabled_reason: z.string().nullable(),
    disabled_at: z.date().nullable(),
    failing_since: z.date().nullable(),
    failures: z.number(),
    resume_at: z.date().nullable(),
    paused_at: z.date().nullable(),
    leased_by: Id.nullable(),
    leased_until: z.date().nullable(),
    created_at: z.date(),
    app_id: Id.nullable(),
    description: z.string().nullable(),
    filters: z.array(Filter).nullable(),
    channels: z.array(z.string()).nullable(),
    headers: z.string().nullable(),
    header_names: z.array(z.string()).nullable(),
    rate_limit: z.number().nullable(),
    rate_per: z.enum(['second', 'minute']).nullable(),
    window_at: z.date().nullable(),
    window_count: z.number(),
  }),
)

export const Endpoint = table.Row.omit({
  ...{ secret: true, previous_secret: true, leased_by: true, leased_until: true },
  ...{ headers: true, window_at: true, window_count: true },
})

export type Endpoint = z.infer<typeof Endpoint>

const columns = getColumns(Endpoint)

export const sealPurpose = 'webhook secrets'

export const getSecretContext = (endpointId: string) => `webhook endpoint ${endpointId}`

export const getHeadersContext = (endpointId: string) => `webhook endpoint headers ${endpointId}`

/**
 * Without `area`: all endpoints, including those of single areas. Only with `appId`: endpoints of a customer of the
 * organisation.
 */
export interface Owner {
  orgId: string
  appId?: string
  area?: string
  mode?: 'test' | undefined
}

export const owned = ({ orgId, appId, area, mode }: Owner) => {
  if (appId !== undefined) return sql.fragment`org_id = ${orgId} and app_id = ${appId}`
  const own = sql.fragment`org_id = ${orgId} and app_id is null`
  const theirs = area === undefined ? own : sql.fragment`${own} and area = ${area}`
  return mode === undefined ? theirs : sql.fragment`${theirs} and mode = ${mode}`
}

export type NewEndpoint = Pick<z.infer<typeof table.Row>, 'id' | 'org_id' | 'area' | 'url' | 'events' | 'secret'> &
  Partial<Pick<Endpoint, 'name' | 'mode'>>

/** Returns null if the organisation already has `max` endpoints of this area, or without an area. */
export async function insert(tx: Db, endpoint: NewEndpoint, max: number): Promise<Endpoint | null> {
  const { id, org_id, area, url, events, secret, name = null, mode = null } = endpoint
  await lockOrgLimit(tx, org_id, `webhooks.${area ?? ''}`)
  return await tx.maybeOne(sql.type(Endpoint)`
    insert into webhooks.endpoints (id, org_id, area, url, events, secret, name, mode)
    select ${id}, ${org_id}, ${area}, ${url}, ${sql.array(events, 'text')}, ${secret}, ${name}, ${mode}
    where (
      select count(*) from webhooks.endpoints where org_id = ${org_id} and app_id is null and area is not distinct from ${area}
    ) < ${max}
    returning ${columns}`)
}

export async function list(
  db: Db,
  owner: Owner,
  { limit, before }: { limit: number; before: string | undefined },
): Promise<readonly Endpoint[]> {
  return await db.any(sql.type(Endpoint)`
    select ${columns} from webhooks.endpoints
    where ${owned(owner)} and (${before ?? null}::uuid is null or id < ${before ?? null}::uuid)
    order by id desc limit ${limit}`)
}

export async function find(db: Db, owner: Owner, id: string): Promise<Endpoint | null> {
  return await db.maybeOne(sql.type(Endpoint)`
    select ${columns} from webhooks.endpoints where id = ${id} and ${owned(owner)}`)
}

/** Also deletes pending deliveries and the log. Returns null if the endpoint does not exist. */
export async function remove(tx: Db, owner: Owner, id: string): Promise<string | null> {
  return await tx.maybeOneFirst(sql.type(z.object({ id: Id }))`
    delete from webhooks.endpoints where id = ${id} and ${owned(owner)} returning id`)
}

/**
 * Replaces the secret. Both secrets are encrypted. The previous secret stays in use for `keepMs` milliseconds. Returns
 * null if the endpoint does not exist.
 */
export async function rotate(
  db: Db,
  owner: Owner,
  id: string,
  { secret, keepMs }: { secret: string; keepMs: number },
): Promise<Endpoint | null> {
  return await db.maybeOne(sql.type(Endpoint)`
    update webhooks.endpoints
    set previous_secret = case when ${keepMs}::bigint > 0 then secret end,
      previous_until = case when ${keepMs}::bigint > 0 then now() + ${keepMs} * interval '1 ms' end, secret = ${secret}
    where id = ${id} and ${owned(owner)} returning ${columns}`)
}

export async function enable(db: Db, owner: Owner, id: string): Promise<Endpoint | null> {
  return await db.maybeOne(sql.type(Endpoint)`
    update webhooks.endpoints
    set status = 'enabled', disabled_reason = null, disabled_at = null, failing_since = null, failures = 0, resume_at = null
    where id = ${id} and ${owned(owner)} returning ${columns}`)
}

export type Change = Partial<Pick<Endpoint, 'url' | 'events' | 'name' | 'mode'>>

/** Returns an endpoint, locked until the transaction ends. Null if it does not exist. */
export async function lock(tx: Db, owner: Owner, id: string): Promise<Endpoint | null> {
  return await tx.maybeOne(sql.type(Endpoint)`
    select ${columns} from webhooks.endpoints where id = ${id} and ${owned(owner)} for no key update`)
}

/** Updates an endpoint. Pending deliveries go to the new URL. */
export async function change(tx: Db, { id, url, events, name, mode }: Endpoint): Promise<Endpoint> {
  return await tx.one(sql.type(Endpoint)`
    update webhooks.endpoints set url = ${url}, events = ${sql.array(events, 'text')}, name = ${name}, mode = ${mode}
    where id = ${id} returning ${columns}`)
}

export async function setPaused(tx: Db, owner: Owner, id: string): Promise<Endpoint | null> {
  return await tx.maybeOne(sql.type(Endpoint)`
    update webhooks.endpoints set paused_at = coalesce(paused_at, now())
    where id = ${id} and ${owned(owner)} returning ${columns}`)
}

export async function resume(tx: Db, owner: Owner, id: string): Promise<Endpoint | null> {
  return await tx.maybeOne(sql.type(Endpoint)`
    update webhooks.endpoints
    set paused_at = null, status = 'enabled', disabled_reason = null, disabled_at = null,
      failing_since = case when status = 'enabled' then failing_since end,
      failures = case when status = 'enabled' then failures else 0 end,
      resume_at = case when status = 'enabled' then resume_at end
    where id = ${id} and ${owned(owner)} returning ${columns}`)
}

const Subscription = table.Row.pick({ id: true, org_id: true, area: true, mode: true, events: true }).extend({
  paused: z.boolean(),
  /**
   * `settings`: the organisation stores its events, even without an endpoint. `rule`: a rule of the automation area.
   * `stream`: clients follow the events. `log_stream`: a log stream sends the events.
   */
  kind: z.enum(['endpoint', 'settings', 'rule', 'stream', 'log_stream']),
})

export type Subscription = z.infer<typeof Subscription>

/**
 * Returns enabled endpoints for events of these areas, enabled rules, and organisations that store events or whose
 * events are followed. Rules of closed organisations are omitted: their runs are rejected, and the events of others
 * would fail with them.
 */
export async function listSubscribed(
  db: Db,
  orgIds: readonly string[],
  areas: readonly string[],
): Promise<readonly Subscription[]> {
  const ids = sql.array(orgIds, 'uuid')
  return await db.any(sql.prepared('webhooks.list_subscribed', Subscription)`
    select id, org_id, area, mode, events, paused_at is not null as paused, 'endpoint' as kind from webhooks.endpoints
    where org_id = any(${ids}) and app_id is null and (area = any(${sql.array(areas, 'text')}) or area is null) and status = 'enabled'
    union all
    select org_id, org_id, null, null, '{}', false, 'settings' from webhooks.settings
    where org_id = any(${ids}) and keep_events
    union all
    select id, org_id, null, null, event_types, false, 'log_stream' from account.log_streams
    where org_id = any(${ids}) and 'events' = any(sources)
    union all
    select id, org_id, null, mode, array[event], false, 'rule' from automation.rules
    where org_id = any(${ids}) and state = 'enabled' and ${isOpen('rules')}
    union all
    select org_id, org_id, null, case mode when 'test' then 'test' end, '{}', false, 'stream' from webhooks.event_streams
    where org_id = any(${ids}) and until > now()`)
}

/**
 * Returns organisations with endpoints or rules for these patterns, or that store events, by ID after `after`. For events that
 * do not belong to a single organisation.
 */
export async function listAskingFor(
  tx: Db,
  patterns: readonly string[],
  { after, limit }: { after: string | null; limit: number },
): Promise<readonly string[]> {
  return await tx.anyFirst(sql.type(z.object({ org_id: Id }))`
    select org_id from (
      select org_id from webhooks.endpoints
      where area is null and app_id is null and status = 'enabled' and events && ${sql.array([...patterns], 'text')}
      union select org_id from webhooks.settings where keep_events
      union select org_id from webhooks.event_streams where mode = 'all' and until > now()
      union select org_id from account.log_streams
      where 'events' = any(sources) and event_types && ${sql.array([...patterns], 'text')}
      union select org_id from automation.rules where state = 'enabled' and event = any(${sql.array([...patterns], 'text')})
    ) as asking
    where ${after}::uuid is null or org_id > ${after}::uuid order by org_id limit ${limit}`)
}

/** Condition that the app of an endpoint is disabled. */
export const ofDisabledApp = (alias = 'endpoints') => sql.fragment`exists (
  select from hooks.apps as a where a.id = ${sql.identifier([alias, 'app_id'])} and a.disabled_at is not null)`

export const Target = table.Row.pick({
  ...{ id: true, org_id: true, area: true, app_id: true, url: true, filters: true, headers: true, rate_limit: true },
  ...{ secret: true, previous_secret: true, failing_since: true, failures: true },
}).extend({ app_rate_limit: z.number().nullable() })

export type Target = z.infer<typeof Target>

const targetColumns = sql.fragment`id, org_id, area, url, secret, failing_since, failures, app_id, filters, headers,
  rate_limit, (select a.rate_limit from hooks.apps as a where a.id = app_id) as app_rate_limit,
  case when previous_until > now() then previous_secret end as previous_secret`

export async function findTarget(db: Db, id: string): Promise<Target | null> {
  return await db.maybeOne(sql.type(Target)`select ${targetColumns} from webhooks.endpoints where id = ${id}`)
}

/** Maximum number of leased endpoints of one app, so that the slow endpoints of one customer do not use all slots. */
const maxLeased = 4

const hasAppRoom = sql.fragment`(app_id is null or (
  select count(*) from webhooks.endpoints as s where s.app_id = endpoints.app_id and s.leased_until > now()) < ${maxLeased})`

const mayDeliver = sql.fragment`status = 'enabled' and paused_at is null and (resume_at is null or resume_at <= now())
  and not ${ofDisabledApp()}`

/**
 * Leases an endpoint for `leaseMs` milliseconds. Returns null if another job has the lease, the endpoint or its app is
 * disabled, its circuit breaker is open, or its app has many leases. After a crash, the same job gets the lease again.
 */
export async function lease(db: Db, id: string, wakeId: string, leaseMs: number): Promise<Target | null> {
  return await db.maybeOne(sql.type(Target)`
    update webhooks.endpoints set leased_by = ${wakeId}, leased_until = now() + ${leaseMs} * interval '1 ms'
    where id = ${id} and ${mayDeliver}
      and (leased_by = ${wakeId} or (leased_by is null or leased_until < now()) and ${hasAppRoom})
    returning ${targetColumns}`)
}

/** Returns an endpoint that has no lease only because its app has many. Null otherwise. */
export async function findCrowded(db: Db, id: string): Promise<Pick<Endpoint, 'id' | 'org_id'> | null> {
  return await db.maybeOne(sql.type(Endpoint.pick({ id: true, org_id: true }))`
    select id, org_id from webhooks.endpoints
    where id = ${id} and app_id is not null and ${mayDeliver} and (leased_by is null or leased_until < now())`)
}

export async function release(db: Db, id: string, wakeId: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update webhooks.endpoints set leased_by = null, leased_until = null where id = ${id} and leased_by = ${wakeId}`)
}
