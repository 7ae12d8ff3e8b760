import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { z } from 'zod'
import { config } from './config.ts'

/**
 * Prefixes of API keys that are created or accepted. Keys with `bt_site_` are public. Keys with `bt_test_` and
 * `snd_test_` record messages but do not deliver them.
 */
export const keyPrefixes = ['bt_live_', 'bt_site_', 'bt_test_', 'snd_live_', 'snd_test_', 'mtz_live_'] as const

export const operatorScope = 'operator'

export type KeyPrefix = (typeof keyPrefixes)[number]

/** Pattern of an API key. The length also allows keys that were imported from other systems. */
const keyForm = /^(bt_live_|bt_site_|bt_test_|snd_live_|snd_test_|mtz_live_|bt_)[A-Za-z0-9_-]{16,128}$/

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/**
 * Returns 256 random bits in base 62, as 43 letters and digits. A double click therefore selects the complete string.
 */
export function randomText(): string {
  let rest = BigInt(`0x${randomBytes(32).toString('hex')}`)
  let text = ''
  for (let i = 0; i < 43; i++) {
    text += digits[Number(rest % 62n)]
    rest /= 62n
  }
  return text
}

export const getCellPrefix = (cell: string = config.CELL): string => (cell === '' ? '' : `${cell}_`)

/** Creates a secret that contains its cell, for example `b_` and a random string. */
export const makeSecret = (cell?: string): string => getCellPrefix(cell) + randomText()

/** Creates an API key. It is shown once, and only its hash is stored. */
export const makeKey = (prefix: KeyPrefix, cell?: string): string => prefix + makeSecret(cell)

/** True if the string has the form of an API key. Other strings are rejected without a database query. */
export const looksLikeKey = (text: string): boolean => keyForm.test(text)

/**
 * Returns the SHA-256 hash in hex under which a secret is stored. SHA-256 is enough because the secret has 256 random
 * bits.
 */
export const hashSecret = (secret: string): string => hash('sha256', secret, 'hex')

function seal(purpose: string, body: string, secret: string): string {
  return createHmac('sha256', secret).update(`${purpose}\0${body}`).digest('base64url')
}

/**
 * Creates a signed token with `payload`. The token cannot be forged without `secret` or used for another purpose. A
 * numeric `exp` in the payload (seconds since 1970) is the expiry. The payload is signed, not encrypted. With several
 * cells, the token starts with the name of this cell (lib/cell-marks.ts).
 */
export function signToken(purpose: string, payload: Record<string, unknown>, secret: string): string {
  const said = config.CELL === '' ? payload : { cell: config.CELL, ...payload }
  const body = Buffer.from(JSON.stringify(said)).toString('base64url')
  return `${body}.${seal(purpose, body, secret)}`
}

/**
 * Returns the payload of a token if the token is for `purpose`, matches `schema` and has not expired. Otherwise returns
 * null.
 */
export function verifyToken<S extends z.ZodType>(
  purpose: string,
  token: string,
  secret: string,
  schema: S,
  now: number = Date.now(),
): z.output<S> | null {
  const [body, mac, ...more] = token.split('.')
  if (!body || !mac || more.length > 0) return null
  const expected = Buffer.from(seal(purpose, body, secret))
  const given = Buffer.from(mac)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null
  try {
    const payload: { exp?: unknown } = JSON.parse(Buffer.from(body, 'base64url').toString())
    if (typeof payload.exp === 'number' && payload.exp * 1000 <= now) return null
    const parsed = schema.safeParse(payload)
    return parsed.success ? parsed.data : null
  } catch {
    return null
  }
}
