import { z } from 'zod'
import type { Problem } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { bytesOfPart } from '#lib/storage/part-plan.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { Db } from '#sql/db.ts'
import * as uploads from '#sql/video/uploads.ts'
import { Instant } from '../../http/instant.ts'
import { mustFind } from '../../http/must-find.ts'
import { problem } from '../../http/problem-kinds.ts'
import { listReceived } from '../../http/uploads/received-parts.ts'

export const wrongState = problem(409, 'conflict', 'The upload is in a different state.')

export const Status = z
  .object({
    uploadId: Id,
    assetId: Id,
    state: uploads.Upload.shape.state,
    bytes: z.int(),
    partSizeBytes: z.int(),
    partsExpected: z.int(),
    partsReceived: z.array(z.int()).describe('Numbers of the parts that storage has received completely'),
    bytesReceived: z.int(),
    progress_percent: z.number(),
    expiresAt: Instant,
  })
  .meta({ id: 'video.UploadStatus' })

export const mustFindUpload = (db: Db, orgId: string, id: string): Promise<uploads.Upload> =>
  mustFind(uploads.find(db, orgId, id), 'upload')

export const stateConflict = ({ state }: uploads.Upload, kind = wrongState): Problem =>
  kind(`The upload is ${state}.`, { state })

export const hasEnded = ({ state }: uploads.Upload): boolean => !['open', 'paused'].includes(state)

/** Changes the state of an upload. Throws 404 if the upload does not exist, and 409 if its state is not in `from`. */
export async function moveUpload(
  db: Db,
  orgId: string,
  id: string,
  from: uploads.Upload['state'][],
  to: uploads.Upload['state'],
): Promise<uploads.Upload> {
  const moved = await uploads.move(db, orgId, id, from, to)
  if (moved) return moved
  throw stateConflict(await mustFindUpload(db, orgId, id))
}

export async function present(upload: uploads.Upload, storage: Storage): Promise<z.input<typeof Status>> {
  const received = await listReceived(storage, uploads.sourceKey(upload.asset_id), upload, upload.state === 'completed')
  const bytesReceived = received.reduce((sum, number) => sum + bytesOfPart(upload, number), 0)
  return {
    uploadId: upload.id,
    assetId: upload.asset_id,
    state: upload.state,
    bytes: upload.bytes,
    partSizeBytes: upload.part_bytes,
    partsExpected: upload.parts,
    partsReceived: received,
    bytesReceived,
    progress_percent: Math.floor((bytesReceived / upload.bytes) * 100),
    expiresAt: upload.expires_at,
  }
}
