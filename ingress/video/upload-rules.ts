import { z } from 'zod'
import { Id } from '#lib/ids.ts'

const MiB = 1024 ** 2
const smallestPart = 5 * MiB
const largestPart = 64 * MiB
const mostParts = 10_000

/** Bytes of the largest upload that 10,000 parts of 64 MiB can carry. */
export const largestUpload = largestPart * mostParts

/** How long an upload may take before it expires, in milliseconds. */
export const uploadMs = 24 * 60 * 60_000

/** How long a signed part URL works, in seconds. */
export const partUrlSeconds = 3600

/** How an upload of some bytes is cut: some 1,000 parts, none under the 5 MiB that S3 asks for. */
export function cut(bytes: number): { partBytes: number; parts: number } {
  const wanted = Math.ceil(bytes / 1000 / MiB) * MiB
  const partBytes = Math.min(largestPart, Math.max(smallestPart, wanted))
  return { partBytes, parts: Math.ceil(bytes / partBytes) }
}

/** Parts to send at once: enough to fill a line, few enough for a browser's six connections to a host. */
export const concurrencyFor = (parts: number): number => Math.min(parts, 4)

/** Bytes that part `number`, from 1, must have: all alike but the last. */
export function bytesOfPart(upload: { bytes: number; part_bytes: number; parts: number }, number: number): number {
  return number < upload.parts ? upload.part_bytes : upload.bytes - upload.part_bytes * (upload.parts - 1)
}

/** How a new asset is to be processed. */
export const Processing = {
  processingProfile: z.enum(['standard_vod', 'fast_social']).default('standard_vod'),
  watermark: z
    .strictObject({
      watermarkId: Id,
      position: z.enum(['tl', 'tr', 'bl', 'br']).default('br'),
      opacity: z.number().min(0.05).max(0.9).default(0.35),
    })
    .optional()
    .describe('Logo to show on the video. The asset is then playable when all renditions are ready.'),
} as const
