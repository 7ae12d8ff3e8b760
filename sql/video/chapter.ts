import { z } from 'zod'

export const Chapter = z.object({ start: z.number(), title: z.string() })

export type Chapter = z.infer<typeof Chapter>
