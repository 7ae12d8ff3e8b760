import { z } from 'zod'

export const LeftOut = z.object({
  kind: z.enum(['audio', 'video']),
  /** Number of the track among the upload's tracks of that kind, starting at 1. */
  track: z.int(),
  /** BCP 47. */
  language: z.string().nullable(),
  name: z.string().nullable(),
  reason: z.enum(['limit', 'undecodable', 'late']),
})

export type LeftOut = z.infer<typeof LeftOut>
