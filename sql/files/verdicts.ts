import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { getColumns } from '../table.ts'
import { table as objects } from './objects.ts'
import * as releases from './releases.ts'
import { otherSets } from './scanners.ts'
import { Reason, type Scan, table as scans } from './scans.ts'

const OfScan = z.object({
  status: z.enum(['clean', 'infected', 'suspicious', 'unscannable']),
  reasons: z.array(Reason),
  engine: z.string(),
  signature_version: z.string(),
  heuristics_version: z.string(),
})

export const Verdict = OfScan.extend({ sniffed_type: z.string().nullable(), reused_from: Id.nullable() })

export type Verdict = z.infer<typeof Verdict>

export interface Bytes {
  sha256: string
  orgId: string
  filename: string
  contentType: string
}

export interface Versions {
  signatures: string
  heuristics: string
}

const columns = sql.fragment`${getColumns(OfScan, 's')}, o.sniffed_type`

/**
 * Returns an earlier verdict that also applies to these bytes. An infected verdict applies even if another organisation
 * has the bytes. Other verdicts apply only in the same organisation, with the same name, type and versions, because a
 * fast response would reveal that another organisation has these bytes.
 */
export async function findReusable(db: Db, bytes: Bytes, now: Versions): Promise<Verdict | null> {
  const { sha256, orgId, filename, contentType } = bytes
  return await db.maybeOne(sql.type(Verdict)`
    with latest as (
      select s.*, o.filename, o.content_type
      from files.scans as s join files.objects as o on o.id = s.object_id
      where s.sha256 = ${sha256} and s.reused_from is null and s.finished_at is not null and s.status <> 'error'
      order by s.finished_at desc limit 1)
    select ${columns}, s.id as reused_from
    from latest as s join files.objects as o on o.id = s.object_id
    where s.status = 'infected'
      or (s.org_id = ${orgId} and o.scan_status in ('clean', 'suspicious', 'unscannable') and s.filename = ${filename} and s.content_type = ${contentType}
        and s.signature_version = ${now.signatures} and s.heuristics_version = ${now.heuristics})`)
}

export interface ScanResult {
  scanId: string
  key: string
  sha256: string
  verdict: Verdict
}

export const JudgedObject = objects.Row.pick({
  id: true,
  org_id: true,
  product_key: true,
  tenant_id: true,
  filename: true,
  content_type: true,
  byte_size: true,
  held_key: true,
  version_of: true,
  version: true,
  sniffed_type: true,
  metadata: true,
  folder: true,
})

export type JudgedObject = z.infer<typeof JudgedObject>

export interface VerdictEffect {
  scanId: string
  infected: readonly JudgedObject[]
  cleared: JudgedObject | undefined
  /** The scanned object, if it now has the verdict. */
  judged: { object: JudgedObject; status: Verdict['status']; released: boolean; cause: Scan['cause'] } | undefined
  reasons: Verdict['reasons']
}

/**
 * Ends a scan with its verdict. An infected verdict marks every object with these bytes as infected. Returns `null` if
 * the scan had already ended.
 */
