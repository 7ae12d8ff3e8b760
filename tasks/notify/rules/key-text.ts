import { createHash } from 'node:crypto'

/**
 * Maximum size of an unhashed key in bytes. An index has room for about 2,700 bytes, and a value of an event may have
 * 8,000.
 */
const mostKeyBytes = 500

/**
 * Returns a value as a key: the value, or its hash if the value is too long. So no event is rejected because of its
 * length.
 */
export const toKeyText = (value: string): string =>
  Buffer.byteLength(value) <= mostKeyBytes ? value : `sha256 ${createHash('sha256').update(value).digest('hex')}`
