/**
 * The calculation of AWS Signature Version 4, as in the Amazon S3 API Reference, "Authenticating Requests: Using the
 * Authorization Header" and "Signature Calculations for the Authorization Header".
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { encode } from './uri.ts'

export const algorithm = 'AWS4-HMAC-SHA256'

export const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

export interface SignableRequest {
  readonly method: string
  readonly uri: string
  readonly pairs: readonly (readonly [name: string, value: string])[]
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly payloadHash: string
}

/** Returns the canonical request ("Task 1: Create a Canonical Request"). */
export function canonicalRequest({ method, uri, pairs, headers, payloadHash }: SignableRequest): string {
  const query = pairs
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([a, x], [b, y]) => (a === b ? order(x, y) : order(a, b)))
    .map((pair) => pair.join('='))
    .join('&')
  const lines = headers.map(([name, value]) => `${name}:${value.trim().replace(/ +/g, ' ')}\n`).join('')
  return [method, uri, query, lines, headers.map(([name]) => name).join(';'), payloadHash].join('\n')
}

/** Returns the text to sign ("Task 2: Create a String to Sign"). `encoding` is the encoding of header bytes. */
export function stringToSign(timestamp: string, scope: string, canonical: string, encoding: BufferEncoding): string {
  return [algorithm, timestamp, scope, sha256(Buffer.from(canonical, encoding))].join('\n')
}

export function scopeOf(date: string, region: string): string {
  return `${date}/${region}/s3/aws4_request`
}

/** Derives the key of a day and region ("Task 3: Calculate Signature"). */
export function signingKey(secretKey: string, date: string, region: string): Buffer {
  return [date, region, 's3', 'aws4_request'].reduce<Buffer>(hmac, Buffer.from(`AWS4${secretKey}`))
}

export function sign(key: Buffer, text: string): string {
  return hmac(key, text).toString('hex')
}

export function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex')
}

/** Compares strings in constant time. */
export function isSame(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
