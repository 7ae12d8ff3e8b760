import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { signToken, verifyToken } from '#lib/tokens.ts'

const purpose = 'push stream'
const Payload = z.object({ installation_id: Id, key_id: Id, exp: z.number() })

/** How long a stream's token is good, in seconds: registering again renews it. */
const streamSeconds = 24 * 3_600

/** What a client opens an installation's stream with. */
export interface StreamCredentials {
  url: string
  token: string
  expires_at: Date
}

/** Makes the credentials of an installation's stream, which end with the API key `keyId`; `origin` is the server's address. */
export function streamCredentials(
  origin: string,
  { installationId, keyId }: { installationId: string; keyId: string },
  secret: string,
): StreamCredentials {
  const exp = Math.floor(Date.now() / 1000) + streamSeconds
  return {
    url: `${origin}/push/v1/stream`,
    token: signToken(purpose, { installation_id: installationId, key_id: keyId, exp }, secret),
    expires_at: new Date(exp * 1000),
  }
}

/** The installation whose stream a token opens, by which key it was made, and until when; null for one that is over or not ours. */
export const verifyStreamToken = (token: string, secret: string): z.infer<typeof Payload> | null =>
  verifyToken(purpose, token, secret, Payload)
