import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { signToken, verifyToken } from '#lib/tokens.ts'

const purpose = 'push stream'
const Payload = z.object({ installation_id: Id, key_id: Id, exp: z.number() })

/** Time to live of a stream token in seconds. Registering again renews it. */
const streamSeconds = 24 * 3_600

export interface StreamCredentials {
  url: string
  token: string
  expires_at: Date
}

/**
 * Creates the credentials of an installation’s stream. They become invalid with the API key `keyId`. `origin` is the
 * origin of the server.
 */
export function createStreamCredentials(
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

/**
 * Returns the installation, API key and expiry in a stream token. Returns `null` if the token has expired or is
 * invalid.
 */
export const verifyStreamToken = (token: string, secret: string): z.infer<typeof Payload> | null =>
  verifyToken(purpose, token, secret, Payload)
