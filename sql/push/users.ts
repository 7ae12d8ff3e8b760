import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { allOf, byKey } from '../by-key.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** Users of apps, by the customer’s IDs. A user without an ID is known only by one device. */
export const table = defineTable(
  'push',
  'users',
  z.object({
    id: Id,
    org_id: Id,
    app_id: Id,
    user_id: z.string().nullable(),
    locale: z.string().nullable(),
    time_zone: z.string().nullable(),
    created_at: z.date(),
    last_event: z.number(),
    opted_out_at: z.date().nullable(),
    opt_out_source: z.string().nullable(),
  }),
)

export type User = z.infer<typeof table.Row>

const columns = table.columns()

/** A user to register. If a value is undefined, the stored value is kept. */
export interface UserFacts {
  org_id: string
  app_id: string
  user_id: string
  locale?: string | null | undefined
  time_zone?: string | null | undefined
  opted_out?: boolean | undefined
}

/** Registers a user, or updates the given fields of an existing one. */
export async function put(tx: Db, { locale, time_zone, opted_out, ...user }: UserFacts): Promise<User> {
  const kept = (name: keyof User, value: unknown) =>
    value === undefined ? sql.identifier(['users', name]) : sql.identifier(['excluded', name])
  const opted_out_at = opted_out ? sql.fragment`now()` : null
  const opt_out_source = opted_out ? 'api' : null
  return await tx.one(sql.type(table.Row)`
    ${table.insert({ id: newId(), ...user, locale, time_zone, opted_out_at, opt_out_source })}
    on conflict (app_id, user_id) do update
    set locale = ${kept('locale', locale)}, time_zone = ${kept('time_zone', time_zone)},
      opted_out_at = ${opted_out ? sql.fragment`coalesce(users.opted_out_at, now())` : kept('opted_out_at', opted_out)},
      opt_out_source = ${opted_out ? sql.fragment`coalesce(users.opt_out_source, 'api')` : kept('opt_out_source', opted_out)}
    returning ${columns}`)
}

/** Registers missing users. Returns the IDs of all given users. */
export async function putMany(
  tx: Db,
  { org_id, app_id }: Pick<User, 'org_id' | 'app_id'>,
  userIds: readonly string[],
): Promise<readonly string[]> {
  if (userIds.length === 0) return []
  // In a fixed order, so that requests with the same users cannot deadlock.
  const rows = [...new Set(userIds)].sort().map((user_id) => ({ id: newId(), org_id, app_id, user_id }))
  return await tx.anyFirst(sql.type(z.object({ id: Id }))`
    ${table.insertMany(rows)} on conflict (app_id, user_id) do update set user_id = excluded.user_id returning id`)
}

type NamedUser = Pick<UserFacts, 'org_id' | 'app_id' | 'user_id'>

/** Key of a user in the result of `findOrAdd`. */
export const nameOf = ({ app_id, user_id }: Omit<NamedUser, 'org_id'>): string => `${app_id} ${user_id}`

const mostTries = 10

/**
 * Returns the IDs of users by `nameOf`. Missing users are registered. All are locked against deletion until the
 * transaction ends. Messages to these users do not wait for this lock. `app_id` must be in lower case.
 */
export async function findOrAdd(tx: Db, wanted: readonly NamedUser[]): Promise<ReadonlyMap<string, string>> {
  const missing = new Map(wanted.map((user) => [nameOf(user), user]))
  const ids = new Map<string, string>()
  // A user can be deleted, or registered by another transaction, between the two statements. Then they are repeated.
  for (let tries = 0; missing.size > 0; tries++) {
    if (tries === mostTries) throw new Error('Users were neither found nor added.')
    for (const find of [lockKnown, insertMissing]) {
      for (const found of await find(tx, [...missing.values()])) {
        ids.set(nameOf(found), found.id)
        missing.delete(nameOf(found))
      }
    }
  }
  return ids
}

const Named = z.object({ id: Id, app_id: Id, user_id: z.string() })

async function lockKnown(tx: Db, wanted: readonly NamedUser[]) {
  const names = sql.unnest(
    wanted.map(({ app_id, user_id }) => [app_id, user_id]),
    ['uuid', 'text'],
  )
  return await tx.any(sql.type(Named)`
    select id, app_id, user_id from push.users where id = any(array(
      select u.id from ${names} as w (app_id, user_id) cross join lateral (
        select id from push.users where app_id = w.app_id and user_id = w.user_id limit 1) as u))
    order by id for key share`)
}

