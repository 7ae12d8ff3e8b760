import { z } from 'zod'
import type { Seal } from '#lib/seal.ts'
import type { Provider } from '#sql/sms/providers.ts'
import { type Connection, SmsError } from '../engine.ts'

export type Secrets = Readonly<Record<string, unknown>>

const Opened = z.record(z.string(), z.unknown())

export const sealSecrets = (seal: Seal, providerId: string, secrets: Secrets): string =>
  seal.close(JSON.stringify(secrets), providerId)

/** Decrypts the secrets of a connection. Throws `not_configured` if they were deleted or cannot be decrypted. */
export function openConnection(seal: Seal | undefined, provider: Provider): Connection {
  const opened = provider.state === 'active' ? seal?.open(provider.secrets, provider.id) : null
  if (opened === null || opened === undefined)
    throw new SmsError('not_configured', 'The secrets of the connection cannot be decrypted.')
  const { id, org_id: orgId, kind, settings } = provider
  return { id, orgId, kind, settings, secrets: Opened.parse(JSON.parse(opened)), isLocal: false }
}
