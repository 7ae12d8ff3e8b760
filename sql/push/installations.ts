import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { lockSpaces } from '../advisory-locks.ts'
import { allOf, byKey } from '../by-key.ts'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

/** What carries a push to a device. */
export const Provider = z.enum(['apns', 'fcm', 'webpush', 'sse'])

/** What carries a push to a device. */
export type Provider = z.infer<typeof Provider>

/** Days after which a stream goes that nobody has opened, and a device that is invalidated. */
const unusedDays = 90

/** Devices, browsers and streams of people. */
export const table = defineTable(
  'push',
  'installations',
  z.object({
    id: Id,
    org_id: Id,
    app_id: Id,
    push_user_id: Id,
    provider: Provider,
    environment: z.enum(['production', 'sandbox']),
    token: z.string(),
    device_id: z.string().nullable(),
    keys: z.object({ p256dh: z.string(), auth: z.string() }).nullable(),
    platform: z.string().nullable(),
    locale: z.string().nullable(),
    status: z.enum(['active', 'invalidated']),
    invalidated_reason: z.string().nullable(),
    invalidated_at: z.date().nullable(),
    registered_at: z.date(),
    created_at: z.date(),
    used_at: z.date(),
  }),
  {
    retention: [
      days(unusedDays, 'used_at', { which: 'of streams', where: sql.fragment`old.provider = 'sse'` }),
      days(unusedDays, 'invalidated_at', {
        which: 'that are invalidated',
        where: sql.fragment`old.status = 'invalidated'`,
      }),
    ],
  },
)

/** A device, browser or stream of a person. */
export type Installation = z.infer<typeof table.Row>

const columns = table.columns()

/** A device as it registers. */
export type Registration = Pick<
  Installation,
  'org_id' | 'app_id' | 'push_user_id' | 'provider' | 'environment' | 'token' | 'keys' | 'platform' | 'locale'
> & { id?: string; device_id?: string }

/**
 * Registers a device: one whose token is there already moves to the person it is registered for now, and keeps its id; one
 * with `previous` takes that token's place.
 */
export async function register(tx: Db, device: Registration, previous: string | undefined): Promise<Installation> {
  const { app_id, provider, token } = device
  // In one order, so that two devices that swap tokens wait instead of deadlocking.
  await tx.query(sql.type(z.object({ locked: z.unknown() }))`
    select pg_advisory_xact_lock(${lockSpaces.device}, key) as locked from (
      select distinct hashtext(${app_id}::text || ${provider}::text || t) as key
      from unnest(${sql.array([token, ...(previous === undefined ? [] : [previous])], 'text')}) as t order by key) as keys`)
  if (previous !== undefined && previous !== token) await replaceToken(tx, device, previous)
  const row = { ...device, id: device.id ?? newId() }
  return await tx.one(sql.type(table.Row)`
    ${table.insert(row)}
    on conflict (app_id, provider, token) do update
    set push_user_id = excluded.push_user_id, environment = excluded.environment, keys = excluded.keys,
      platform = excluded.platform, locale = excluded.locale, status = 'active', invalidated_reason = null,
      invalidated_at = null, registered_at = now(), used_at = now(),
      device_id = coalesce(excluded.device_id, installations.device_id)
    returning ${columns}`)
}

async function replaceToken(
  tx: Db,
  { app_id, provider, token }: Pick<Installation, 'app_id' | 'provider' | 'token'>,
  previous: string,
): Promise<void> {
  const before = sql.fragment`app_id = ${app_id} and provider = ${provider} and token = ${previous}`
  const isThere = await tx.exists(sql.type(z.object({ id: Id }))`
    select id from push.installations where app_id = ${app_id} and provider = ${provider} and token = ${token}`)
  await tx.query(
    isThere
      ? sql.typeAlias('void')`delete from push.installations where ${before}`
      : sql.typeAlias('void')`update push.installations set token = ${token} where ${before}`,
  )
}

