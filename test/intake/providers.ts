import { sign } from '@octokit/webhooks-methods'
import { Webhook } from 'standardwebhooks'
import { openssl, seconds } from './stack.ts'

export interface Signing {
  secret: string
  /** Age of the signature in seconds. */
  ago?: number
  /** ID of the event. */
  id?: string
}

/** How a provider sends a webhook. Signatures are computed by openssl or by the provider’s library. */
export interface SignedProvider {
  name: string
  form: object
  secrets: [string, string]
  signsTime: boolean
  body(id: string): string
  sign(body: string, signing: Signing): Promise<Record<string, string>> | Record<string, string>
  type: string
}

const stripe: SignedProvider = {
  name: 'stripe',
  form: { provider: 'stripe' },
  secrets: ['whsec_stripe_one', 'whsec_stripe_two'],
  signsTime: true,
  body: (id) => JSON.stringify({ id, object: 'event', type: 'invoice.paid', data: { object: { currency: 'eur' } } }),
  sign(body, { secret, ago = 0 }) {
    const t = seconds(ago)
    return { 'stripe-signature': `t=${t},v1=${openssl('sha256', secret, `${t}.${body}`)},v0=0123` }
  },
  type: 'invoice.paid',
}

const github: SignedProvider = {
  name: 'github',
  form: { provider: 'github' },
  secrets: ['github-secret-one', 'github-secret-two'],
  signsTime: false,
  body: () => JSON.stringify({ action: 'opened', number: 7 }),
  sign: async (body, { secret, id = 'd1' }) => ({
    'x-hub-signature-256': await sign(secret, body),
    'x-github-delivery': id,
    'x-github-event': 'pull_request',
  }),
  type: 'pull_request',
}

const shopify: SignedProvider = {
  name: 'shopify',
  form: { provider: 'shopify' },
  secrets: ['shopify-client-one', 'shopify-client-two'],
  signsTime: false,
  body: () => JSON.stringify({ id: 820982911946154500, email: 'jon@example.com' }),
  sign: (body, { secret, id = 'w1' }) => ({
    'x-shopify-hmac-sha256': openssl('sha256', secret, body, 'base64'),
    'x-shopify-webhook-id': id,
    'x-shopify-topic': 'orders/create',
  }),
  type: 'orders/create',
}

const slack: SignedProvider = {
  name: 'slack',
  form: { provider: 'slack' },
  secrets: ['8f742231b10e8888abcd99yyyzzz85a5', '9f742231b10e8888abcd99yyyzzz85a6'],
  signsTime: true,
  body: (id) => JSON.stringify({ type: 'event_callback', event_id: id, event: { type: 'app_mention', text: 'Hi' } }),
  sign(body, { secret, ago = 0 }) {
    const t = seconds(ago)
    const signature = `v0=${openssl('sha256', secret, `v0:${t}:${body}`)}`
    return { 'x-slack-request-timestamp': t, 'x-slack-signature': signature }
  },
  type: 'app_mention',
}

const standard: SignedProvider = {
  name: 'standard',
  form: { provider: 'standard' },
  secrets: [`whsec_${Buffer.alloc(24, 1).toString('base64')}`, `whsec_${Buffer.alloc(24, 2).toString('base64')}`],
  signsTime: true,
  body: () => JSON.stringify({ type: 'user.created', data: { id: 'u1' } }),
  sign(body, { secret, ago = 0, id = 'msg_1' }) {
    const at = new Date(Date.now() - ago * 1000)
    return {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': `v1,AAAA ${new Webhook(secret).sign(id, at, body)}`,
    }
  },
  type: 'user.created',
}

const hmac: SignedProvider = {
  name: 'hmac',
  form: {
    provider: 'hmac',
    hmac: {
      header: 'X-Acme-Signature',
      algorithm: 'sha512',
      encoding: 'base64',
      prefix: 'v2=',
      signed: 'timestamp.body',
      timestamp_header: 'X-Acme-Time',
      tolerance: 60,
      event_id_path: 'meta.id',
      event_type_header: 'X-Acme-Type',
    },
  },
  secrets: ['acme-secret-one', 'acme-secret-two'],
  signsTime: true,
  body: (id) => JSON.stringify({ meta: { id } }),
  sign(body, { secret, ago = 0 }) {
    const t = seconds(ago)
    const signature = `v2=${openssl('sha512', secret, `${t}.${body}`, 'base64')}`
    return { 'x-acme-signature': signature, 'x-acme-time': t, 'x-acme-type': 'thing.made' }
  },
  type: 'thing.made',
}

const sha1: SignedProvider = {
  name: 'hmac of the body with sha1',
  form: {
    provider: 'hmac',
    hmac: { header: 'X-Sig', algorithm: 'sha1', event_id_header: 'X-Id', event_type_path: 'kind' },
  },
  secrets: ['sha1-secret-one', 'sha1-secret-two'],
  signsTime: false,
  body: () => JSON.stringify({ kind: 'ping' }),
  sign: (body, { secret, id = 'i1' }) => ({ 'x-sig': openssl('sha1', secret, body).toUpperCase(), 'x-id': id }),
  type: 'ping',
}

export const signedProviders = [stripe, github, shopify, slack, standard, hmac, sha1]
