import { fromBase64 } from './bytes.ts'
import { MillraceError } from './errors.ts'

/** Thrown if the request is not signed with the secret, or if its signature is too old. */
export class WebhookVerificationError extends MillraceError {
  override name = 'WebhookVerificationError'
}

/** Headers of the request: `Headers`, or an object with names in lower case. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>

export interface VerifyOptions {
  /**
   * Maximum difference in seconds between the time of the signature and this clock, in the past or future. Default:
   * 300.
   */
  toleranceSeconds?: number
  /** Current time in milliseconds since 1970. */
  now?: number
}

/**
 * Throws unless the body was signed with the secret (`whsec_…`), or with one of several during a rotation (Standard
 * Webhooks 1.0).
 */
export async function checkSignature(
  bytes: Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now() }: VerifyOptions = {},
): Promise<void> {
  const [id, at, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => {
    const value = headerOf(headers, name)
    if (!value) throw new WebhookVerificationError(`The request does not have the header ${name}.`)
    return value
  }) as [string, string, string]
  if (!/^\d{1,12}$/.test(at)) throw new WebhookVerificationError('The header webhook-timestamp is not a valid time.')
  if (Math.abs(now / 1000 - Number(at)) > toleranceSeconds) {
    throw new WebhookVerificationError('The signature of the request is too old or in the future.')
  }
  const head = new TextEncoder().encode(`${id}.${at}.`)
  const signed = new Uint8Array(head.length + bytes.length)
  signed.set(head)
  signed.set(bytes, head.length)
  const given = signatures.split(' ').flatMap((text) => (text.startsWith('v1,') ? [text.slice('v1,'.length)] : []))
  for (const one of typeof secret === 'string' ? [secret] : secret) {
    if (await isSigned(one, signed, given)) return
  }
  throw new WebhookVerificationError('The request has no signature for this secret.')
}

/** Returns the value of a header, whose name is given in lower case. */
export function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const [, value] = Object.entries(headers).find(([given]) => given.toLowerCase() === name) ?? []
  return Array.isArray(value) ? value.join(' ') : value
}

async function isSigned(secret: string, signed: Uint8Array<ArrayBuffer>, given: string[]): Promise<boolean> {
  const key = await crypto.subtle.importKey('raw', bytesOf(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  // The body is hashed once, because a request can contain many wrong signatures.
  const expected = new Uint8Array(await crypto.subtle.sign('HMAC', key, signed))
  return given.some((signature) => isEqual(decoded(signature), expected))
}

/** Takes the same time for every wrong signature. */
function isEqual(given: Uint8Array, expected: Uint8Array): boolean {
  let difference = given.length ^ expected.length
  for (const [i, byte] of expected.entries()) difference |= byte ^ (given[i] ?? 0)
  return difference === 0
}

function bytesOf(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = decoded(secret.replace(/^whsec_/, ''))
  if (bytes.length === 0) throw new MillraceError('The webhook secret must be whsec_ followed by base64.')
  return bytes
}

function decoded(text: string): Uint8Array<ArrayBuffer> {
  try {
    return fromBase64(text)
  } catch {
    return new Uint8Array(0)
  }
}
