import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { FileObject, table } from './objects.ts'

/** Versions that an object has at most, its first among them. */
export const most = 100

const columns = table.columns()

const ofObject = (id: string) => sql.fragment`(id = ${id} or version_of = ${id}) and deleted_at is null`

/** The version of an object that is served: the newest that is clean. Null where none is. */
export async function served(db: Db, objectId: string): Promise<FileObject | null> {
  return await db.maybeOne(sql.type(FileObject)`
    select ${columns} from files.objects where ${ofObject(objectId)} and scan_status = 'clean'
    order by version desc limit 1`)
}

/** What is served of an object: its newest clean version, if any is; by the id of a later version, that one alone. */
export const servedVersion = async (db: Db, asked: FileObject): Promise<FileObject> =>
  (asked.version_of === null ? await served(db, asked.id) : null) ?? asked

/** The version that is served, of some that are the newest first. */
export const servedAmong = (versions: readonly FileObject[]): FileObject | undefined =>
  versions.find(({ scan_status }) => scan_status === 'clean')

/** The served versions of those of some objects that have more than one, by the object's id. */
export async function servedOf(db: Db, objectIds: readonly string[]): Promise<ReadonlyMap<string, FileObject>> {
  if (objectIds.length === 0) return new Map()
  const found = await db.any(sql.type(FileObject)`
    select distinct on (version_of) ${columns} from files.objects
    where version_of = any(${sql.array([...objectIds], 'uuid')}) and deleted_at is null and scan_status = 'clean'
    order by version_of, version desc`)
  return new Map(found.map((object) => [object.version_of ?? object.id, object]))
}

/** All versions of an object, the newest first. */
export async function list(db: Db, objectId: string): Promise<readonly FileObject[]> {
  return await db.any(sql.type(FileObject)`
    select ${columns} from files.objects where ${ofObject(objectId)} order by version desc limit ${most}`)
}

const Next = z.object({ version: z.number(), count: z.number() })

/**
 * Takes the next number of an object's versions, whose row is held until the transaction ends, and counts those that there are; null without
 * the object, and while it has no bytes: it is forgotten if they never come.
 */
export async function takeNext(tx: Db, objectId: string): Promise<z.infer<typeof Next> | null> {
  const version = await tx.maybeOneFirst(sql.type(Next.pick({ version: true }))`
    update files.objects set last_version = last_version + 1 where id = ${objectId} and scan_status <> 'awaiting_upload' and deleted_at is null
    returning last_version as version`)
  if (version === null) return null
  const count = await tx.oneFirst(sql.type(Next.pick({ count: true }))`
    select count(*)::int4 as count from files.objects where ${ofObject(objectId)}`)
  return { version, count }
}
