import { createHmac, hkdfSync, randomInt } from 'node:crypto'

/** Returns a random code of digits. Every code of the length is equally likely, also one that starts with 0. */
export const createCode = (length: number): string => Array.from({ length }, () => randomInt(10)).join('')

/**
 * Returns the hash under which a code is stored. Without the secret, the code cannot be found from the hash, although a
 * code has few possible values. The ID is part of the hash, so a code is valid for one verification only.
 */
export function hashCode(id: string, code: string, secret: string): string {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'millrace verification code', 32))
  return createHmac('sha256', key).update(`${id}\0${code}`).digest('hex')
}
