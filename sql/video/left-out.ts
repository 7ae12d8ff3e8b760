import { z } from 'zod'

/** A track of an upload that is not in the video that is made of it. */
export const LeftOut = z.object({
  kind: z.literal('audio'),
  /** Which of the upload's sound tracks, counted from 1. */
  track: z.int(),
  /** BCP 47. */
  language: z.string().nullable(),
  name: z.string().nullable(),
  reason: z.enum(['limit', 'undecodable']),
})

/** The parsed entry. */
export type LeftOut = z.infer<typeof LeftOut>
