import type { DatabasePool, Db } from '#sql/db.ts'
import type { FileObject, ScanStatus } from '#sql/files/objects.ts'
import * as releases from '#sql/files/releases.ts'
import * as scans from '#sql/files/scans.ts'
import * as controls from '#sql/jobs/controls.ts'
import { emitReleased } from './emit-judged.ts'

export interface ReleaseResult {
  changed: boolean
  message: string
}

export const maxReasonLength = 500

/**
 * Releases a suspicious or unscannable object with a reason. Both are recorded. Returns `null` if the object does not
 * exist. The release ends when a scan finds something new. Infected objects are never released.
 */
export async function releaseObject(
  db: DatabasePool,
  objectId: string,
  { actor, reason }: { actor: string; reason: string },
): Promise<ReleaseResult | null> {
  return await db.transaction(async (tx) => {
    const known = await releases.lockObject(tx, objectId)
    if (known === null) return null
    const refusal = await refusalOf(tx, known)
    if (refusal !== null) return { changed: false, message: refusal }
    await letPass(tx, known, { actor, reason })
    await controls.recordAction(tx, { actor, action: 'release', target: `file ${objectId}: ${reason}`, count: 1 })
    return { changed: true, message: 'File released. It can be downloaded until a scan finds something new.' }
  })
}

const refusals: Record<Exclude<ScanStatus, 'suspicious' | 'unscannable'>, string> = {
  awaiting_upload: 'The file has not arrived.',
  pending: 'The file is waiting for its scan. Try again when it has a verdict.',
  scanning: 'The file is being scanned. Try again when it has a verdict.',
  clean: 'The file can already be downloaded.',
  infected: 'The file is infected and cannot be released.',
  error: 'The scan of the file failed. Scan it again.',
}

async function refusalOf(tx: Db, { scan_status, place, sha256 }: FileObject): Promise<string | null> {
  if (scan_status !== 'suspicious' && scan_status !== 'unscannable') return refusals[scan_status]
  if (place !== 'held') return 'The file was found infected before, and its content is in quarantine.'
  if (sha256 !== null && (await releases.areInfected(tx, sha256)))
    return 'The same content is infected in another file.'
  return null
}

async function letPass(tx: Db, object: FileObject, by: { actor: string; reason: string }): Promise<void> {
  const { scan_id, sha256 } = object
  const scan = scan_id === null ? null : await scans.find(tx, scan_id)
  if (scan === null || sha256 === null) throw new Error(`The scan of the file ${object.id} does not exist.`)
  await releases.release(tx, {
    object,
    scan_id: scan.id,
    sha256,
    overruled: releases.OverridableStatus.parse(object.scan_status),
    reasons: scan.reasons,
    ...by,
  })
  await emitReleased(tx, object, { sha256, scanId: scan.id, reasons: scan.reasons })
}
