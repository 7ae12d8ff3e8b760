import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { lockLimit } from '../org-limits.ts'
import { columnsOf, defineTable } from '../table.ts'

/** URLs that are told of an area's events, or of all areas'. */
export const table = defineTable(
  'webhooks',
  'endpoints',
  z.object({
    id: Id,
    org_id: Id,
    area: z.string().nullable(),
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
  }),
)

/** An endpoint without its secrets. */
export const Endpoint = table.Row.omit({ secret: true, previous_secret: true, leased_by: true, leased_until: true })

/** An endpoint without its secrets. */
export type Endpoint = z.infer<typeof Endpoint>

const columns = columnsOf(Endpoint)

/** What the seal of secrets is for. */
export const sealPurpose = 'webhook secrets'

/** The secrets of an endpoint are sealed as being about this. */
export const secretAbout = (endpointId: string) => `webhook endpoint ${endpointId}`

/** Whose endpoints, and of which area; without one all, those of the areas included. */
export interface Owner {
  orgId: string
  area?: string
  /** Those for test events alone. */
  mode?: 'test' | undefined
}

const owned = ({ orgId, area, mode }: Owner) => {
  const theirs =
    area === undefined ? sql.fragment`org_id = ${orgId}` : sql.fragment`org_id = ${orgId} and area = ${area}`
  return mode === undefined ? theirs : sql.fragment`${theirs} and mode = ${mode}`
}

/** An endpoint about to be added, its secret sealed. */
export type NewEndpoint = Pick<z.infer<typeof table.Row>, 'id' | 'org_id' | 'area' | 'url' | 'events' | 'secret'> &
  Partial<Pick<Endpoint, 'name' | 'mode'>>

/** Adds an endpoint; null when the organisation has `max` of that area already, or of those without one. */
export async function insert(tx: Db, endpoint: NewEndpoint, max: number): Promise<Endpoint | null> {
  const { id, org_id, area, url, events, secret, name = null, mode = null } = endpoint
  await lockLimit(tx, org_id, `webhooks.${area ?? ''}`)
  return await tx.maybeOne(sql.type(Endpoint)`
    insert into webhooks.endpoints (id, org_id, area, url, events, secret, name, mode)
    select ${id}, ${org_id}, ${area}, ${url}, ${sql.array(events, 'text')}, ${secret}, ${name}, ${mode}
    where (
      select count(*) from webhooks.endpoints where org_id = ${org_id} and area is not distinct from ${area}
    ) < ${max}
    returning ${columns}`)
}

/** Endpoints, newest first, after the one with id `before`. */
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

/** Removes an endpoint, and with it what is still to be delivered to it, and its log; null when there is none. */
export async function remove(tx: Db, owner: Owner, id: string): Promise<string | null> {
  return await tx.maybeOneFirst(sql.type(z.object({ id: Id }))`
    delete from webhooks.endpoints where id = ${id} and ${owned(owner)} returning id`)
}

/** Replaces a secret, both sealed; the one before is signed with for `keepMs` more. Null when there is no such endpoint. */
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

/** Delivers to a disabled endpoint again; null when there is none. */
export async function enable(db: Db, owner: Owner, id: string): Promise<Endpoint | null> {
  return await db.maybeOne(sql.type(Endpoint)`
    update webhooks.endpoints
    set status = 'enabled', disabled_reason = null, disabled_at = null, failing_since = null, failures = 0, resume_at = null
    where id = ${id} and ${owned(owner)} returning ${columns}`)
}

/** What is changed of an endpoint: what is left out stays. */
export type Change = Partial<Pick<Endpoint, 'url' | 'events' | 'name' | 'mode'>>

/** Locks an endpoint until the transaction ends; null when there is none. */
export async function lock(tx: Db, owner: Owner, id: string): Promise<Endpoint | null> {
  return await tx.maybeOne(sql.type(Endpoint)`
    select ${columns} from webhooks.endpoints where id = ${id} and ${owned(owner)} for no key update`)
}

/** Changes an endpoint that is locked; what waits for it goes to its new URL. */
export async function change(tx: Db, { id, url, events, name, mode }: Endpoint): Promise<Endpoint> {
  return await tx.one(sql.type(Endpoint)`
    update webhooks.endpoints set url = ${url}, events = ${sql.array(events, 'text')}, name = ${name}, mode = ${mode}
    where id = ${id} returning ${columns}`)
}

/** Holds what is to be delivered to an endpoint until it is resumed; null when there is none. */
export async function hold(tx: Db, owner: Owner, id: string): Promise<Endpoint | null> {
  return await tx.maybeOne(sql.type(Endpoint)`
    update webhooks.endpoints set paused_at = coalesce(paused_at, now())
    where id = ${id} and ${owned(owner)} returning ${columns}`)
}

/** Delivers to a paused or disabled endpoint again; null when there is none. */
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
  /** It is no endpoint: the organisation has its events kept. */
  keeps: z.boolean(),
})

