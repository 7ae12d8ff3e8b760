import { z } from 'zod'

/** Who wrote captions: a program, their owner, or a program whose text its owner has corrected. */
export const CaptionSource = z.enum(['automatic', 'uploaded', 'corrected'])

/** What players are told of captions in a language. */
export const CaptionTrack = z.object({
  /** BCP 47. */
  language: z.string(),
  /** As viewers read it; null for the language's own name. */
  name: z.string().nullable(),
  isDefault: z.boolean(),
  source: CaptionSource,
  /** Another one for each text. */
  revision: z.string(),
})

/** The parsed entry. */
export type CaptionTrack = z.infer<typeof CaptionTrack>
