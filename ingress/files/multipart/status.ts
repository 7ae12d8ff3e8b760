import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { bytesOfPart } from '#lib/storage/part-plan.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { Db } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'
import * as uploads from '#sql/files/uploads.ts'
import { Instant } from '../../http/instant.ts'
import { mustFind } from '../../http/must-find.ts'
import { listReceived } from '../../http/uploads/received-parts.ts'

export const Status = z
  .object({
    object_id: Id,
    state: z.enum(['open', 'completed']),
    byte_size: z.int(),
    part_size: z.int(),
    parts_expected: z.int(),
    parts_received: z.array(z.int()).describe('Numbers of the parts that storage has received completely'),
    bytes_received: z.int(),
    progress_percent: z.int(),
    expires_at: Instant,
  })
  .meta({ id: 'files.PartsUploadStatus' })

export interface FoundUpload {
  object: objects.FileObject
  upload: uploads.Upload
  completed: boolean
}

/** Returns an upload in parts. Throws 404 for aborted and expired uploads, and for uploads in one request. */
export async function mustFindUpload(db: Db, owner: objects.Owner, id: string): Promise<FoundUpload> {
  const object = await mustFind(objects.find(db, owner, id), 'upload')
  const upload = await mustFind(uploads.find(db, id), 'upload')
  return { object, upload, completed: object.place !== 'incoming' }
}

export async function present(
  { object, upload, completed }: FoundUpload,
  storage: Storage,
): Promise<z.input<typeof Status>> {
  const received = await listReceived(storage, upload.key, upload, completed)
  const bytes = received.reduce((sum, number) => sum + bytesOfPart(upload, number), 0)
  return {
    object_id: object.id,
    state: completed ? 'completed' : 'open',
    byte_size: upload.bytes,
    part_size: upload.part_bytes,
    parts_expected: upload.parts,
    parts_received: received,
    bytes_received: bytes,
    progress_percent: Math.floor((bytes / upload.bytes) * 100),
    expires_at: object.upload_expires_at,
  }
}
