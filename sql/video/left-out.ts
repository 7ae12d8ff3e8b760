import { z } from 'zod'

/** A track of an upload that is not in the video that is made of it. */
export const LeftOut = z.object({
  kind: z.enum(['audio', 'video']),
  /** Which of the upload's tracks of that kind, counted from 1. */
  track: z.int(),
  /** BCP 47. */
  language: z.string().nullable(),
  name: z.string().nullable(),
  reason: z.enum(['limit', 'undecodable', 'late']),
})

/** The parsed entry. */
export type LeftOut = z.infer<typeof LeftOut>
