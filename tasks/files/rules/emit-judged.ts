import type { Db } from '#sql/db.ts'
import type { JudgedObject, VerdictEffect } from '#sql/files/verdicts.ts'
import { type EmittedEvent, emitMany } from '../../webhooks/rules/emit.ts'

type ObjectView = Omit<JudgedObject, 'id' | 'held_key'>

type FileEvent = Extract<EmittedEvent, { type: 'files.object.clean' }>['data']

const event = (
  type: 'files.object.clean' | 'files.object.infected',
  { id, org_id, ...object }: ObjectView & { id: string },
  more: Pick<FileEvent, 'sha256' | 'scan_status' | 'reasons' | 'released'>,
): EmittedEvent => {
  const { product_key, tenant_id, filename, content_type, byte_size, version_of, version } = object
  const facts = { product_key, tenant_id, filename, content_type, byte_size, version_of, version }
  const data = { object_id: id, ...facts, ...more }
  return { orgId: org_id, type, data }
}

export async function emitVerdict(
  tx: Db,
  { infected, cleared, reasons }: VerdictEffect,
  sha256: string,
): Promise<void> {
  await emitMany(tx, [
    ...infected.map((object) =>
      event('files.object.infected', object, { sha256, scan_status: 'infected', reasons, released: false }),
    ),
    ...(cleared ? [cleared].map((object) => clean(object, sha256, false)) : []),
  ])
}

export async function emitReleased(tx: Db, object: ObjectView & { id: string }, sha256: string): Promise<void> {
  await emitMany(tx, [clean(object, sha256, true)])
}

const clean = (object: ObjectView & { id: string }, sha256: string, released: boolean) =>
  event('files.object.clean', object, { sha256, scan_status: 'clean', reasons: [], released })
