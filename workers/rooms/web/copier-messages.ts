import { z } from 'zod'

const Port = z.int().min(1).max(65_535)

export type CopierOrder =
  | { type: 'start'; rtmp: string; audio: boolean; video: boolean; asNobody: boolean }
  | { type: 'finish' }

export const CopierReport = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready'), audioPort: Port.optional(), videoPort: Port.optional() }),
  z.object({ type: z.literal('running'), seconds: z.number() }),
  z.object({ type: z.literal('ended'), error: z.string().optional() }),
])

export type CopierReport = z.infer<typeof CopierReport>
