import type { Hmac, Source } from '#sql/intake/sources.ts'
import type { SignatureScheme, SignedRequest } from './signature.ts'

/** Tolerance in seconds that the libraries of Stripe, Slack and Standard Webhooks use. */
export const usualTolerance = 300

const sha256 = { algorithm: 'sha256', tolerance: usualTolerance, keyOf: (secret: string) => secret } as const

/** Returns the signatures in a header, separated by commas or spaces, that have a prefix. */
function signaturesIn(value: string | undefined, prefix: string): string[] {
  const parts = (value ?? '').split(/[,\s]/).filter((part) => part !== '')
  return parts.flatMap((part) => (part.startsWith(prefix) && part !== prefix ? [part.slice(prefix.length)] : []))
}

/** Stripe: `Stripe-Signature: t=<seconds>,v1=<hex>`, signed is `t.body`. */
const stripe: SignatureScheme = {
  ...sha256,
  encoding: 'hex',
  signaturesOf: ({ headers }) => signaturesIn(headers['stripe-signature'], 'v1='),
  timestampOf: ({ headers }) => signaturesIn(headers['stripe-signature'], 't=')[0],
  textBefore: (_, timestamp) => `${timestamp}.`,
}

/** GitHub: `X-Hub-Signature-256: sha256=<hex>`, signed is the body. */
const github: SignatureScheme = {
  ...sha256,
  encoding: 'hex',
  signaturesOf: ({ headers }) => signaturesIn(headers['x-hub-signature-256'], 'sha256='),
  textBefore: () => '',
}

/** Shopify: `X-Shopify-Hmac-Sha256: <base64>`, or without `X-`. Signed is the body. */
const shopify: SignatureScheme = {
  ...sha256,
  encoding: 'base64',
  signaturesOf: ({ headers }) => signaturesIn(headers['x-shopify-hmac-sha256'] ?? headers['shopify-hmac-sha256'], ''),
  textBefore: () => '',
}

/** Slack: `X-Slack-Signature: v0=<hex>`, signed is `v0:timestamp:body`. */
const slack: SignatureScheme = {
  ...sha256,
  encoding: 'hex',
  signaturesOf: ({ headers }) => signaturesIn(headers['x-slack-signature'], 'v0='),
  timestampOf: ({ headers }) => headers['x-slack-request-timestamp'],
  textBefore: (_, timestamp) => `v0:${timestamp}:`,
}

/** Standard Webhooks 1.0: `webhook-signature: v1,<base64> …`, signed is `id.timestamp.body`. */
const standard: SignatureScheme = {
  ...sha256,
  encoding: 'base64',
  signaturesOf: ({ headers }) =>
    (headers['webhook-signature'] ?? '')
      .split(' ')
      .flatMap((part) => (part.startsWith('v1,') && part !== 'v1,' ? [part.slice(3)] : [])),
  timestampOf: ({ headers }) => headers['webhook-timestamp'],
  textBefore: ({ headers }, timestamp) => `${headers['webhook-id'] ?? ''}.${timestamp}.`,
  keyOf: (secret) => Buffer.from(secret.replace(/^whsec_/, ''), 'base64'),
}

const hmac = (settings: Hmac): SignatureScheme => {
  const { timestamp_header: header } = settings
  return {
    algorithm: settings.algorithm,
    encoding: settings.encoding,
    tolerance: settings.tolerance,
    keyOf: (secret) => secret,
    signaturesOf: ({ headers }: SignedRequest) => signaturesIn(headers[settings.header], settings.prefix),
    ...(header !== null && { timestampOf: ({ headers }: SignedRequest) => headers[header] }),
    textBefore: (_, timestamp) => (settings.signed === 'body' ? '' : `${timestamp}.`),
  }
}

const schemes = { stripe, github, shopify, slack, standard } as const

export function getScheme({ provider, hmac: settings }: Pick<Source, 'provider' | 'hmac'>): SignatureScheme {
  if (provider !== 'hmac') return schemes[provider]
  if (!settings) throw new Error('A source of the provider hmac has no settings.')
  return hmac(settings)
}
