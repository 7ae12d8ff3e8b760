import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import * as objectMetadata from './object-metadata.ts'
import { FileObject, isAvailable, table } from './objects.ts'

export type Changes = { [Name in 'metadata' | 'folder' | 'expires_at']?: FileObject[Name] | undefined }

/** Locks an object, or the object of a later version. `null` if it does not exist. */
export async function lock(tx: Db, orgId: string, id: string): Promise<FileObject | null> {
  const locked = await tx.maybeOneFirst(sql.type(z.object({ id: Id }))`
    select id from files.objects
    where id = (select coalesce(version_of, id) from files.objects where id = ${id} and org_id = ${orgId})
      and ${isAvailable} for no key update`)
  if (locked === null) return null
  return await tx.maybeOne(sql.type(FileObject)`
    select ${table.columns()} from files.objects where id = ${id} and ${isAvailable}`)
}

/** Changes values that all versions of an object share. */
export async function changeObject(tx: Db, objectId: string, changes: Changes): Promise<void> {
  if (Object.values(changes).every((value) => value === undefined)) return
  await tx.query(sql.typeAlias('void')`
    update files.objects set ${table.set(changes)}
    where (id = ${objectId} or version_of = ${objectId}) and deleted_at is null`)
  if (changes.metadata !== undefined) await objectMetadata.updateIndex(tx, objectId)
}

/** Renames one version. Its bytes and their keys stay the same. */
export async function rename(tx: Db, id: string, filename: string): Promise<FileObject> {
  return await tx.one(sql.type(FileObject)`
    update files.objects set filename = ${filename} where id = ${id} returning ${table.columns()}`)
}

/** True if a version has another name than when its scan started. */
export async function hasNewName(tx: Db, { id, filename }: Pick<FileObject, 'id' | 'filename'>): Promise<boolean> {
  return await tx.exists(sql.type(z.object({ id: Id }))`
    select id from files.objects where id = ${id} and filename <> ${filename} and deleted_at is null`)
}

/** Soft-deletes up to `limit` expired objects with all of their versions. Returns the deleted rows. */
export async function deleteExpired(tx: Db, limit: number): Promise<readonly FileObject[]> {
  const expired = await tx.any(sql.type(FileObject)`
    update files.objects set deleted_at = now()
    where id = any(array(
      select id from files.objects
      where expires_at <= now() and deleted_at is null and version_of is null
      order by expires_at limit ${limit} for update skip locked))
    returning ${table.columns()}`)
  // A separate statement sees the versions of requests that had locked the objects.
  const ids = sql.array(
    expired.map(({ id }) => id),
    'uuid',
  )
  const versions = await tx.any(sql.type(FileObject)`
    update files.objects set deleted_at = now() where version_of = any(${ids}) and deleted_at is null
    returning ${table.columns()}`)
  return [...expired, ...versions]
}
