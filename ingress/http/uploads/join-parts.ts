import { bytesOfPart, type PartsUpload } from '#lib/storage/part-plan.ts'
import type { Storage } from '#lib/storage/storage.ts'
import { problem } from '../problem-kinds.ts'

export const partsMissing = problem(409, 'parts_missing', 'Parts are missing.')

export const partSizeMismatch = problem(
  409,
  'part_size_mismatch',
  'All parts have arrived, but some have the wrong size. Send these parts again.',
)

/**
 * Joins the parts of an upload into the object `key`. First checks their numbers and sizes. Throws 409 with every missing part,
 * and every wrong part with its expected size. Does nothing if the parts are already joined, for example after a lost
 * response.
 */
export async function joinParts(storage: Storage, key: string, upload: PartsUpload): Promise<void> {
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
    // Another request may have joined the parts in the meantime. Then the upload no longer exists in the store.
    if ((await storage.size(key)) !== upload.bytes) throw error
  }
}

/** Lists up to 20 parts. `details` of the error contains all of them. */
function name(what: string, parts: (string | number)[]): string {
  if (parts.length === 0) return ''
  return `${what}: ${parts.slice(0, 20).join(', ')}${parts.length > 20 ? ` and ${parts.length - 20} more` : ''}.`
}
