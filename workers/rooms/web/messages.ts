import { z } from 'zod'
import { Id } from '#lib/ids.ts'

/** Letters of a session description: browsers send some 10,000. */
const sdp = z.string().max(65_536)

/** Who publishes, as ingress has admitted them; `key` is sealed. */
export const PublishOrder = z.object({
  id: Id,
  channelId: Id,
  source: z.enum(['primary', 'backup']),
  hash: z.string(),
  key: z.string(),
  sdp,
})

/** Who watches, as ingress has admitted them. */
export const WatchOrder = z.object({
  id: Id,
  channelId: Id,
  publicationId: Id,
  sessionId: Id,
  network: z.string(),
  expiresAt: z.number(),
  sdp,
})

/** Candidates of a client; null when there are no more. */
export const CandidatesOrder = z.object({
  candidates: z
    .array(
      z.object({ candidate: z.string(), sdpMid: z.string().optional(), sdpMLineIndex: z.int().optional() }).nullable(),
    )
    .max(64),
})
