import { z } from 'zod'
import { badRequest, type Fault } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { Plan } from '#sql/account/plans.ts'
import type { Db } from '#sql/db.ts'
import * as assets from '#sql/video/assets.ts'
import { ClippedFrom } from '#sql/video/clipped-from.ts'
import { sumExpected } from '#sql/video/clips.ts'
import { lockStorageLeft } from '#tasks/account/rules/storage-left.ts'
import { problem } from '../http/problem-kinds.ts'

/** Minimum and maximum length of a clip in seconds. */
export const [shortestClip, longestClip] = [0.5, 1800]

export const Position = z.number().min(0).max(1_000_000)

export const clipFields = {
  title: z.string().min(1).max(500).optional().describe('Default: the title of the source'),
  description: z.string().min(1).max(5000).optional(),
  externalRef: z.string().min(1).max(500).optional().describe('Your ID for the clip. Lists can be filtered by it.'),
  visibility: assets.Visibility.optional().describe('Default: the visibility of the source'),
  processingProfile: z.enum(['standard_vod', 'fast_social']).default('standard_vod'),
  idempotencyKey: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('Repeating a request with the same key returns the same clip'),
} as const

export const ClipReply = z.object({
  assetId: Id.describe('ID of the clip. It is an asset.'),
  status: assets.Status,
  clipped_from: ClippedFrom.describe(
    'Origin of the clip. `start` and `end` are seconds on the timeline of the origin.',
  ),
})

export const planExceeded = problem(
  400,
  'plan_limit_exceeded',
  'The clip is larger than the free storage of the plan allows.',
)

/** Checks the range of a clip. Throws a 400 that names each invalid field. `seconds` is the length of the source. */
export function checkRange({ start, end }: { start: number; end: number }, seconds: number, what: string): void {
  const faults: Fault[] = []
  const add = (field: string, issue: string) => faults.push({ field: `body.${field}`, issue })
  if (start >= seconds) add('start', `must be before the end of the ${what}, at ${seconds} s`)
  if (end > seconds) add('end', `must not be after the end of the ${what}, at ${seconds} s`)
  if (end - start < shortestClip) add('end', `must be at least ${shortestClip} s after \`start\``)
  else if (end - start > longestClip) add('end', `must be at most ${longestClip} s after \`start\``)
  if (faults.length > 0) throw badRequest(faults)
}

/**
 * Throws if the organisation does not have the storage that the clip is expected to need, in addition to the clips that
 * are not cut yet. The storage is locked until the transaction ends.
 */
export async function checkClipStorage(tx: Db, orgId: string, plan: Plan, bytes: number): Promise<void> {
  const { max, left: free, whose } = await lockStorageLeft(tx, orgId, plan.storage_bytes)
  const left = Math.max(0, free - (await sumExpected(tx, orgId)))
  if (bytes <= left) return
  const field = 'body.end'
  throw planExceeded(`${field}: ${whose} has ${left} bytes left.`, { field, limit: 'storage_bytes', max })
}
