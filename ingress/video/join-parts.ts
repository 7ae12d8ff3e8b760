import type { Storage } from '#lib/storage/storage.ts'
import * as uploads from '#sql/video/uploads.ts'
import { problem } from '../http/problem-kinds.ts'
import { bytesOfPart } from './upload-rules.ts'

/** Why an upload cannot be completed yet. */
export const partsMissing = problem(409, 'parts_missing', 'Parts are missing.')

/** Why an upload cannot be completed though no part is missing. */
export const partSizeMismatch = problem(
  409,
  'part_size_mismatch',
  'All parts have arrived, but some have the wrong size. Send these parts again.',
)

/**
 * Joins an upload's parts in storage after checking number and size of each there; throws 409 that names every missing
 * one, and every wrong one with the size it should have. When they were joined before (an answer was lost), the object stands there in its full size: nothing to do.
 */
export async function joinParts(upload: uploads.Upload, storage: Storage): Promise<void> {
  const key = uploads.sourceKey(upload.asset_id)
  const stored = upload.storage_upload ? await storage.multipart.list(key, upload.storage_upload) : []
  if (stored === null && (await storage.size(key)) === upload.bytes) return
  const sizes = new Map(stored?.map(({ number, bytes }) => [number, bytes]))
  const numbers = Array.from({ length: upload.parts }, (_, i) => i + 1)
  const missingParts = numbers.filter((number) => !sizes.has(number))
  const wrongSizeParts = numbers.flatMap((partNumber) => {
    const [bytes, expectedBytes] = [sizes.get(partNumber), bytesOfPart(upload, partNumber)]
    return bytes === undefined || bytes === expectedBytes ? [] : [{ partNumber, bytes, expectedBytes }]
  })
  if (missingParts.length + wrongSizeParts.length > 0) {
    const wrong = wrongSizeParts.map((part) => `${part.partNumber} (${part.bytes} bytes, not ${part.expectedBytes})`)
    const message = [name('Missing parts', missingParts), name('Parts with the wrong size', wrong)]
    const kind = missingParts.length > 0 ? partsMissing : partSizeMismatch
    throw kind(message.filter(Boolean).join(' '), { missingParts, wrongSizeParts })
  }
  const parts = (stored ?? []).filter(({ number }) => number <= upload.parts)
  try {
    await storage.multipart.complete(key, upload.storage_upload as string, parts)
  } catch (error) {
    // Another request may have joined them since they were listed, after which a store need not know the upload.
    if ((await storage.size(key)) !== upload.bytes) throw error
  }
}

/** At most 20 of them; the error's `details` have them all. */
function name(what: string, parts: (string | number)[]): string {
  if (parts.length === 0) return ''
  return `${what}: ${parts.slice(0, 20).join(', ')}${parts.length > 20 ? ` and ${parts.length - 20} more` : ''}.`
}
