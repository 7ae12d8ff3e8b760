import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type CursorPage, cut } from '../cursor-page.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

export const Attributes = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))

export const FileStatus = z.enum(['in_progress', 'completed', 'failed', 'cancelled'])

export const FileError = z.object({
  code: z.enum(['server_error', 'unsupported_file', 'invalid_file']),
  message: z.string(),
})

/** Files of vector stores. The text of a file is the source with the ID of the row. */
export const table = defineTable(
  'knowledge',
  'store_files',
  z.object({
    id: Id,
    org_id: Id,
    store_id: Id,
    file_id: Id,
    batch_id: Id.nullable(),
    filename: z.string(),
    attributes: Attributes,
    status: FileStatus,
    try: z.number(),
    error: FileError.nullable(),
    usage_bytes: z.number(),
    requested_at: z.date(),
    created_at: z.date(),
  }),
)

export type StoreFile = z.infer<typeof table.Row>

const columns = table.columns()

export type NewFile = Pick<StoreFile, 'id' | 'org_id' | 'store_id' | 'file_id' | 'batch_id' | 'filename' | 'attributes'>

/** Adds files to a store. A file that the store already has is read again. */
export async function add(tx: Db, files: readonly NewFile[]): Promise<readonly StoreFile[]> {
  return await tx.any(sql.type(table.Row)`
    with added as (
      ${table.insertMany(files)}
      on conflict (store_id, file_id) do update
        set batch_id = excluded.batch_id, filename = excluded.filename, attributes = excluded.attributes,
          status = 'in_progress', try = store_files.try + 1, error = null, requested_at = now()
      returning ${columns}
    ) select ${columns} from added order by id`)
}

/** Counts those of the given files that the store does not have yet. */
export async function countNew(tx: Db, storeId: string, fileIds: readonly string[]): Promise<number> {
  return await tx.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*)::int4 as count from unnest(${sql.array([...fileIds], 'uuid')}) as n (id)
    where not exists (select from knowledge.store_files where store_id = ${storeId} and file_id = n.id)`)
}

export async function find(db: Db, storeId: string, fileId: string): Promise<StoreFile | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from knowledge.store_files where store_id = ${storeId} and file_id = ${fileId}`)
}

export async function list(
  db: Db,
  storeId: string,
  { after, before, ...page }: CursorPage,
  { status, batchId }: { status?: StoreFile['status'] | undefined; batchId?: string | undefined },
): Promise<readonly StoreFile[]> {
  const [last, first] = [await rowIdOf(db, storeId, after), await rowIdOf(db, storeId, before)]
  const { part, turn } = cut({ after: last, before: first, ...page })
  const hasStatus = status === undefined ? sql.fragment`true` : sql.fragment`status = ${status}`
  const isOfBatch = batchId === undefined ? sql.fragment`true` : sql.fragment`batch_id = ${batchId}`
  return turn(
    await db.any(sql.type(table.Row)`
      select ${columns} from knowledge.store_files
      where store_id = ${storeId} and ${hasStatus} and ${isOfBatch} and ${part}`),
  )
}

/** Returns the row of a file that is a cursor. For a file that the store no longer has, returns the smallest ID. */
async function rowIdOf(db: Db, storeId: string, fileId: string | undefined): Promise<string | undefined> {
  if (fileId === undefined) return undefined
  return (await find(db, storeId, fileId))?.id ?? '00000000-0000-0000-0000-000000000000'
}

export async function setAttributes(
  db: Db,
  storeId: string,
  fileId: string,
  attributes: StoreFile['attributes'],
): Promise<StoreFile | null> {
  return await db.maybeOne(sql.type(table.Row)`
    update knowledge.store_files set ${table.set({ attributes })}
    where store_id = ${storeId} and file_id = ${fileId} returning ${columns}`)
}

export async function remove(db: Db, storeId: string, fileId: string): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    delete from knowledge.store_files where store_id = ${storeId} and file_id = ${fileId}`)
  return rowCount > 0
}

/** Deletes up to `limit` files of an ended store. Returns their number. */
export async function removeSome(db: Db, storeId: string, limit: number): Promise<number> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    delete from knowledge.store_files where id = any(array(
      select f.id from knowledge.store_files as f join knowledge.stores as s on s.id = f.store_id
      where f.store_id = ${storeId} and s.deleted_at is not null order by f.id limit ${limit}))`)
  return rowCount
}

export type FileRead = Pick<StoreFile, 'id' | 'try'>

const isRead = ({ id, try: nth }: FileRead) => sql.fragment`id = ${id} and try = ${nth} and status = 'in_progress'`

/** Returns a read in progress. `null` if it has ended, or the file or its store was deleted. */
export async function findInProgress(db: Db, read: FileRead): Promise<StoreFile | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from knowledge.store_files as f where ${isRead(read)}
      and exists (select from knowledge.stores as s where s.id = f.store_id and s.deleted_at is null)`)
}

/** Locks a read in progress. Returns `null` if it has ended or was replaced. */
export async function lockInProgress(tx: Db, read: FileRead): Promise<StoreFile | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    select ${columns} from knowledge.store_files where ${isRead(read)} for no key update`)
}

export async function complete(tx: Db, read: FileRead, bytes: number): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update knowledge.store_files set status = 'completed', error = null, usage_bytes = ${bytes} where ${isRead(read)}`)
}

/** Ends a read with an error. An earlier text of the file is found no more. */
export async function fail(db: Db, read: FileRead, error: z.infer<typeof FileError>): Promise<void> {
  await db.query(sql.typeAlias('void')`
    with failed as (
      update knowledge.store_files set status = 'failed', usage_bytes = 0, ${table.set({ error })} where ${isRead(read)}
      returning id
    ) delete from knowledge.sources where id in (select id from failed)`)
}

const Text = z.object({ text: z.string() })

/** Returns the indexed text of a file in its pieces. */
export async function listTexts(db: Db, id: string): Promise<readonly string[]> {
  return await db.anyFirst(sql.type(Text)`select text from knowledge.chunks where source_id = ${id} order by place`)
}

export async function listByIds(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, StoreFile>> {
  const found = await db.any(sql.type(table.Row)`
    select ${columns} from knowledge.store_files where id = any(${sql.array([...ids], 'uuid')})`)
  return new Map(found.map((file) => [file.id, file]))
}
