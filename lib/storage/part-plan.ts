const MiB = 1024 ** 2
const smallestPart = 5 * MiB
const largestPart = 64 * MiB

/** Maximum number of parts of an upload (S3). */
export const mostParts = 10_000

/** Maximum size of an upload in parts, in bytes: 10,000 parts of 64 MiB. */
export const maxPartsBytes = largestPart * mostParts

/** Time to live of an upload in parts in milliseconds. */
export const uploadMs = 24 * 60 * 60_000

/** Time to live of a signed part URL in seconds. */
export const partUrlSeconds = 3600

/** An upload in parts. `storage_upload` is its ID in the store, or `null` until the first part is signed. */
export interface PartsUpload {
  bytes: number
  part_bytes: number
  parts: number
  storage_upload: string | null
}

/**
 * Returns the part size and the number of parts. The size is chosen for about 1,000 parts, and is at least the 5 MiB
 * that S3 requires.
 */
export function planParts(bytes: number): { partBytes: number; parts: number } {
  const wanted = Math.ceil(bytes / 1000 / MiB) * MiB
  const partBytes = Math.min(largestPart, Math.max(smallestPart, wanted))
  return { partBytes, parts: Math.ceil(bytes / partBytes) }
}

/**
 * Returns the number of parts to send at the same time. It is enough to use the bandwidth, and less than the six
 * connections that browsers open per host.
 */
export const concurrencyFor = (parts: number): number => Math.min(parts, 4)

/** Returns the expected size of a part in bytes. `number` starts at 1. All parts except the last have the same size. */
export function bytesOfPart(upload: Omit<PartsUpload, 'storage_upload'>, number: number): number {
  return number < upload.parts ? upload.part_bytes : upload.bytes - upload.part_bytes * (upload.parts - 1)
}
