import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { secret } from '#lib/secret-fields.ts'
import { bytesOfPart, mostParts, type PartsUpload, partUrlSeconds } from '#lib/storage/part-plan.ts'
import type { Storage } from '#lib/storage/storage.ts'

export const PartNumbers = z
  .array(z.int().min(1).max(mostParts))
  .min(1)
  .max(100)
  .describe('Part numbers, starting at 1')

export const signedUrl = secret(z.url())

/** Throws 400 with each part number that the upload does not have. `field` is the name of the list in the body. */
export function checkPartNumbers(numbers: readonly number[], { parts }: PartsUpload, field: string): void {
  const faults = numbers.flatMap((number, i) =>
    number > parts
      ? [{ field: `body.${field}.${i}`, issue: `must be at most ${parts}, the number of parts of the upload` }]
      : [],
  )
  if (faults.length > 0) throw badRequest(faults)
}

export interface SignedPart {
  number: number
  url: string
  bytes: number
}

/** Signs a URL for each part. Equal numbers get one URL. */
export async function signParts(
  storage: Storage,
  key: string,
  upload: PartsUpload & { storage_upload: string },
  numbers: readonly number[],
): Promise<SignedPart[]> {
  return await Promise.all(
    [...new Set(numbers)].map(async (number) => {
      const part = { number, bytes: bytesOfPart(upload, number) }
      return { ...part, url: await storage.multipart.sign(key, upload.storage_upload, part, partUrlSeconds) }
    }),
  )
}

/**
 * Creates the upload in storage when the first part is signed. So starting an upload waits only for the database.
 * `keep` stores its ID and returns the stored one, which can come from another request, or `null` if the upload has
 * ended.
 */
export async function beginInStorage(
  storage: Storage,
  key: string,
  contentType: string,
  keep: (storageUpload: string) => Promise<string | null>,
): Promise<string | null> {
  const mine = await storage.multipart.create(key, { contentType })
  const kept = await keep(mine)
  if (kept !== mine) await storage.multipart.abort(key, mine)
  return kept
}
