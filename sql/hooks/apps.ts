import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { isOpen } from '../account/closures.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { likeText } from '../like-text.ts'
import { defineTable, getColumns } from '../table.ts'

export const table = defineTable(
  'hooks',
  'apps',
  z.object({
    id: Id,
    org_id: Id,
    uid: z.string().nullable(),
    name: z.string(),
    metadata: z.record(z.string(), z.string()),
    rate_limit: z.number().nullable(),
    rate_per: z.enum(['second', 'minute']).nullable(),
    window_at: z.date().nullable(),
    window_count: z.number(),
    disabled_at: z.date().nullable(),
    deleted_at: z.date().nullable(),
    portal_version: z.number(),
    created_at: z.date(),
    updated_at: z.date(),
  }),
)

export const App = table.Row.omit({ window_at: true, window_count: true, portal_version: true, deleted_at: true })

export type App = z.infer<typeof App>

const columns = getColumns(App)

type NewApp = Pick<App, 'id' | 'org_id' | 'uid' | 'name' | 'metadata' | 'rate_limit' | 'rate_per' | 'disabled_at'>

/** Returns null if the organisation already has an app with this `uid`. */
export async function insert(tx: Db, app: NewApp): Promise<App | null> {
  return await tx.maybeOne(
    sql.type(App)`${table.insert(app)} on conflict (org_id, uid) do nothing returning ${columns}`,
  )
}

/** True if the organisation has at least `max` apps. */
export async function hasMany(tx: Db, orgId: string, max: number): Promise<boolean> {
  return await tx.exists(sql.type(z.object({ id: Id }))`
    select id from hooks.apps where org_id = ${orgId} and deleted_at is null offset ${max - 1} limit 1`)
}

const isId = (reference: string): boolean => Id.safeParse(reference).success

/** Condition that selects an app of an organisation by its ID or `uid`. */
const named = (orgId: string, reference: string) =>
  isId(reference)
    ? sql.fragment`id = ${reference} and org_id = ${orgId} and deleted_at is null`
    : sql.fragment`org_id = ${orgId} and uid = ${reference} and deleted_at is null`

/** Returns an app by its ID or `uid`. Null if it does not exist. */
export async function find(db: Db, orgId: string, reference: string): Promise<App | null> {
  return await db.maybeOne(sql.type(App)`select ${columns} from hooks.apps where ${named(orgId, reference)}`)
}

/** Returns an app, locked until the transaction ends. Null if it does not exist. */
export async function lock(tx: Db, orgId: string, reference: string): Promise<App | null> {
  return await tx.maybeOne(sql.type(App)`
    select ${columns} from hooks.apps where ${named(orgId, reference)} for no key update`)
}

/** Returns those of the apps that exist in an open organisation. They cannot be deleted until the transaction ends. */
export async function hold(tx: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await tx.anyFirst(sql.type(z.object({ id: Id }))`
    select id from hooks.apps as a where id = any(${sql.array([...ids], 'uuid')}) and deleted_at is null and ${isOpen('a')}
    order by id for key share`)
  return new Set(found)
}

export type Change = Pick<App, 'uid' | 'name' | 'metadata' | 'rate_limit' | 'rate_per' | 'disabled_at'>

/** Throws a unique violation if another app of the organisation has the `uid`. */
export async function update(tx: Db, id: string, change: Change): Promise<App> {
  const { disabled_at, ...rest } = change
  return await tx.one(sql.type(App)`
    update hooks.apps set ${table.set({ ...rest, disabled_at })}, updated_at = now() where id = ${id}
    returning ${columns}`)
}

/** True if another app of the organisation has the `uid`. */
export async function isUidUsed(tx: Db, { org_id, id }: Pick<App, 'org_id' | 'id'>, uid: string): Promise<boolean> {
  return await tx.exists(sql.type(z.object({ id: Id }))`
    select id from hooks.apps where org_id = ${org_id} and uid = ${uid} and id <> ${id}`)
}

/**
 * Ends an app: nothing is delivered, and its `uid` is free. Waits for transactions that add messages. Returns null if the
 * app does not exist.
 */
export async function end(tx: Db, orgId: string, reference: string): Promise<string | null> {
  const one = sql.type(z.object({ id: Id }))
  const id = await tx.maybeOneFirst(one`select id from hooks.apps where ${named(orgId, reference)} for update`)
  if (id === null) return null
  return await tx.oneFirst(one`
    update hooks.apps set deleted_at = now(), disabled_at = coalesce(disabled_at, now()), uid = null,
      portal_version = portal_version + 1
    where id = ${id} returning id`)
}

/** Deletes an ended app with its endpoints and their deliveries. */
export async function remove(tx: Db, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`delete from hooks.apps where id = ${id} and deleted_at is not null`)
}

export const filters = {
  uid: table.equals('uid'),
  metadata: ({ key, value }: { key: string; value: string }) =>
    sql.fragment`metadata @> ${sql.jsonb({ [key]: value })}`,
  /** Apps whose name contains the text. */
  name: (text: string) => sql.fragment`lower(name) like lower(${likeText(text)})`,
}

export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly App[]> {
  return await db.any(sql.type(App)`
    select ${columns} from hooks.apps where org_id = ${orgId} and deleted_at is null and ${where} and ${isOlder(before)}
    order by id desc limit ${limit}`)
}