export async function apply(tx: Db, ended: ScanResult): Promise<VerdictEffect | null> {
  const { scanId, key, sha256 } = ended
  await tx.query(sql.type(z.object({ locked: z.unknown() }))`
    select pg_advisory_xact_lock(hashtextextended('files:' || ${sha256}, 0)) as locked`)
  const verdict = await adoptInfected(tx, sha256, ended.verdict)
  const scan = await tx.maybeOne(sql.type(scans.Row.pick({ object_id: true, cause: true }))`
    update files.scans set status = ${verdict.status}, key = ${key}, sha256 = ${sha256}, engine = ${verdict.engine},
      signature_version = ${verdict.signature_version}, heuristics_version = ${verdict.heuristics_version},
      reasons = ${sql.jsonb(verdict.reasons)}, reused_from = ${verdict.reused_from}, finished_at = clock_timestamp()
    where id = ${scanId} and status in ('pending', 'scanning') returning object_id, cause`)
  if (!scan) return null
  const { object_id: objectId, cause } = scan
  // A release stays valid until a scan finds something new.
  const passes =
    /suspicious|unscannable/.test(verdict.status) && (await releases.isStillValid(tx, scanId, { ...verdict, sha256 }))
  const status = passes ? 'clean' : verdict.status
  const before = await tx.maybeOneFirst(sql.type(objects.Row.pick({ scan_status: true }))`
    select scan_status from files.objects where id = ${objectId} for update`)
  // Another scan was requested during this scan.
  await tx.query(sql.typeAlias('void')`
    update files.objects set scan_status = 'scanning' where id = ${objectId} and scan_status = 'pending'`)
  // Another verdict may have moved the bytes to the quarantine during this scan. They stay there.
  const changed = await tx.any(sql.type(JudgedObject)`
    update files.objects set scan_status = ${status}, sha256 = ${sha256}, sniffed_type = ${verdict.sniffed_type},
      scan_id = ${scanId}, scanned_with = ${getVersions(verdict)}, scanned_at = now(),
      release_id = case when ${passes} then release_id end,
      held_key = case when place = 'quarantine' and ${status} <> 'clean' then held_key else ${key} end,
      place = case when ${status} = 'clean' then 'held' else place end
    where id = ${objectId} and deleted_at is null and (scan_status <> 'infected' or ${verdict.status} = 'infected')
    returning ${getColumns(JudgedObject)}`)
  const cleared = status === 'clean' && before !== 'clean' ? changed[0] : undefined
  const isInfected = verdict.status === 'infected'
  const infected = isInfected ? [...changed, ...(await infectOthers(tx, objectId, sha256, scanId, verdict))] : []
  const [object] = changed
  const judged = object && { object, status, released: passes, cause }
  return { scanId, infected, cleared, judged, reasons: verdict.reasons }
}

export const getVersions = (verdict: Pick<Verdict, 'signature_version' | 'heuristics_version'>): string =>
  `${verdict.signature_version} ${verdict.heuristics_version}`

/**
 * Another scan may have found the same bytes infected, under another name or with signatures that only another host
 * has. That verdict applies while any scanner has these signatures.
 */
async function adoptInfected(tx: Db, sha256: string, verdict: Verdict): Promise<Verdict> {
  if (verdict.status === 'infected') return verdict
  const other = await tx.maybeOne(sql.type(Verdict)`
    select ${columns}, s.id as reused_from
    from files.scans as s join files.objects as o on o.id = s.object_id
    where s.sha256 = ${sha256} and s.reused_from is null and s.status = 'infected'
      and (s.signature_version = ${verdict.signature_version} and s.heuristics_version = ${verdict.heuristics_version}
        or s.signature_version in (${otherSets(verdict.signature_version)}))
    order by s.finished_at desc limit 1`)
  return other ?? verdict
}

async function infectOthers(
  tx: Db,
  objectId: string,
  sha256: string,
  scanId: string,
  verdict: Verdict,
): Promise<readonly JudgedObject[]> {
  const others = await tx.any(sql.type(JudgedObject)`
    select ${getColumns(JudgedObject)} from files.objects
    where sha256 = ${sha256} and id <> ${objectId} and deleted_at is null
      and scan_status in ('clean', 'suspicious', 'unscannable', 'error')
    order by id for update`)
  for (const other of others) {
    const id = newId()
    const scan = {
      id,
      object_id: other.id,
      org_id: other.org_id,
      cause: 'same_bytes' as const,
      status: verdict.status,
      sha256,
      engine: verdict.engine,
      signature_version: verdict.signature_version,
      heuristics_version: verdict.heuristics_version,
      reasons: verdict.reasons,
      reused_from: verdict.reused_from ?? scanId,
      started_at: sql.fragment`now()`,
      finished_at: sql.fragment`clock_timestamp()`,
    }
    await tx.query(sql.typeAlias('void')`${scans.insert(scan)}`)
    await tx.query(sql.typeAlias('void')`
      update files.objects set scan_status = 'infected', scan_id = ${id}, scanned_with = ${getVersions(verdict)},
        scanned_at = now(), release_id = null
      where id = ${other.id}`)
  }
  return others
}
