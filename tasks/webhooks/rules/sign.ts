import { createHmac } from 'node:crypto'
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
 * Signs an event (Standard Webhooks 1.0): `v1,` and the HMAC-SHA256 of `id.timestamp.body`, with each valid secret.
 * Returns null if the secret was encrypted with another SIGNING_SECRET.
 */
export function signEvent(target: Target, event: WebhookEvent, seal: Seal, now = Date.now()): SignedRequest | null {
  const [secret, ...more] = [target.secret, target.previous_secret].map(
    (sealed) => sealed && seal.open(sealed, getSecretContext(target.id)),
  )
  if (!secret) return null
  const { id, type, occurredAt, data } = event
  const timestamp = String(Math.floor(now / 1000))
  const body = JSON.stringify({ type, timestamp: occurredAt.toISOString(), data })
  const signatures = [secret, ...more].flatMap((key) =>
    key ? [computeSignature(key, `${id}.${timestamp}.${body}`)] : [],
  )
  return {
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Millrace-Webhooks/1.0',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatures.join(' '),
    },
    body,
  }
}

/** Returns the signature of `id.timestamp.body` (Standard Webhooks 1.0). */
export const computeSignature = (secret: string, text: string): string => {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  return `v1,${createHmac('sha256', key).update(text).digest('base64')}`
}