/** What an endpoint is to be told of. */
export type Subscription = z.infer<typeof Subscription>

/** The endpoints that organisations have enabled for events of some areas, and which of them have their events kept. */
export async function listSubscribed(
  db: Db,
  orgIds: readonly string[],
  areas: readonly string[],
): Promise<readonly Subscription[]> {
  const ids = sql.array(orgIds, 'uuid')
  return await db.any(sql.prepared('webhooks.list_subscribed', Subscription)`
    select id, org_id, area, mode, events, paused_at is not null as paused, false as keeps from webhooks.endpoints
    where org_id = any(${ids}) and (area = any(${sql.array(areas, 'text')}) or area is null) and status = 'enabled'
    union all
    select org_id, org_id, null, null, '{}', false, true from webhooks.settings
    where org_id = any(${ids}) and keep_events`)
}

/**
 * Organisations whose own endpoints ask for events of one of these patterns, or that have their events kept, by their ids, after the
 * one with id `after`: for what happens to nobody's in particular.
 */
export async function listAskingFor(
  tx: Db,
  patterns: readonly string[],
  { after, limit }: { after: string | null; limit: number },
): Promise<readonly string[]> {
  return await tx.anyFirst(sql.type(z.object({ org_id: Id }))`
    select org_id from (
      select org_id from webhooks.endpoints
      where area is null and status = 'enabled' and events && ${sql.array([...patterns], 'text')}
      union select org_id from webhooks.settings where keep_events) as asking
    where ${after}::uuid is null or org_id > ${after}::uuid order by org_id limit ${limit}`)
}

/** What is needed to deliver to an endpoint, its secrets sealed. */
export const Target = table.Row.pick({
  id: true,
  org_id: true,
  area: true,
  url: true,
  secret: true,
  previous_secret: true,
  failing_since: true,
  failures: true,
})

/** What is needed to deliver to an endpoint. */
export type Target = z.infer<typeof Target>

const targetColumns = sql.fragment`id, org_id, area, url, secret, failing_since, failures,
  case when previous_until > now() then previous_secret end as previous_secret`

/** An endpoint of any organisation as a delivery needs it. */
export async function findTarget(db: Db, id: string): Promise<Target | null> {
  return await db.maybeOne(sql.type(Target)`select ${targetColumns} from webhooks.endpoints where id = ${id}`)
}

/**
 * Leases an endpoint to a wake-up for `leaseMs`; null when another has it, it is disabled, or its circuit breaker is open. The
 * same wake-up, whose job runs again after a crash, has it at once.
 */
export async function lease(db: Db, id: string, wakeId: string, leaseMs: number): Promise<Target | null> {
  return await db.maybeOne(sql.type(Target)`
    update webhooks.endpoints set leased_by = ${wakeId}, leased_until = now() + ${leaseMs} * interval '1 ms'
    where id = ${id} and status = 'enabled' and paused_at is null and (resume_at is null or resume_at <= now())
      and (leased_by is null or leased_by = ${wakeId} or leased_until < now())
    returning ${targetColumns}`)
}

/** Ends a wake-up's lease. */
export async function release(db: Db, id: string, wakeId: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update webhooks.endpoints set leased_by = null, leased_until = null where id = ${id} and leased_by = ${wakeId}`)
}

/** Notes that an endpoint has taken a delivery: it fails no more. */
export async function recover(tx: Db, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update webhooks.endpoints set failing_since = null, failures = 0, resume_at = null
    where id = ${id} and failing_since is not null`)
}

const FailureStreak = table.Row.pick({ failures: true }).extend({ failing_ms: z.number() })

/** Notes that an endpoint has failed; how often in a row, and for how long, with this time. Null when it is gone or disabled. */
export async function noteFailure(tx: Db, id: string): Promise<z.infer<typeof FailureStreak> | null> {
  return await tx.maybeOne(sql.type(FailureStreak)`
    update webhooks.endpoints set failing_since = coalesce(failing_since, now()), failures = failures + 1
    where id = ${id} and status = 'enabled'
    returning failures, extract(epoch from now() - failing_since)::float8 * 1000 as failing_ms`)
}

/** Opens the circuit breaker of an endpoint for `ms` milliseconds, unless it is open for longer. */
export async function pause(tx: Db, id: string, ms: number): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update webhooks.endpoints set resume_at = greatest(resume_at, now() + ${Math.round(ms)} * interval '1 ms')
    where id = ${id} and status = 'enabled'`)
}

/** Delivers to an endpoint no more: what waits for it goes on waiting. False when it was disabled already. */
export async function disable(tx: Db, id: string, reason: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update webhooks.endpoints set status = 'disabled', disabled_reason = ${reason}, disabled_at = now()
    where id = ${id} and status = 'enabled'`)
  return rowCount === 1
}
