import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'
import { FileObject, table as objects } from './objects.ts'

/** Reason for a verdict: a snake_case code, a sentence, and the archive entry if the reason is about one entry. */
export const Reason = z.object({ code: z.string(), detail: z.string(), entry: z.string().optional() })

export type Reason = z.infer<typeof Reason>

export const table = defineTable(
  'files',
  'scans',
  z.object({
    id: Id,
    object_id: Id,
    org_id: Id,
    cause: z.enum(['upload', 'requested', 'signatures', 'same_bytes']),
    status: z.enum(['pending', 'scanning', 'clean', 'infected', 'suspicious', 'unscannable', 'error']),
    key: z.string().nullable(),
    sha256: z.string().nullable(),
    engine: z.string().nullable(),
    signature_version: z.string().nullable(),
    heuristics_version: z.string().nullable(),
    reasons: z.array(Reason),
    reused_from: Id.nullable(),
    created_at: z.date(),
    started_at: z.date().nullable(),
    finished_at: z.date().nullable(),
  }),
  {
    retention: days('SCAN_HISTORY_DAYS', 'superseded_at', {
      which: 'that did not set the status of an object',
      where: sql.fragment`old.finished_at is not null
      and not exists (select from files.objects as o where o.id = old.object_id and o.scan_id = old.id)`,
    }),
  },
)

export const Scan = table.Row

export type Scan = z.infer<typeof Scan>

const columns = table.columns()

const isOpen = sql.fragment`status in ('pending', 'scanning')`

export async function insert(tx: Db, scan: Pick<Scan, 'id' | 'object_id' | 'org_id'>): Promise<Scan> {
  return await tx.one(sql.type(Scan)`${table.insert({ ...scan, cause: 'upload' })} returning ${columns}`)
}

/** Opens a scan unless a scan is already open. Returns the open scan and whether it is new. */
export async function open(
  tx: Db,
  object: { id: string; org_id: string },
  cause: 'requested' | 'signatures',
): Promise<{ scan: Scan; opened: boolean }> {
  const row = { id: newId(), object_id: object.id, org_id: object.org_id, cause }
  const opened = await tx.maybeOne(sql.type(Scan)`
    ${table.insert(row)}
    on conflict (object_id) where status in ('pending', 'scanning') do nothing
    returning ${columns}`)
  if (opened) return { scan: opened, opened: true }
  const scan = await tx.one(sql.type(Scan)`
    update files.scans set cause = case when cause = 'signatures' then ${cause} else cause end
    where object_id = ${object.id} and ${isOpen} returning ${columns}`)
  return { scan, opened: false }
}

export async function find(db: Db, id: string): Promise<Scan | null> {
  return await db.maybeOne(sql.type(Scan)`select ${columns} from files.scans where id = ${id}`)
}

export async function history(db: Db, objectId: string, limit: number): Promise<readonly Scan[]> {
  return await db.any(sql.type(Scan)`
    select ${columns} from files.scans where object_id = ${objectId} order by id desc limit ${limit}`)
}

/**
 * Sets an object to pending for a requested scan. The object cannot be downloaded until the scan ends. Returns false if
 * its bytes no longer exist.
 */
export async function setPending(tx: Db, objectId: string, scanId: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update files.objects
    set scan_status = case when scan_status in ('pending', 'scanning') then scan_status else 'pending' end,
      scan_id = ${scanId}
    where id = ${objectId} and place in ('held', 'quarantine')`)
  return rowCount > 0
}

/** Starts or restarts a scan. Returns `null` if the scan has ended or its object is deleted. */
export async function start(tx: Db, id: string): Promise<{ scan: Scan; object: FileObject } | null> {
  const scan = await tx.maybeOne(sql.type(Scan)`
    update files.scans set status = 'scanning', started_at = now() where id = ${id} and ${isOpen} returning ${columns}`)
  if (!scan) return null
  await setStatus(tx, scan.object_id, 'pending', 'scanning')
  const object = await tx.maybeOne(sql.type(FileObject)`
    select ${objects.columns()} from files.objects where id = ${scan.object_id} and deleted_at is null`)
  return object && { scan, object }
}

export async function resetToPending(tx: Db, id: string): Promise<void> {
  const Row = z.object({ object_id: Id })
  const objectId = await tx.maybeOneFirst(sql.type(Row)`
    update files.scans set status = 'pending' where id = ${id} and status = 'scanning' returning object_id`)
  if (objectId) await setStatus(tx, objectId, 'scanning', 'pending')
}

async function setStatus(tx: Db, objectId: string, from: string, to: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update files.objects set scan_status = ${to} where id = ${objectId} and scan_status = ${from}`)
}

