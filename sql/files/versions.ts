import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { getColumns } from '../table.ts'
import { FileObject, isAvailable, table } from './objects.ts'

export const maxVersions = 100

const columns = table.columns()

const ofObject = (id: string) => sql.fragment`(id = ${id} or version_of = ${id}) and ${isAvailable}`

/** Returns the newest clean version of an object. `null` if no version is clean. */
export async function findServed(db: Db, objectId: string): Promise<FileObject | null> {
  return await db.maybeOne(sql.type(FileObject)`
    select ${columns} from files.objects where ${ofObject(objectId)} and scan_status = 'clean'
    order by version desc limit 1`)
}

/**
 * For the first version’s ID, returns the newest clean version if one exists. For a later version’s ID, returns that
 * version.
 */
export const getServedVersion = async (db: Db, asked: FileObject): Promise<FileObject> =>
  (asked.version_of === null ? await findServed(db, asked.id) : null) ?? asked

export const selectServed = (versions: readonly FileObject[]): FileObject | undefined =>
  versions.find(({ scan_status }) => scan_status === 'clean')

export async function listServed(db: Db, objectIds: readonly string[]): Promise<ReadonlyMap<string, FileObject>> {
  if (objectIds.length === 0) return new Map()
  const found = await db.any(sql.type(FileObject)`
    select distinct on (version_of) ${columns} from files.objects
    where version_of = any(${sql.array([...objectIds], 'uuid')}) and deleted_at is null and scan_status = 'clean'
    order by version_of, version desc`)
  return new Map(found.map((object) => [object.version_of ?? object.id, object]))
}

export async function list(db: Db, objectId: string): Promise<readonly FileObject[]> {
  return await db.any(sql.type(FileObject)`
    select ${columns} from files.objects where ${ofObject(objectId)} order by version desc limit ${maxVersions}`)
}

const OfObject = FileObject.pick({ visibility: true, metadata: true, folder: true, expires_at: true })

const Next = OfObject.extend({ version: z.number(), count: z.number() })

/**
 * Reserves the next version number, counts the versions, and returns the values that all versions share. Locks the object’s row until the transaction ends. Returns
 * `null` if the object does not exist or has no bytes yet. An object whose bytes never arrive is deleted.
 */
export async function reserveNextVersion(tx: Db, objectId: string): Promise<z.infer<typeof Next> | null> {
  const reserved = await tx.maybeOne(sql.type(Next.omit({ count: true }))`
    update files.objects set last_version = last_version + 1
    where id = ${objectId} and scan_status <> 'awaiting_upload' and ${isAvailable}
    returning last_version as version, ${getColumns(OfObject)}`)
  if (reserved === null) return null
  const count = await tx.oneFirst(sql.type(Next.pick({ count: true }))`
    select count(*)::int4 as count from files.objects where ${ofObject(objectId)}`)
  return { ...reserved, count }
}
