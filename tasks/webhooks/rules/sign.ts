import { createHmac } from 'node:crypto'
import type { Seal } from '#lib/seal.ts'
import { secretAbout, type Target } from '#sql/webhooks/endpoints.ts'

/** An event as it is sent. */
export interface WebhookEvent {
  id: string
  type: string
  occurredAt: Date
  data: Readonly<Record<string, unknown>>
}

/** What is posted: the very bytes that are signed. */
export interface SignedRequest {
  headers: Record<string, string>
  body: string
}

/**
 * Signs an event for an endpoint by Standard Webhooks 1.0: `v1,` and the HMAC-SHA256 of `id.timestamp.body`, by each secret that
 * holds now. Null when the secret was sealed by another SIGNING_SECRET.
 */
export function signed(target: Target, event: WebhookEvent, seal: Seal, now = Date.now()): SignedRequest | null {
  const [secret, ...more] = [target.secret, target.previous_secret].map(
    (sealed) => sealed && seal.open(sealed, secretAbout(target.id)),
  )
  if (!secret) return null
  const { id, type, occurredAt, data } = event
  const timestamp = String(Math.floor(now / 1000))
  const body = JSON.stringify({ type, timestamp: occurredAt.toISOString(), data })
  const signatures = [secret, ...more].flatMap((key) => (key ? [signature(key, `${id}.${timestamp}.${body}`)] : []))
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

/** The signature of `id.timestamp.body` by a secret (`whsec_…`), as Standard Webhooks 1.0 writes it. */
export const signature = (secret: string, text: string): string => {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  return `v1,${createHmac('sha256', key).update(text).digest('base64')}`
}
