import { z } from 'zod'
import { Id } from '#lib/ids.ts'

const MiB = 1024 ** 2
const smallestPart = 5 * MiB
const largestPart = 64 * MiB
const mostParts = 10_000

/** Maximum size of an upload in bytes: 10,000 parts of 64 MiB. */
export const maxUploadBytes = largestPart * mostParts

/** Time to live of an upload in milliseconds. */
export const uploadMs = 24 * 60 * 60_000

/** Time to live of a signed part URL in seconds. */
export const partUrlSeconds = 3600

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
export function bytesOfPart(upload: { bytes: number; part_bytes: number; parts: number }, number: number): number {
  return number < upload.parts ? upload.part_bytes : upload.bytes - upload.part_bytes * (upload.parts - 1)
}

export const processingFields = {
  processingProfile: z.enum(['standard_vod', 'fast_social']).default('standard_vod'),
  watermark: z
    .strictObject({
      watermarkId: Id,
      position: z.enum(['tl', 'tr', 'bl', 'br']).default('br'),
      opacity: z.number().min(0.05).max(0.9).default(0.35),
    })
    .optional()
    .describe('Logo to show on the video. The asset can then be played only when all renditions are ready.'),
} as const
