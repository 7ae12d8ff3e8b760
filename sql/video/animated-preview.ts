import { z } from 'zod'
import { Id } from '#lib/ids.ts'

/** Animated preview of an asset. The ID names the object, so that each preview has its own URL. */
export const AnimatedPreview = z.object({
  id: Id,
  state: z.enum(['queued', 'ready', 'failed']),
  start: z.number(),
  duration: z.number(),
  width: z.int(),
  fps: z.number(),
  bytes: z.int().nullable(),
})

export type AnimatedPreview = z.infer<typeof AnimatedPreview>