/**
 * Ends a scan that could not be completed. The bytes stay blocked. Returns the object if its status is now an error. A
 * clean object stays clean.
 */
export async function fail(
  tx: Db,
  id: string,
  reason: Reason,
): Promise<{ object: FileObject; cause: Scan['cause'] } | null> {
  const reasons = sql.jsonb([reason])
  const scan = await tx.maybeOne(sql.type(table.Row.pick({ object_id: true, cause: true }))`
    update files.scans set status = 'error', reasons = ${reasons}, finished_at = now()
    where id = ${id} and ${isOpen} returning object_id, cause`)
  if (!scan) return null
  const object = await tx.maybeOne(sql.type(FileObject)`
    update files.objects set scan_status = 'error', scanned_at = now()
    where id = ${scan.object_id} and scan_status in ('pending', 'scanning') and deleted_at is null
    returning ${objects.columns()}`)
  return object && { object, cause: scan.cause }
}

/** Returns the status of the last finished scan of an object before the scan `id`. */
export async function findStatusBefore(tx: Db, objectId: string, id: string): Promise<Scan['status'] | null> {
  return await tx.maybeOneFirst(sql.type(table.Row.pick({ status: true }))`
    select status from files.scans
    where object_id = ${objectId} and id <> ${id} and finished_at is not null order by id desc limit 1`)
}

/** Reopens a scan that ended in an error. Returns false if it did not end in an error, or if another scan is open. */
export async function reopen(tx: Db, id: string): Promise<boolean> {
  const objectId = await tx.maybeOneFirst(sql.type(z.object({ object_id: Id }))`
    update files.scans as s set status = 'pending', reasons = '[]', finished_at = null
    where id = ${id} and status = 'error' and not exists (
      select from files.scans as o where o.object_id = s.object_id and o.status in ('pending', 'scanning'))
    returning object_id`)
  return objectId !== null && (await setPending(tx, objectId, id))
}

export async function countOpenFor(db: Db, cause: Scan['cause']): Promise<number> {
  return await db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*)::integer as count from files.scans where cause = ${cause} and ${isOpen}`)
}

/**
 * Lists objects that were never scanned with these signatures and heuristics, newest first. Skips objects that another
 * host has scanned since with its own signatures. Otherwise two hosts with different signatures would scan each other’s
 * objects in turns. Only a few distinct versions exist, and each is found by one index lookup, so no other rows are
 * read.
 */
export async function listOutdated(
  db: Db,
  now: { signatures: string; heuristics: string },
  limit: number,
): Promise<readonly FileObject[]> {
  const isJudged = sql.fragment`o.scan_status in ('clean', 'suspicious', 'unscannable') and o.deleted_at is null`
  const next = (after: ReturnType<typeof sql.fragment>) => sql.fragment`(
    select o.scanned_with from files.objects as o where ${isJudged} ${after} order by o.scanned_with limit 1)`
  return await db.any(sql.type(FileObject)`
    with recursive version as (
      select ${next(sql.fragment``)} as name
      union all
      select ${next(sql.fragment`and o.scanned_with > version.name`)} from version where version.name is not null)
    select o.* from version cross join lateral (
      select ${objects.columns()} from files.objects as o
      where ${isJudged} and o.scanned_with = version.name
        and not exists (select from files.scans as s where s.object_id = o.id and s.finished_at is not null and s.status <> 'error'
          and s.signature_version = ${now.signatures} and s.heuristics_version = ${now.heuristics})
        and not exists (select from files.scans as s where s.object_id = o.id and s.status in ('pending', 'scanning'))
      order by o.id desc limit ${limit}) as o
    where version.name <> ${`${now.signatures} ${now.heuristics}`}
    order by o.id desc limit ${limit}`)
}
