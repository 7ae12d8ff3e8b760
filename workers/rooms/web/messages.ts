import { z } from 'zod'
import { Id } from '#lib/ids.ts'

/** Maximum length of a session description in characters. Browsers send about 10,000. */
const sdp = z.string().max(65_536)

/** A publisher that ingress has admitted. `key` is encrypted. */
export const PublishOrder = z.object({
  id: Id,
  channelId: Id,
  source: z.enum(['primary', 'backup']),
  hash: z.string(),
  key: z.string(),
  sdp,
})

export const WatchOrder = z.object({
  id: Id,
  channelId: Id,
  /** Null if an encoder is broadcast. */
  publicationId: Id.nullable(),
  sessionId: Id,
  network: z.string(),
  expiresAt: z.number(),
  sdp,
})

/** Candidates of a client. Null ends the candidates. */
export const CandidatesOrder = z.object({
  candidates: z
    .array(
      z.object({ candidate: z.string(), sdpMid: z.string().optional(), sdpMLineIndex: z.int().optional() }).nullable(),
    )
    .max(64),
})
