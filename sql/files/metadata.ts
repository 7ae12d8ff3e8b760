import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { FileObject, table as objects } from './objects.ts'

/** Lists objects that may still have metadata of their uploader in storage, by ID, after `after`. */
export async function listUnstripped(db: Db, after: string | undefined, limit: number): Promise<readonly FileObject[]> {
  return await db.any(sql.type(FileObject)`
    select ${objects.columns()} from files.objects
    where not metadata_stripped and held_key is not null and deleted_at is null
      ${after === undefined ? sql.fragment`` : sql.fragment`and id > ${after}`}
    order by id limit ${limit}`)
}

/** Records that the object under `key` has no metadata except its type. Returns false if the object has moved. */
export async function markStripped(db: Db, id: string, key: string): Promise<boolean> {
  const noted = await db.maybeOneFirst(sql.type(z.object({ id: Id }))`
    update files.objects set metadata_stripped = true
    where id = ${id} and held_key = ${key} and deleted_at is null returning id`)
  return noted !== null
}
