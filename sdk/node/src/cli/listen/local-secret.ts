import { createHash, createHmac, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { configFolder, readPrivate, writePrivate } from '../private-files.ts'
import { UsageError } from '../usage-error.ts'

/** Returns the secret with which this computer signs events. The secret stays the same for a login. */
export async function localSecret(login: string, url: string): Promise<string> {
  const name = createHash('sha256').update(`${login} ${url}`).digest('hex').slice(0, 32)
  const path = join(configFolder(), 'webhook-secrets', `${name}.json`)
  const stored = await readPrivate<{ secret: string }>(path)
  if (stored && isSecret(stored.secret)) return stored.secret
  const secret = `whsec_${randomBytes(24).toString('base64')}`
  await writePrivate(path, { login, url, secret })
  return secret
}

/** Returns a secret of the command line. */
export function checkedSecret(secret: string): string {
  if (isSecret(secret)) return secret
  throw new UsageError('--secret must be whsec_ followed by 24 to 64 bytes in base64.', 'listen')
}

const isSecret = (secret: string): boolean => {
  if (!/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret)) return false
  const { length } = Buffer.from(secret.slice('whsec_'.length), 'base64')
  return length >= 24 && length <= 64
}

/** Returns the headers of a signed request (Standard Webhooks 1.0). */
export function signedHeaders(id: string, body: string, secret: string, now = Date.now()): Record<string, string> {
  const timestamp = String(Math.floor(now / 1_000))
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}
