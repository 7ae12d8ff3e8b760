import { z } from 'zod'
import { Later, Permanent, Rejected } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as changes from '#sql/files/changes.ts'
import * as objects from '#sql/files/objects.ts'
import * as scans from '#sql/files/scans.ts'
import * as verdicts from '#sql/files/verdicts.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { enqueueVariantsRemoval } from './discard-variants.ts'
import { type Examination, ScannerUnavailableError, type ScannerVersions } from './engine.ts'
import { enqueueMeasurement } from './measure-image.ts'
import { enqueueQuarantine } from './quarantine.ts'
import { emitFailed, emitVerdict } from './rules/emit-judged.ts'
import { examineObject, largeScanMs } from './rules/examine-object.ts'
import type { HashedObject } from './rules/fetch-hashed.ts'
import { getServedKey } from './rules/release.ts'

/** Delay in milliseconds until a scan is retried while the scanner is unavailable. */
const awayMs = 2_000

export const scan = task({
  name: 'files/scan',
  pool: 'scan',
  payload: z.object({ scanId: Id }),
  tracked: true,
  attempts: 5,
  timeout: largeScanMs,
  async run({ scanId }, { db, own, scanner, scratch, storage, signal }) {
    // Called before anything is written, so that attempts during an outage leave no data.
    const now = await scanner.versions(signal).catch(waitFor)
    const begun = await own((tx) => scans.start(tx, scanId))
    if (!begun) return
    try {
      const { object } = begun
      await using examined = await examineObject({ scanner, scratch, storage, signal }, object)
      const { fetched, examine } = examined
      checkTransfer(begun, fetched)
      const verdict = (await earlier(db, begun, fetched, now)) ?? verdictOf(await examine(), now)
      const key =
        verdict.status === 'clean' ? await getServedKey({ db, storage, signal }, object, fetched) : fetched.key
      await own((tx) => end(tx, object, { scanId, key, sha256: fetched.sha256, verdict }))
      await storage.remove(object.incoming_key, signal)
    } catch (error) {
      if (error instanceof ScannerUnavailableError || error instanceof Later)
        await own((tx) => scans.resetToPending(tx, scanId))
      waitFor(error)
    }
  },
  async giveUp({ scanId }, error, { db }) {
    const isDamaged = error instanceof Permanent && 'code' in error
    const code = isDamaged ? String(error.code) : 'scan_failed'
    const detail = isDamaged ? error.message : 'The scan failed repeatedly.'
    await db.transaction(async (tx) => {
      const reason = { code, detail }
      const failed = await scans.fail(tx, scanId, reason)
      if (failed) await emitFailed(tx, failed, { scanId, reason })
    })
  },
  async revive({ scanId }, { db }) {
    if (!(await scans.reopen(db, scanId)))
      throw new Permanent('The object was scanned again or deleted, or no longer has content.')
  },
})

/** Throws the error. Delays the scan while the scanner is unavailable. */
function waitFor(error: unknown): never {
  throw error instanceof ScannerUnavailableError ? new Later(awayMs, error.message) : error
}

/** Opens a scan and adds its job, or waits for an open scan. Returns false if the object has no bytes. */
export async function requestScan(tx: Db, object: objects.FileObject): Promise<boolean> {
  const { scan: open, opened } = await scans.open(tx, object, 'requested')
  if (!(await scans.setPending(tx, object.id, open.id))) return false
  if (opened) await enqueueScan(tx, open)
  return true
}

export async function enqueueScan(tx: Db, open: scans.Scan, priority = 0): Promise<void> {
  await enqueue(tx, scan, { scanId: open.id }, { orgId: open.org_id, subject: open.object_id, priority })
}

/** Thrown if the stored bytes are permanently wrong. */
class DamagedObjectError extends Permanent {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

class NotAsAnnouncedError extends Rejected {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

function checkTransfer(
  { object, scan: { cause } }: { object: objects.FileObject; scan: scans.Scan },
  fetched: HashedObject | null,
): asserts fetched is HashedObject {
  if (!fetched) throw new DamagedObjectError('bytes_missing', 'The file is no longer in storage.')
  // If bytes were correct on arrival and are wrong now, the storage is at fault.
  const Mismatch = cause === 'upload' ? NotAsAnnouncedError : DamagedObjectError
  if (fetched.size !== object.byte_size) {
    throw new Mismatch(
      'size_mismatch',
      `Storage has ${fetched.size} bytes, but the upload was started for ${object.byte_size}.`,
    )
  }
  const announced = object.checksum_sha256
  if (announced !== null && announced !== fetched.sha256) {
    throw new Mismatch(
      'checksum_mismatch',
      `The file has the SHA-256 ${fetched.sha256}, but the upload was started for ${announced}.`,
    )
  }
}

/** Returns an earlier verdict on the same bytes. A requested scan does not use an earlier verdict. */
async function earlier(
  db: Db,
  { object, scan: { cause } }: { object: objects.FileObject; scan: scans.Scan },
  { sha256 }: HashedObject,
  now: ScannerVersions,
): Promise<verdicts.Verdict | null> {
  if (cause !== 'upload') return null
  const { org_id: orgId, filename, content_type: contentType } = object
  return await verdicts.findReusable(db, { sha256, orgId, filename, contentType }, now)
}

function verdictOf({ status, sniffedType, reasons }: Examination, now: ScannerVersions): verdicts.Verdict {
  return {
    status,
    reasons,
    sniffed_type: sniffedType,
    engine: now.engine,
    signature_version: now.signatures,
    heuristics_version: now.heuristics,
    reused_from: null,
  }
}

async function end(tx: Db, object: objects.FileObject, ended: verdicts.ScanResult): Promise<void> {
  const isWhereItLay = ended.key === object.held_key
  if (isWhereItLay && (await objects.hasMoved(tx, object.id, ended.key)))
    throw new Later(0, 'The file was moved during the scan.')
  const applied = await verdicts.apply(tx, ended)
  // The verdict depends on the name. The object is locked now.
  if (await changes.hasNewName(tx, object)) throw new Later(0, 'The file was renamed during the scan.')
  for (const infected of applied?.infected ?? []) {
    if (infected.held_key) await enqueueQuarantine(tx, infected, infected.held_key)
    await enqueueVariantsRemoval(tx, infected)
  }
  if (applied?.cleared) await enqueueMeasurement(tx, { ...object, sniffed_type: ended.verdict.sniffed_type })
  if (applied) await emitVerdict(tx, applied, ended.sha256)
  if (isWhereItLay) return
  // Both keys are queued, whichever the object no longer uses. Another verdict may have kept the bytes in quarantine.
  for (const key of [object.held_key, ended.key]) if (key) await enqueueQuarantine(tx, object, key)
}
