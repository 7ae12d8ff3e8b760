import { z } from 'zod'
import type { Seal } from '#lib/seal.ts'
import type { Kind, Provider } from '#sql/sms/providers.ts'
import { type Connection, SmsError } from '../engine.ts'

export type Secrets = Readonly<Record<string, unknown>>

const Opened = z.record(z.string(), z.unknown())

export const sealSecrets = (seal: Seal, providerId: string, secrets: Secrets): string =>
  seal.close(JSON.stringify(secrets), providerId)

/** Returns only the secret that signs callbacks, for a removed connection. */
export function keepCallbackSecret(kind: Kind, secrets: Secrets): Secrets {
  if (kind === 'twilio') return { auth_token: secrets.auth_token }
  if (kind === 'vonage') return { signature_secret: secrets.signature_secret }
  const { callback_secret } = secrets
  return { headers: {}, ...(callback_secret !== undefined && { callback_secret }) }
}

/**
 * Decrypts the secrets of a connection to send messages. Throws `not_configured` if it was removed or they cannot be
 * decrypted.
 */
export function openConnection(seal: Seal | undefined, provider: Provider): Connection {
  if (provider.state !== 'active') throw new SmsError('not_configured', 'The connection was removed.')
  return openForCallbacks(seal, provider)
}

/** Decrypts the secrets of a connection to check callbacks, also those of a removed connection. */
export function openForCallbacks(seal: Seal | undefined, provider: Provider): Connection {
  const opened = seal?.open(provider.secrets, provider.id) ?? null
  if (opened === null) throw new SmsError('not_configured', 'The secrets of the connection cannot be decrypted.')
  const { id, org_id: orgId, kind, settings } = provider
  return { id, orgId, kind, settings, secrets: Opened.parse(JSON.parse(opened)), isLocal: false }
}
