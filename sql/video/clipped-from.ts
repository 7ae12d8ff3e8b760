import { z } from 'zod'
import { Id } from '#lib/ids.ts'

/** Origin of a clip: an asset or a broadcast, and its time range in seconds. */
export const ClippedFrom = z.object({
  assetId: Id.nullable(),
  channelId: Id.nullable(),
  broadcastId: Id.nullable(),
  start: z.number(),
  end: z.number(),
})

export type ClippedFrom = z.infer<typeof ClippedFrom>
