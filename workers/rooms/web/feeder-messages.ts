import { z } from 'zod'

export interface FeederOrder {
  type: 'start'
  /** Ports on this host that receive the tracks as RTP. */
  videoPort: number
  audioPort: number | undefined
  asNobody: boolean
}

export const FeederReport = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('ended'), error: z.string().optional() }),
])

export type FeederReport = z.infer<typeof FeederReport>
