import { z } from 'zod'
import { Id } from '#lib/ids.ts'

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
