import { Later } from '#lib/errors.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'
import { getServedVersion } from '#sql/files/versions.ts'
import * as messages from '#sql/whatsapp/messages.ts'
import type { NumberApi } from '../engine.ts'
import { listFiles } from './files-in.ts'
import { findMediaFault, getSentType } from './media-limits.ts'

/** Delay in milliseconds until a message whose files have no free slot is retried. */
const slotMs = 500

export class FileNotCleanError extends Error {
  override name = 'FileNotCleanError'
}

interface Means {
  db: DatabasePool
  storage: Storage
  signal: AbortSignal
  fileSlot(): Disposable | undefined
}

/**
 * Uploads the files of a queued message and of its fallback. Runs before the message is marked as sending, so that it
 * is sent again if the worker is killed. Meta deletes unused uploads.
 */
export async function uploadFiles(message: messages.Message, api: NumberApi, means: Means): Promise<void> {
  const named = [...listFiles(message.content, '', message.type), ...listFiles(message.fallback)]
  if (named.every(({ objectId }) => message.uploads?.[objectId] !== undefined)) return
  using slot = means.fileSlot()
  if (!slot) throw new Later(slotMs)
  const uploads: Record<string, string> = { ...message.uploads }
  for (const { objectId, kind } of named) {
    if (uploads[objectId] !== undefined) continue
    const asked = await objects.find(means.db, { orgId: message.org_id }, objectId)
    const object = asked && (await getServedVersion(means.db, asked))
    if (!object || findMediaFault(kind, object) !== undefined) throw new FileNotCleanError(objectId)
    const bytes = await means.storage.read(object.held_key ?? '', means.signal)
    if (!bytes) throw new FileNotCleanError(objectId)
    const file = { bytes, byteSize: object.byte_size, type: getSentType(object), filename: object.filename }
    uploads[objectId] = await api.upload(file, means.signal)
    await messages.saveUploads(means.db, message.id, uploads)
  }
}
