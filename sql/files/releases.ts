import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable, getColumns } from '../table.ts'
import { FileObject, table as objects } from './objects.ts'
import { Reason } from './scans.ts'

export const OverridableStatus = z.enum(['suspicious', 'unscannable'])

export const table = defineTable(
  'files',
  'releases',
  z.object({
    id: Id,
    object_id: Id,
    org_id: Id,
    scan_id: Id,
    sha256: z.string(),
    overruled: OverridableStatus,
    grounds: z.array(z.string()),
    actor: z.string(),
    reason: z.string(),
  }),
)

const OfObject = FileObject.pick({ id: true, org_id: true, filename: true, byte_size: true, scanned_at: true })

export const BlockedObject = OfObject.extend({
  org: z.string(),
  scan_status: z.enum(['suspicious', 'unscannable']),
  reasons: z.array(Reason),
})

export type BlockedObject = z.infer<typeof BlockedObject>

export async function listBlocked(
  db: Db,
  { limit, before }: { limit: number; before?: string | undefined },
): Promise<readonly BlockedObject[]> {
  return await db.any(sql.type(BlockedObject)`
    select ${getColumns(OfObject, 'o')}, o.scan_status, g.name as org, coalesce(s.reasons, '[]') as reasons
    from files.objects as o join account.orgs as g on g.id = o.org_id left join files.scans as s on s.id = o.scan_id
    where o.scan_status in ('suspicious', 'unscannable') and o.deleted_at is null
      and (${before ?? null}::uuid is null or o.id < ${before ?? null}::uuid)
    order by o.id desc limit ${limit}`)
}

export async function lockObject(tx: Db, id: string): Promise<FileObject | null> {
  return await tx.maybeOne(sql.type(FileObject)`
    select ${objects.columns()} from files.objects where id = ${id} and deleted_at is null for update`)
}

export async function areInfected(tx: Db, sha256: string): Promise<boolean> {
  return await tx.exists(sql.type(z.object({ id: Id }))`
    select id from files.objects where sha256 = ${sha256} and scan_status = 'infected'`)
}

export interface NewRelease {
  object: Pick<FileObject, 'id' | 'org_id'>
  scan_id: string
  sha256: string
  overruled: z.infer<typeof OverridableStatus>
  reasons: readonly Reason[]
  actor: string
  reason: string
}

export async function release(tx: Db, given: NewRelease): Promise<void> {
  const id = newId()
  const { object, reasons, ...rest } = given
  const grounds = sql.array(groundsOf(reasons), 'text')
  const row = { id, object_id: object.id, org_id: object.org_id, grounds, ...rest }
  await tx.query(sql.typeAlias('void')`${table.insert(row)}`)
  await tx.query(sql.typeAlias('void')`
    update files.objects set scan_status = 'clean', release_id = ${id} where id = ${object.id}`)
}

/** True if a release still covers a verdict on the same bytes: the verdict found nothing new. */
export async function isStillValid(
  tx: Db,
  scanId: string,
  { sha256, reasons }: { sha256: string; reasons: readonly Reason[] },
): Promise<boolean> {
  return await tx.exists(sql.type(z.object({ id: Id }))`
    select r.id from files.scans as s join files.objects as o on o.id = s.object_id join files.releases as r on r.id = o.release_id
    where s.id = ${scanId} and r.sha256 = ${sha256} and r.grounds @> ${sql.array(groundsOf(reasons), 'text')}`)
}

const groundsOf = (reasons: readonly Reason[]): string[] => [
  ...new Set(reasons.map(({ code, detail }) => (code.startsWith('scanner_') ? `${code}: ${detail}` : code))),
]
