import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type CursorPage, cut } from '../cursor-page.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** Vector stores. Their files are searched together. */
export const table = defineTable(
  'knowledge',
  'stores',
  z.object({
    id: Id,
    org_id: Id,
    name: z.string(),
    description: z.string().nullable(),
    metadata: z.record(z.string(), z.string()),
    expires_days: z.number().nullable(),
    files_in_progress: z.number(),
    files_completed: z.number(),
    files_failed: z.number(),
    files_cancelled: z.number(),
    usage_bytes: z.number(),
    last_active_at: z.date(),
    expires_at: z.date().nullable(),
    deleted_at: z.date().nullable(),
    created_at: z.date(),
  }),
)

const Store = table.Row.omit({ deleted_at: true })

export type Store = z.infer<typeof Store>

const columns = sql.fragment`id, org_id, name, description, metadata, expires_days, files_in_progress, files_completed,
  files_failed, files_cancelled, usage_bytes, last_active_at, expires_at, created_at`

const isAvailable = sql.fragment`deleted_at is null and (expires_at is null or expires_at > now())`

export async function hasMany(tx: Db, orgId: string, max: number): Promise<boolean> {
  return await tx.exists(sql.type(z.object({ id: Id }))`
    select id from knowledge.stores where org_id = ${orgId} and ${isAvailable} offset ${max - 1} limit 1`)
}

const Bytes = z.object({ bytes: z.number() })

/** Returns the bytes of indexed text in all stores of an organisation. */
export async function sumBytes(db: Db, orgId: string): Promise<number> {
  return await db.oneFirst(sql.type(Bytes)`
    select coalesce(sum(usage_bytes), 0)::int8 as bytes from knowledge.stores where org_id = ${orgId}`)
}

export async function insert(
  tx: Db,
  store: Pick<Store, 'id' | 'org_id' | 'name' | 'description' | 'metadata' | 'expires_days'>,
): Promise<Store> {
  const { expires_days: days } = store
  await tx.query(sql.typeAlias('void')`${table.insert(store)}`)
  return await tx.one(sql.type(Store)`
    update knowledge.stores set expires_at = now() + ${days}::integer * interval '1 day' where id = ${store.id}
    returning ${columns}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<Store | null> {
  return await db.maybeOne(sql.type(Store)`
    select ${columns} from knowledge.stores where id = ${id} and org_id = ${orgId} and ${isAvailable}`)
}

/** Locks a store until the end of the transaction, so that concurrent requests cannot exceed its limits. */
export async function lock(tx: Db, orgId: string, id: string): Promise<Store | null> {
  return await tx.maybeOne(sql.type(Store)`
    select ${columns} from knowledge.stores where id = ${id} and org_id = ${orgId} and ${isAvailable}
    for no key update`)
}

export async function list(db: Db, orgId: string, page: CursorPage): Promise<readonly Store[]> {
  const { part, turn } = cut(page)
  return turn(
    await db.any(sql.type(Store)`
      select ${columns} from knowledge.stores where org_id = ${orgId} and ${isAvailable} and ${part}`),
  )
}

export async function update(
  tx: Db,
  orgId: string,
  id: string,
  change: Partial<Pick<Store, 'name' | 'description' | 'metadata' | 'expires_days'>>,
): Promise<Store | null> {
  return await tx.maybeOne(sql.type(Store)`
    update knowledge.stores set last_active_at = now() ${
      Object.values(change).some((value) => value !== undefined) ? sql.fragment`, ${table.set(change)}` : sql.fragment``
    }, expires_at = now() + ${
      change.expires_days === undefined ? sql.fragment`expires_days` : sql.fragment`${change.expires_days}::integer`
    } * interval '1 day'
    where id = ${id} and org_id = ${orgId} and ${isAvailable} returning ${columns}`)
}

/** Records the use of a store, at most once per minute. */
export async function touch(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update knowledge.stores set last_active_at = now(), expires_at = now() + expires_days * interval '1 day'
    where id = ${id} and last_active_at < now() - interval '1 minute' and deleted_at is null`)
}

const Ended = table.Row.pick({ id: true, org_id: true })

/** Ends a store: from now on it does not exist for its organisation. Returns false if it does not exist. */
export async function end(tx: Db, orgId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update knowledge.stores set deleted_at = now() where id = ${id} and org_id = ${orgId} and ${isAvailable}`)
  return rowCount > 0
}

export async function endExpired(tx: Db, limit: number): Promise<readonly z.infer<typeof Ended>[]> {
  return await tx.any(sql.type(Ended)`
    update knowledge.stores set deleted_at = now()
    where id = any(array(
      select id from knowledge.stores where expires_at <= now() and expires_at is not null and deleted_at is null
      order by expires_at limit ${limit} for update skip locked))
    returning id, org_id`)
}

/** Deletes an ended store without files. */
export async function remove(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`delete from knowledge.stores where id = ${id} and deleted_at is not null`)
}
