import { z } from 'zod'
import { Id } from '#lib/ids.ts'

/** Added audio track as players get it. */
export const SoundTrack = z.object({
  id: Id,
  /** BCP 47. */
  language: z.string(),
  /** Display name. `null` means the name of the language. */
  name: z.string().nullable(),
  isDefault: z.boolean(),
  /** Package that contains the track. */
  packageId: Id,
  /** Peak bitrate in bits per second. */
  peak: z.number(),
})

export type SoundTrack = z.infer<typeof SoundTrack>
