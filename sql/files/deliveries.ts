import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { isOpen } from '../account/closures.ts'
import { type Db, sql } from '../db.ts'
import { getColumns } from '../table.ts'
import { table as objects, Visibility } from './objects.ts'

const OfVersion = objects.Row.pick({
  version: true,
  filename: true,
  content_type: true,
  sniffed_type: true,
  byte_size: true,
  uploaded_at: true,
}).extend({ held_key: z.string(), sha256: z.string() })

/** An object that can be delivered by its URL, with its newest clean version. */
export const Deliverable = OfVersion.extend({
  object_id: Id,
  version_id: Id,
  org_id: Id,
  visibility: Visibility.exclude(['private']),
  url_generation: z.number(),
  expires_at: objects.Row.shape.expires_at,
})

export type Deliverable = z.infer<typeof Deliverable>

/**
 * Returns the objects that can be delivered, in one statement. An object has no row if it is private, deleted or has no
 * clean version, or if its organisation is closed. Later versions have no separate rows.
 */
export async function findDeliverable(db: Db, ids: readonly string[]): Promise<readonly Deliverable[]> {
  return await db.any(sql.type(Deliverable)`
    select o.id as object_id, v.id as version_id, o.org_id, o.visibility, o.url_generation, o.expires_at, ${getColumns(OfVersion, 'v')}
    from files.objects as o cross join lateral (
      select * from files.objects as v
      where (v.id = o.id or v.version_of = o.id) and v.deleted_at is null and v.scan_status = 'clean'
      order by v.version desc limit 1) as v
    where o.id = any(${sql.array([...ids], 'uuid')}) and o.version_of is null and o.deleted_at is null
      and (o.expires_at is null or o.expires_at > now())
      and o.visibility <> 'private' and ${isOpen('o')}`)
}

export const Permission = Deliverable.pick({ version_id: true, visibility: true, url_generation: true })

export type Permission = z.infer<typeof Permission>

/** Returns the permissions of versions that are still clean and can still be delivered, in one statement. */
export async function findPermissions(db: Db, versionIds: readonly string[]): Promise<readonly Permission[]> {
  return await db.any(sql.type(Permission)`
    select v.id as version_id, o.visibility, o.url_generation
    from files.objects as v join files.objects as o on o.id = coalesce(v.version_of, v.id)
    where v.id = any(${sql.array([...versionIds], 'uuid')}) and v.deleted_at is null and v.scan_status = 'clean'
      and o.deleted_at is null and (o.expires_at is null or o.expires_at > now()) and o.visibility <> 'private' and ${isOpen('o')}`)
}
