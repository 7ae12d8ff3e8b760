import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { z } from 'zod'
import { config } from './config.ts'

/** Prefixes of API keys that are made or accepted: `bt_site_` is public, `bt_test_` and `snd_test_` record without delivering. */
export const keyPrefixes = ['bt_live_', 'bt_site_', 'bt_test_', 'snd_live_', 'snd_test_', 'mtz_live_'] as const

/** The scope of those who operate the fleet; it reaches every organisation's jobs. */
export const operatorScope = 'operator'

/** One of the prefixes of API keys. */
export type KeyPrefix = (typeof keyPrefixes)[number]

/** What an API key looks like; the length leaves room for keys that were made elsewhere and imported. */
const keyForm = /^(bt_live_|bt_site_|bt_test_|snd_live_|snd_test_|mtz_live_|bt_)[A-Za-z0-9_-]{16,128}$/

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** 256 random bits in base 62: 43 letters and digits, so that a double click selects all of it. */
export function randomText(): string {
  let rest = BigInt(`0x${randomBytes(32).toString('hex')}`)
  let text = ''
  for (let i = 0; i < 43; i++) {
    text += digits[Number(rest % 62n)]
    rest /= 62n
  }
  return text
}

/** What a random text begins with that says its cell; nothing where there is one Millrace alone. */
export const cellMark = (cell: string = config.CELL): string => (cell === '' ? '' : `${cell}_`)

/** A secret that requests carry, so that it says its cell: `b_` and random text. */
export const makeSecret = (cell?: string): string => cellMark(cell) + randomText()

/** A new API key; it is shown once and only its hash is stored. */
export const makeKey = (prefix: KeyPrefix, cell?: string): string => prefix + makeSecret(cell)

/** Whether the text can be an API key at all; what cannot is refused without asking the database. */
export const looksLikeKey = (text: string): boolean => keyForm.test(text)

/** The hash under which a secret is stored: SHA-256 in hex, enough for 256 random bits. */
export const hashSecret = (secret: string): string => hash('sha256', secret, 'hex')

function seal(purpose: string, body: string, secret: string): string {
  return createHmac('sha256', secret).update(`${purpose}\0${body}`).digest('base64url')
}

/**
 * A token that carries `payload` and cannot be forged without `secret` nor used for another purpose. A numeric `exp` in
 * the payload (seconds since 1970) ends it. The payload is signed, not encrypted. Where there are several cells it says this
 * one, first of all, so that what a token begins with tells it (lib/cell-marks.ts).
 */
export function signToken(purpose: string, payload: Record<string, unknown>, secret: string): string {
  const said = config.CELL === '' ? payload : { cell: config.CELL, ...payload }
  const body = Buffer.from(JSON.stringify(said)).toString('base64url')
  return `${body}.${seal(purpose, body, secret)}`
}

/** The payload of a token that was signed for `purpose`, matches `schema` and is not over; otherwise null. */
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
