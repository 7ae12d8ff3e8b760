import { z } from 'zod'
import { createSeal, type Seal } from '#lib/seal.ts'
import { hashSecret, makeSecret } from '#lib/tokens.ts'
import { type Source, sealPurpose } from '#sql/intake/sources.ts'

const Secrets = z.object({ current: z.string().nullable(), previous: z.string().optional() })

type Secrets = z.infer<typeof Secrets>

const Headers = z.record(z.string(), z.string())

/** The associated data of a sealed value names its column, so that one value cannot replace another. */
const about = (id: string, column: string): string => `${id} ${column}`

export const createSourceSeal = (signing: string): Seal => createSeal(signing, sealPurpose)

export const sealSecrets = (seal: Seal, id: string, secrets: Secrets): string => seal.close(JSON.stringify(secrets), id)

export function openSecrets(seal: Seal, { id, secrets }: Pick<Source, 'id' | 'secrets'>): Secrets | null {
  const opened = seal.open(secrets, id)
  return opened === null ? null : Secrets.parse(JSON.parse(opened))
}

/** Returns the secrets with which a signature is valid now. Empty if there are none, or they cannot be decrypted. */
export function listValidSecrets(seal: Seal, source: Pick<Source, 'id' | 'secrets' | 'previous_until'>): string[] {
  const opened = openSecrets(seal, source)
  if (!opened) return []
  const isInUse = source.previous_until !== null && source.previous_until > new Date()
  return [
    ...(opened.current === null ? [] : [opened.current]),
    ...(isInUse && opened.previous !== undefined ? [opened.previous] : []),
  ]
}

/** Creates the last part of a source's URL. */
export function createToken(seal: Seal, id: string): { token: string; token_hash: string } {
  const token = makeSecret()
  return { token: seal.close(token, about(id, 'token')), token_hash: hashSecret(token) }
}

/** Returns null if the URL cannot be decrypted. */
export const openToken = (seal: Seal, { id, token }: Pick<Source, 'id' | 'token'>): string | null =>
  seal.open(token, about(id, 'token'))

export const sealHeaders = (seal: Seal, id: string, headers: Readonly<Record<string, string>>): string | null =>
  Object.keys(headers).length === 0 ? null : seal.close(JSON.stringify(headers), about(id, 'headers'))

/** Returns the headers that the organisation adds to forwarded requests. Empty if they cannot be decrypted. */
export function openHeaders(
  seal: Seal,
  { id, forward_headers }: Pick<Source, 'id' | 'forward_headers'>,
): Record<string, string> {
  const opened = forward_headers === null ? null : seal.open(forward_headers, about(id, 'headers'))
  return opened === null ? {} : Headers.parse(JSON.parse(opened))
}
