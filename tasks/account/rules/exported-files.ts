import type { Storage } from '#lib/storage/storage.ts'
import { captionsPrefix } from '#sql/video/captions.ts'
import { sourceKey } from '#sql/video/uploads.ts'
import { imageKey } from '#sql/video/watermarks.ts'
import { rawKey } from '../../email/rules/received/keys.ts'
import { extrasPrefix, posterKey } from '../../video/rules/keys.ts'
import { snapshotKey } from '../../wiki/rules/keys.ts'

type Row = Readonly<Record<string, unknown>>

/** Stored files of rows that an archive links to. Derived files, such as renditions, are not included. */
export const exportedFiles: Readonly<
  Record<string, { columns: readonly string[]; keys(row: Row, orgId: string, storage: Storage): Promise<string[]> }>
> = {
  'files.objects': {
    columns: ['id', 'held_key', 'scan_status', 'place'],
    keys: async ({ held_key, scan_status, place }) =>
      scan_status === 'clean' && place !== 'gone' && typeof held_key === 'string' ? [held_key] : [],
  },
  'email.received': {
    columns: ['id', 'status'],
    keys: async ({ id, status }) => (status === 'arriving' ? [] : [rawKey(String(id))]),
  },
  'video.assets': {
    columns: ['id'],
    keys: async ({ id }, _, storage) => [
      sourceKey(String(id)),
      posterKey(String(id)),
      ...(await storage.keys(captionsPrefix(String(id)))),
      ...(await storage.keys(extrasPrefix(String(id)))),
    ],
  },
  'video.watermarks': { columns: ['id'], keys: async ({ id }) => [imageKey(String(id))] },
  'wiki.snapshots': {
    columns: ['id', 'sha256'],
    keys: async ({ sha256 }, orgId) => (typeof sha256 === 'string' ? [snapshotKey(orgId, sha256)] : []),
  },
}
