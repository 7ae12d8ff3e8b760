import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { allOf, byKey } from '../by-key.ts'
import { type Db, sql } from '../db.ts'
import { everything, isOlder, type Page } from '../filters.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

export const Provider = z.enum(['apns', 'fcm', 'webpush', 'sse'])

export type Provider = z.infer<typeof Provider>

/** Deletes the users who are known only by the deleted devices. `gone` contains the devices. */
const former = sql.fragment`former as (
  delete from push.users as u using gone as g where u.id = g.push_user_id and u.user_id is null)`

/** Number of days after which an unused stream or an invalidated device is deleted. */
const unusedDays = 90

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
    time_zone: z.string().nullable(),
    tags: z.array(z.string()),
    status: z.enum(['active', 'invalidated']),
    invalidated_reason: z.string().nullable(),
    invalidated_at: z.date().nullable(),
    registered_at: z.date(),
    created_at: z.date(),
    used_at: z.date(),
  }),
  {
    retention: [
      days(unusedDays, 'used_at', {
        which: 'of streams',
        where: sql.fragment`old.provider = 'sse'`,
        following: former,
      }),
      days(unusedDays, 'invalidated_at', {
        which: 'that are invalidated',
        where: sql.fragment`old.status = 'invalidated'`,
        following: former,
      }),
    ],
  },
)

export type Installation = z.infer<typeof table.Row>

const columns = table.columns()

export interface DeviceChange {
  tags?: readonly string[] | undefined
  time_zone?: string | null | undefined
  locale?: string | null | undefined
}

export async function update(
  tx: Db,
  { id, org_id }: Pick<Installation, 'id' | 'org_id'>,
  { tags, ...facts }: DeviceChange,
): Promise<InstallationView | null> {
  const changes = table.set({ org_id, ...facts, ...(tags && { tags: sql.array([...tags], 'text') }) })
  return await tx.maybeOne(sql.type(InstallationView)`
    update push.installations as i set ${changes} from push.users as u
    where i.id = ${id} and i.org_id = ${org_id} and u.id = i.push_user_id returning ${table.columns('i')}, u.user_id`)
}

export const InstallationView = table.Row.extend({ user_id: z.string().nullable() })

export type InstallationView = z.infer<typeof InstallationView>

export async function find(db: Db, orgId: string, id: string): Promise<Installation | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from push.installations where id = ${id} and org_id = ${orgId}`)
}

/** An installation with the user’s fields that affect delivery. */
const ReachableInstallation = InstallationView.extend({
  user_locale: z.string().nullable(),
  user_time_zone: z.string().nullable(),
})

export type Reached = z.infer<typeof ReachableInstallation>

/** Returns installations by ID. Their users are looked up one by one (by-key.ts). */
export async function findMany(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, Reached>> {
  const rows = await db.any(sql.type(ReachableInstallation)`
    select ${table.columns('i')}, u.user_id, u.locale as user_locale, u.time_zone as user_time_zone
    from push.installations as i join push.users as u on u.id = any(array[i.push_user_id])
    where i.id = any(${sql.array([...ids], 'uuid')})`)
  return new Map(rows.map((row) => [row.id, row]))
}

export const filters = { status: table.equals('status', 'i'), push_provider: table.equals('provider', 'i') }

/** Lists devices, newest first. `userId` selects the devices of one of the customer’s users. */
export async function list(
  db: Db,
  appId: string,
  { where, userId, before, limit }: Page<typeof filters> & { userId: string | undefined },
): Promise<readonly InstallationView[]> {
  const of =
    userId === undefined
      ? everything
      : sql.fragment`i.push_user_id = (select id from push.users where app_id = ${appId} and user_id = ${userId})`
  return await db.any(sql.type(InstallationView)`
    select ${table.columns('i')}, u.user_id
    from push.installations as i join push.users as u on u.id = i.push_user_id
    where i.app_id = ${appId} and ${of} and ${where} and ${isOlder(before, ['i', 'id'])}
    order by i.id desc limit ${limit}`)
}

export async function remove(db: Db, orgId: string, id: string): Promise<boolean> {
  const count = await db.oneFirst(sql.typeAlias('count')`
    with gone as (delete from push.installations where id = ${id} and org_id = ${orgId} returning push_user_id), ${former}
    select count(*) from gone`)
  return count === 1
}

export async function removeAllForUser(tx: Db, pushUserId: string): Promise<readonly string[]> {
  return await tx.anyFirst(sql.type(z.object({ id: Id }))`
    delete from push.installations where push_user_id = ${pushUserId} returning id`)
}

export interface InvalidToken {
  id: string
  token: string
  reason: string
  /** Registrations after this time are kept. */
  since: Date
}

/**
 * Invalidates installations that still have the invalid token and have not registered since. Returns the installations.
 */
export async function invalidate(tx: Db, dead: readonly InvalidToken[]): Promise<readonly InstallationView[]> {
  if (dead.length === 0) return []
  const given = dead.map(({ since, ...rest }) => ({ ...rest, since: since.toISOString() }))
  return await tx.any(sql.type(InstallationView)`
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

/** Returns the newest devices of these users, with invalidated ones. */
export async function listForUsers(
  db: Db,
  pushUserIds: readonly string[],
  limit: number,
): Promise<readonly Installation[]> {
  return await db.any(sql.type(table.Row)`
    select ${columns} from push.installations where push_user_id = any(${sql.array([...pushUserIds], 'uuid')})
    order by id desc limit ${limit}`)
}

/** Returns the ID of the device with a token. `null` if the app has no such device. */
export async function findByToken(
  db: Db,
  appId: string,
  { provider, token }: Pick<Installation, 'provider' | 'token'>,
): Promise<string | null> {
  return await db.maybeOneFirst(sql.type(table.Row.pick({ id: true }))`
    select id from push.installations where app_id = ${appId} and provider = ${provider} and token = ${token}`)
}
