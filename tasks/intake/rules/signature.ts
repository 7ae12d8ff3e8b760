import { createHmac } from 'node:crypto'
import { isEqualInConstantTime } from '#lib/equal-in-constant-time.ts'
import type { Reason } from '#sql/intake/requests.ts'

/** A received request before its signature is checked. The names of headers are in lower case. */
export interface SignedRequest {
  headers: Readonly<Record<string, string | undefined>>
  body: Buffer
}

export const reasons: Readonly<Record<Reason, string>> = {
  signature_missing: 'The signature header is missing or has a different format.',
  timestamp_missing: 'The time of the signature is missing or is not a number of seconds.',
  timestamp_outside_tolerance: 'The time of the signature is too old or in the future.',
  signature_wrong: 'The signature does not match the secret and the body.',
  secret_missing: 'The source has no secret, or it cannot be decrypted. Set the secret.',
}

export type Verdict = { valid: true; signedAt: Date | null } | { valid: false; reason: Reason; signedAt: Date | null }

/** How a provider signs requests with HMAC. */
export interface SignatureScheme {
  algorithm: 'sha256' | 'sha1' | 'sha512'
  encoding: 'hex' | 'base64'
  /** Returns the signatures of a request. A provider that rotates its secret sends several. */
  signaturesOf(request: SignedRequest): readonly string[]
  /** Returns the time of the signature in seconds as text. Undefined if the provider signs no time. */
  timestampOf?(request: SignedRequest): string | undefined
  /** Maximum difference between the time of the signature and the current time, in seconds. */
  tolerance: number
  /** Returns the signed text before the body. */
  textBefore(request: SignedRequest, timestamp: string): string
  keyOf(secret: string): Buffer | string
}

/** Number of signatures of a request that are compared. */
const maxSignatures = 10

const seconds = /^\d{1,11}$/

/** Checks the signature of a request with each valid secret, in constant time. */
export function verifySignature(
  scheme: SignatureScheme,
  request: SignedRequest,
  secrets: readonly string[],
  now: number = Date.now(),
): Verdict {
  const timestamp = scheme.timestampOf?.(request)
  const signedAt = timestamp !== undefined && seconds.test(timestamp) ? new Date(Number(timestamp) * 1000) : null
  const refuse = (reason: Reason): Verdict => ({ valid: false, reason, signedAt })
  if (secrets.length === 0) return refuse('secret_missing')
  const given = scheme.signaturesOf(request).slice(0, maxSignatures)
  if (given.length === 0) return refuse('signature_missing')
  if (scheme.timestampOf && !signedAt) return refuse('timestamp_missing')
  const text = scheme.textBefore(request, timestamp ?? '')
  const isHex = scheme.encoding === 'hex'
  const expected = secrets.map((secret) =>
    createHmac(scheme.algorithm, scheme.keyOf(secret)).update(text).update(request.body).digest(scheme.encoding),
  )
  const matches = expected.flatMap((one) =>
    given.map((signature) => isEqualInConstantTime(isHex ? signature.toLowerCase() : signature, one)),
  )
  if (!matches.includes(true)) return refuse('signature_wrong')
  if (signedAt && Math.abs(now - signedAt.getTime()) > scheme.tolerance * 1000)
    return refuse('timestamp_outside_tolerance')
  return { valid: true, signedAt }
}
