import type { Db } from '#sql/db.ts'
import { findStatusBefore, type Reason, type Scan } from '#sql/files/scans.ts'
import type { JudgedObject, VerdictEffect } from '#sql/files/verdicts.ts'
import { type EmittedEvent, emitMany } from '../../webhooks/rules/emit.ts'

type ObjectView = Omit<JudgedObject, 'held_key'>

type DataOf<Type extends EmittedEvent['type']> = Extract<EmittedEvent, { type: Type }>['data']

type Judged = DataOf<'files.object.judged'>

const factsOf = ({ id, ...object }: ObjectView) => {
  const { product_key, tenant_id, filename, content_type, byte_size, version_of, version, metadata, folder } = object
  const names = { object_id: id, product_key, tenant_id, filename, content_type }
  return { ...names, byte_size, version_of, version, metadata, folder }
}

const event = (
  type: 'files.object.clean' | 'files.object.infected',
  object: ObjectView,
  more: Pick<DataOf<'files.object.clean'>, 'sha256' | 'scan_status' | 'reasons' | 'released'>,
): EmittedEvent => ({ orgId: object.org_id, type, data: { ...factsOf(object), ...more } })

const judged = (
  object: ObjectView,
  more: Pick<Judged, 'sha256' | 'scan_status' | 'reasons' | 'released' | 'cause' | 'scan_id'>,
): EmittedEvent => {
  const { sniffed_type: detected_type } = object
  return {
    orgId: object.org_id,
    type: 'files.object.judged',
    data: { ...factsOf(object), ...more, detected_type },
  }
}

export async function emitVerdict(tx: Db, effect: VerdictEffect, sha256: string): Promise<void> {
  const { scanId, infected, cleared, judged: own, reasons } = effect
  const others = infected.filter(({ id }) => id !== own?.object.id)
  const released = own?.released ?? false
  await emitMany(tx, [
    ...infected.map((object) =>
      event('files.object.infected', object, { sha256, scan_status: 'infected', reasons, released: false }),
    ),
    ...(cleared ? [clean(cleared, sha256, false)] : []),
    ...(own && (await isNews(tx, own, scanId))
      ? [judged(own.object, { sha256, scan_status: own.status, reasons, released, cause: own.cause, scan_id: scanId })]
      : []),
    ...others.map((object) =>
      judged(object, {
        ...{ sha256, scan_status: 'infected' as const, reasons, released: false },
        ...{ cause: 'same_bytes' as const, scan_id: scanId },
      }),
    ),
  ])
}

/** False if a scan with new signatures has only confirmed the verdict. All objects are scanned then. */
async function isNews(
  tx: Db,
  { object, status, released, cause }: NonNullable<VerdictEffect['judged']>,
  scanId: string,
) {
  if (cause !== 'signatures') return true
  const before = await findStatusBefore(tx, object.id, scanId)
  return before !== status && !(released && /suspicious|unscannable/.test(before ?? ''))
}

export async function emitReleased(
  tx: Db,
  object: ObjectView,
  { sha256, scanId, reasons }: { sha256: string; scanId: string; reasons: readonly Reason[] },
): Promise<void> {
  await emitMany(tx, [
    clean(object, sha256, true),
    judged(object, {
      ...{ sha256, scan_status: 'clean', reasons: [...reasons], released: true },
      ...{ cause: 'release', scan_id: scanId },
    }),
  ])
}

export async function emitFailed(
  tx: Db,
  { object, cause }: { object: ObjectView & { sha256: string | null }; cause: Scan['cause'] },
  { scanId, reason }: { scanId: string; reason: Reason },
): Promise<void> {
  const { sha256 } = object
  const more = { sha256, scan_status: 'error' as const, reasons: [reason], released: false, cause, scan_id: scanId }
  await emitMany(tx, [judged(object, more)])
}

const clean = (object: ObjectView, sha256: string, released: boolean) =>
  event('files.object.clean', object, { sha256, scan_status: 'clean', reasons: [], released })
