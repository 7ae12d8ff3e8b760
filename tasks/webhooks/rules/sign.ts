import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Seal } from '#lib/seal.ts'
import { getSecretContext, type Target } from '#sql/webhooks/endpoints.ts'

export interface WebhookEvent {
  id: string
  type: string
  occurredAt: Date
  data: Readonly<Record<string, unknown>>
}

export interface SignedRequest {
  headers: Record<string, string>
  body: string
}

/**
 * Signs an event with each valid secret. Returns null if the secret was encrypted with another SIGNING_SECRET.
 */
export function signEvent(target: Target, event: WebhookEvent, seal: Seal, now = Date.now()): SignedRequest | null {
  const secrets = openSecrets(target, getSecretContext(target.id), seal)
  if (!secrets) return null
  const { id, type, occurredAt, data } = event
  const body = JSON.stringify({ type, timestamp: occurredAt.toISOString(), data })
  const signed = signRequest({ id, body, secrets }, now)
  return { headers: { 'content-type': 'application/json', 'user-agent': 'Millrace-Webhooks/1.0', ...signed }, body }
}

/**
 * Returns the current secret and the previous one if it is still valid. Null if the current secret was encrypted with
 * another SIGNING_SECRET.
 */
export function openSecrets(
  { secret, previous_secret }: { secret: string; previous_secret: string | null },
  context: string,
  seal: Seal,
): readonly string[] | null {
  const current = seal.open(secret, context)
  const previous = previous_secret && seal.open(previous_secret, context)
  if (!current) return null
  return previous ? [current, previous] : [current]
}

/**
 * Returns the headers of a signed request (Standard Webhooks 1.0): `v1,` and the HMAC-SHA256 of `id.timestamp.body`,
 * with each secret.
 */
export function signRequest(
  { id, body, secrets }: { id: string; body: string; secrets: readonly string[] },
  now = Date.now(),
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000))
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => computeSignature(secret, `${id}.${timestamp}.${body}`)).join(' '),
  }
}

/** Keys of recent secrets. To create a key costs more than the signature of a short text. */
const keys = new LRUCache<string, KeyObject>({ max: 1_000 })

/** Returns the signature of `id.timestamp.body` (Standard Webhooks 1.0). */
export const computeSignature = (secret: string, text: string): string => {
  const key = keys.get(secret) ?? createSecretKey(Buffer.from(secret.slice('whsec_'.length), 'base64'))
  keys.set(secret, key)
  return `v1,${createHmac('sha256', key).update(text).digest('base64')}`
}
