import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { columnsOf } from '../table.ts'
import { table as objects } from './objects.ts'
import * as releases from './releases.ts'
import { otherSets } from './scanners.ts'
import { Reason, table as scans } from './scans.ts'

const OfScan = z.object({
  status: z.enum(['clean', 'infected', 'suspicious', 'unscannable']),
  reasons: z.array(Reason),
  engine: z.string(),
  signature_version: z.string(),
  heuristics_version: z.string(),
})

/** What was found, and with what. */
export const Verdict = OfScan.extend({ sniffed_type: z.string().nullable(), reused_from: Id.nullable() })

/** What was found, and with what. */
export type Verdict = z.infer<typeof Verdict>

/** Bytes of which a verdict is wanted. */
export interface Bytes {
  sha256: string
  orgId: string
  filename: string
  contentType: string
}

/** What scanners and heuristics there are now. */
export interface Versions {
  signatures: string
  heuristics: string
}

const columns = sql.fragment`${columnsOf(OfScan, 's')}, o.sniffed_type`

/**
 * The verdict of an earlier scan that holds for these bytes, too: infected from any organisation's latest scan of them,
 * anything else only from the same organisation's scan of the same name and type with the same versions, as a quick answer
 * would reveal that another organisation has these bytes.
 */
export async function reusable(db: Db, bytes: Bytes, now: Versions): Promise<Verdict | null> {
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
      or (s.org_id = ${orgId} and s.filename = ${filename} and s.content_type = ${contentType}
        and s.signature_version = ${now.signatures} and s.heuristics_version = ${now.heuristics})`)
}

/** The end of a scan: what was read, where it is stored, and what was found. */
export interface ScanResult {
  scanId: string
  /** The key of the bytes that were scanned. */
  key: string
  sha256: string
  verdict: Verdict
}

/** An object that a verdict is about, and where its bytes are stored. */
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
})

/** An object that a verdict is about. */
export type JudgedObject = z.infer<typeof JudgedObject>

/** What a verdict has changed. */
export interface VerdictEffect {
  /** Objects that are infected by it. */
  infected: readonly JudgedObject[]
  /** The object that was scanned, if it may be downloaded now and might not before. */
  cleared: JudgedObject | undefined
  reasons: Verdict['reasons']
}

/**
 * Ends a scan with its verdict, and with an infected one turns every object of the same bytes infected. Null when the scan had
 * ended already.
 */
export async function apply(tx: Db, ended: ScanResult): Promise<VerdictEffect | null> {
  const { scanId, key, sha256 } = ended
  await tx.query(sql.type(z.object({ locked: z.unknown() }))`
    select pg_advisory_xact_lock(hashtextextended('files:' || ${sha256}, 0)) as locked`)
  const verdict = await adoptInfected(tx, sha256, ended.verdict)
  const objectId = await tx.maybeOneFirst(sql.type(z.object({ object_id: Id }))`
    update files.scans set status = ${verdict.status}, key = ${key}, sha256 = ${sha256}, engine = ${verdict.engine},
      signature_version = ${verdict.signature_version}, heuristics_version = ${verdict.heuristics_version},
      reasons = ${sql.jsonb(verdict.reasons)}, reused_from = ${verdict.reused_from}, finished_at = clock_timestamp()
    where id = ${scanId} and status in ('pending', 'scanning') returning object_id`)
  if (!objectId) return null
  // What an operator has released stays so for as long as nothing else is found in it.
  const passes =
    /suspicious|unscannable/.test(verdict.status) && (await releases.holds(tx, scanId, { ...verdict, sha256 }))
  const status = passes ? 'clean' : verdict.status
  const before = await tx.maybeOneFirst(sql.type(objects.Row.pick({ scan_status: true }))`
    select scan_status from files.objects where id = ${objectId} for update`)
  // Asked for again while it was under way.
  await tx.query(sql.typeAlias('void')`
    update files.objects set scan_status = 'scanning' where id = ${objectId} and scan_status = 'pending'`)
  // Another's verdict may have had the bytes moved to quarantine while this scan read them: they stay there.
  const changed = await tx.any(sql.type(JudgedObject)`
    update files.objects set scan_status = ${status}, sha256 = ${sha256}, sniffed_type = ${verdict.sniffed_type},
      scan_id = ${scanId}, scanned_with = ${withOf(verdict)}, scanned_at = now(),
      release_id = case when ${passes} then release_id end,
      held_key = case when place = 'quarantine' and ${status} <> 'clean' then held_key else ${key} end,
      place = case when ${status} = 'clean' then 'held' else place end
    where id = ${objectId} and deleted_at is null and (scan_status <> 'infected' or ${verdict.status} = 'infected')
    returning ${columnsOf(JudgedObject)}`)
  const cleared = status === 'clean' && before !== 'clean' ? changed[0] : undefined
  const isInfected = verdict.status === 'infected'
  const infected = isInfected ? [...changed, ...(await infectOthers(tx, objectId, sha256, scanId, verdict))] : []
  return { infected, cleared, reasons: verdict.reasons }
}

/** Signature and heuristics version as objects have them. */
export const withOf = (verdict: Pick<Verdict, 'signature_version' | 'heuristics_version'>): string =>
  `${verdict.signature_version} ${verdict.heuristics_version}`

/**
 * Another scan may have found the same bytes infected, under another name meanwhile, or with signatures that another host has
 * and this one has not: such a verdict holds while any scanner has those signatures.
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
    select ${columnsOf(JudgedObject)} from files.objects
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
      update files.objects set scan_status = 'infected', scan_id = ${id}, scanned_with = ${withOf(verdict)},
        scanned_at = now(), release_id = null
      where id = ${other.id}`)
  }
  return others
}