/** Returns the inserted users, without the ones that another transaction has registered. */
async function insertMissing(tx: Db, wanted: readonly NamedUser[]) {
  if (wanted.length === 0) return []
  // In a fixed order, so that transactions with common users wait instead of deadlocking.
  const rows = wanted
    .map(({ org_id, app_id, user_id }) => ({ id: newId(), org_id, app_id, user_id }))
    .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
  return await tx.any(sql.type(Named)`
    ${table.insertMany(rows)} on conflict (app_id, user_id) do nothing returning id, app_id, user_id`)
}

/** Creates anonymous users. Each is known only by one device and deleted with it. */
export async function addAnonymous(tx: Db, users: readonly Pick<User, 'id' | 'org_id' | 'app_id'>[]): Promise<void> {
  if (users.length > 0) await tx.query(sql.typeAlias('void')`${table.insertMany(users)}`)
}

/** Deletes anonymous users whose device was moved or deleted. */
export async function removeAnonymous(tx: Db, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await tx.query(sql.typeAlias('void')`
    delete from push.users where id = any(${sql.array([...ids], 'uuid')}) and user_id is null`)
}

export async function remove(tx: Db, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`delete from push.users where id = ${id}`)
}

const UserReach = z.object({ app_id: Id, user_id: z.string(), push_user_id: Id, reachable: z.boolean() })

/** Returns users by app and ID, and whether each user has a device and has not opted out. In any order, without unknown users. */
export async function findMany(
  db: Db,
  wanted: readonly { app_id: string; user_id: string }[],
): Promise<readonly z.infer<typeof UserReach>[]> {
  return await db.any(sql.type(UserReach)`
    select u.app_id, u.user_id, u.id as push_user_id,
      u.opted_out_at is null
        and exists (select from push.installations as i where i.push_user_id = u.id and i.status = 'active') as reachable
    from (select distinct * from json_to_recordset(${JSON.stringify(wanted)}::json) as w (app_id uuid, user_id text)) as w
    join push.users as u on u.app_id = w.app_id and u.user_id = w.user_id`)
}

export async function findOne(db: Db, appId: string, userId: string): Promise<User | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from push.users where app_id = ${appId} and user_id = ${userId}`)
}

/**
 * Returns the number of the next event of each user. The rows are locked until the commit, so that events become
 * visible in order. They are locked in ascending order of ID, so that messages to many users cannot deadlock.
 */
export async function reserveEventNumbers(tx: Db, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map()
  const rows = await tx.any(sql.type(table.Row.pick({ id: true, last_event: true }))`
    with locked as (
      select id from push.users where id = any(${sql.array([...new Set(ids)], 'uuid')}) order by id for no key update
    )
    update push.users as u set last_event = u.last_event + 1
    from locked as l where ${byKey('u.id', 'l.id', allOf('id', 'locked'))} returning u.id, u.last_event`)
  return new Map(rows.map(({ id, last_event }) => [id, last_event]))
}

/** IDs of a person in apps. `app_id` is `null` if the person has the ID in every app. */
export type PersonIds = readonly { app_id: string | null; user_id: string }[]

/** Sets or clears the opt-out of all users with these IDs. Returns the users that changed. */
export async function setOptedOut(
  tx: Db,
  orgId: string,
  ids: PersonIds,
  source: string | null,
): Promise<readonly User[]> {
  return await tx.any(sql.type(table.Row)`
    update push.users as u
    set opted_out_at = case when ${source !== null} then now() end, opt_out_source = ${source}
    where u.org_id = ${orgId} and (u.opted_out_at is null) = ${source !== null} and u.id in (${ofPerson(orgId, ids)})
    returning ${table.columns('u')}`)
}

/** Query for the IDs of the users of a person. */
export const ofPerson = (orgId: string, ids: PersonIds) => sql.fragment`
  select u.id from json_to_recordset(${JSON.stringify(ids)}::json) as w (app_id uuid, user_id text)
  join push.users as u on u.org_id = ${orgId} and u.user_id = w.user_id and (w.app_id is null or w.app_id = u.app_id)`

/** Returns the users of a person in all apps, in the order of their creation. */
export async function listByIds(db: Db, orgId: string, ids: PersonIds): Promise<readonly User[]> {
  return await db.any(sql.type(table.Row)`
    select ${columns} from push.users where id in (${ofPerson(orgId, ids)}) order by id limit 100`)
}
