import { conflict } from '#lib/errors.ts'
import type { Storage } from '#lib/storage/storage.ts'
import * as audit from '#sql/account/audit.ts'
import * as exports from '#sql/account/exports.ts'
import type { Db } from '#sql/db.ts'
import { enqueue } from '../../queue/enqueue.ts'
import { exportAll } from '../export.ts'

export interface ExportRequest {
  orgId: string
  actor: audit.Actor
  requestId?: string | undefined
  network?: string | undefined
}

/** Lifetime of a link in seconds. Another link can be created while the archive exists. */
const linkSeconds = 5 * 60

/**
 * Starts an archive, even for a closing organisation. Throws 409 `export_pending` while another archive is in progress.
 */
export async function requestExport(
  tx: Db,
  { orgId, actor, requestId, network }: ExportRequest,
): Promise<exports.Export> {
  const wanted = await exports.insert(tx, orgId, actor.name)
  if (!wanted) throw conflict('Another archive is in progress. Wait until it is ready.', 'export_pending')
  await enqueue(tx, exportAll, { exportId: wanted.id })
  await audit.append(tx, { orgId, actor, action: 'export.requested', target: wanted.id, requestId, network })
  return wanted
}

/**
 * Returns a link to a ready archive and records the download in the audit log. `null` if the archive is not ready or no
 * longer exists.
 */
export async function fetchExport(
  tx: Db,
  storage: Storage,
  { id, orgId, actor, requestId, network }: ExportRequest & { id: string },
): Promise<string | null> {
  const found = await exports.find(tx, orgId, id)
  if (!found?.object_key || !found.expires_at || found.expires_at <= new Date()) return null
  await audit.append(tx, { orgId, actor, action: 'export.fetched', target: id, requestId, network })
  const as = { filename: `millrace-${found.created_at.toISOString().slice(0, 10)}.zip`, type: 'application/zip' }
  return await storage.signSave(found.object_key, linkSeconds, as)
}
