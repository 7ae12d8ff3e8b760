import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { signToken, verifyToken } from '#lib/tokens.ts'

const purpose = 'push stream'
const Payload = z.object({ installation_id: Id, exp: z.number() })

/** How long a stream's token is good, in seconds: registering again renews it. */
const streamSeconds = 24 * 3_600

/** What a client opens an installation's stream with. */
export interface StreamCredentials {
  url: string
  token: string
  expires_at: Date
}

/** Makes the credentials of an installation's stream; `origin` is the server's address. */
export function streamCredentials(origin: string, installationId: string, secret: string): StreamCredentials {
  const exp = Math.floor(Date.now() / 1000) + streamSeconds
  return {
    url: `${origin}/push/v1/stream`,
    token: signToken(purpose, { installation_id: installationId, exp }, secret),
    expires_at: new Date(exp * 1000),
  }
}

/** The installation whose stream a token opens, and until when; null for one that is over or not ours. */
export const verifyStreamToken = (token: string, secret: string): z.infer<typeof Payload> | null =>
  verifyToken(purpose, token, secret, Payload)