/** An installation and the customer's id of its person. */
export const View = table.Row.extend({ user_id: z.string() })

/** An installation and the customer's id of its person. */
export type View = z.infer<typeof View>

export async function find(db: Db, orgId: string, id: string): Promise<Installation | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from push.installations where id = ${id} and org_id = ${orgId}`)
}

export async function findMany(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, Installation>> {
  const rows = await db.any(sql.type(table.Row)`
    select ${columns} from push.installations where id = any(${sql.array([...ids], 'uuid')})`)
  return new Map(rows.map((row) => [row.id, row]))
}

export interface ListFilter {
  status: Installation['status'] | undefined
  provider: Provider | undefined
  userId: string | undefined
  before: string | undefined
  limit: number
}

/** Installations of an app, newest first. */
export async function list(db: Db, appId: string, filter: ListFilter): Promise<readonly View[]> {
  const { status = null, provider = null, userId = null, before = null, limit } = filter
  const of =
    userId === null
      ? sql.fragment`true`
      : sql.fragment`i.push_user_id = (select id from push.users where app_id = ${appId} and user_id = ${userId})`
  return await db.any(sql.type(View)`
    select ${table.columns('i')}, u.user_id
    from push.installations as i join push.users as u on u.id = i.push_user_id
    where i.app_id = ${appId} and ${of} and (${status}::text is null or i.status = ${status})
      and (${provider}::text is null or i.provider = ${provider}) and (${before}::uuid is null or i.id < ${before})
    order by i.id desc limit ${limit}`)
}

/** Removes an installation; false when there is none. */
export async function remove(db: Db, orgId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    delete from push.installations where id = ${id} and org_id = ${orgId}`)
  return rowCount === 1
}

/** What a page of a message's devices has of each. */
const Device = table.Row.pick({ id: true, provider: true, environment: true, platform: true })

/** What a page of a message's devices has of each. */
export type Device = z.infer<typeof Device>

/** Devices of a person by rising id, behind the one with id `after`. */
export async function page(
  db: Db,
  pushUserId: string,
  after: string | null,
  limit: number,
): Promise<readonly Device[]> {
  return await db.any(sql.type(Device)`
    select id, provider, environment, platform from push.installations
    where push_user_id = ${pushUserId} and status = 'active' and (${after}::uuid is null or id > ${after})
    order by id limit ${limit}`)
}

/** A token that its provider calls dead. */
export interface DeadToken {
  id: string
  token: string
  reason: string
  /** A registration after that stands. */
  since: Date
}

/** Invalidates installations that still have the dead token and have not registered since; returns those that were. */
export async function invalidate(tx: Db, dead: readonly DeadToken[]): Promise<readonly View[]> {
  if (dead.length === 0) return []
  const given = dead.map(({ since, ...rest }) => ({ ...rest, since: since.toISOString() }))
  return await tx.any(sql.type(View)`
    with given as (
      select * from json_to_recordset(${JSON.stringify(given)}::json)
        as g (id uuid, token text, reason text, since timestamptz)
    ), locked as (
      select i.id, g.reason from push.installations as i join given as g on ${byKey('i.id', 'g.id', allOf('id', 'given'))}
      where i.status = 'active' and i.token = g.token and i.registered_at <= g.since
      order by i.id for update of i
    )
    update push.installations as i
    set status = 'invalidated', invalidated_reason = l.reason, invalidated_at = now()
    from locked as l, push.users as u
    where ${byKey('i.id', 'l.id', allOf('id', 'locked'))} and u.id = i.push_user_id
    returning ${table.columns('i')}, u.user_id`)
}

const Count = z.object({ provider: Provider, status: table.Row.shape.status, count: z.number() })

/** How many devices an app has, by provider and status. */
export async function count(db: Db, appId: string): Promise<readonly z.infer<typeof Count>[]> {
  return await db.any(sql.type(Count)`
    select provider, status, count(*) as count from push.installations
    where app_id = ${appId} group by provider, status`)
}
