import { bytesOfPart, type PartsUpload } from '#lib/storage/part-plan.ts'
import type { Storage, StoredPart } from '#lib/storage/storage.ts'

/** Returns the numbers of the parts that storage has received completely. */
export async function listReceived(
  storage: Storage,
  key: string,
  upload: PartsUpload,
  completed: boolean,
): Promise<number[]> {
  if (completed) return allParts(upload)
  if (!upload.storage_upload) return []
  const stored = await storage.multipart.list(key, upload.storage_upload)
  // The parts are joined, and the upload is still to be completed.
  if (stored === null) return (await storage.size(key)) === upload.bytes ? allParts(upload) : []
  return onlyComplete(stored, upload).map(({ number }) => number)
}

/** Returns the complete parts of an upload that is not joined, with their entity tags. */
export async function listStored(storage: Storage, key: string, upload: PartsUpload): Promise<StoredPart[]> {
  if (!upload.storage_upload) return []
  return onlyComplete((await storage.multipart.list(key, upload.storage_upload)) ?? [], upload)
}

const onlyComplete = (stored: readonly StoredPart[], upload: PartsUpload): StoredPart[] =>
  stored.filter(({ number, bytes }) => number <= upload.parts && bytes === bytesOfPart(upload, number))

export const allParts = ({ parts }: PartsUpload): number[] => Array.from({ length: parts }, (_, i) => i + 1)
