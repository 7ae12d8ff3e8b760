import { z } from 'zod'

/** Origin of captions: transcribed, uploaded, or transcribed and then corrected. */
export const CaptionSource = z.enum(['automatic', 'uploaded', 'corrected'])

export const CaptionTrack = z.object({
  /** BCP 47. */
  language: z.string(),
  /** Display name. `null` means the name of the language. */
  name: z.string().nullable(),
  isDefault: z.boolean(),
  source: CaptionSource,
  /** Changes whenever the text changes. */
  revision: z.string(),
})

export type CaptionTrack = z.infer<typeof CaptionTrack>
