import { createCipheriv, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { verifyToken } from '#lib/tokens.ts'

/** Size in bytes of an ID, which is one block of AES, and of the token made from it. */
const blockBytes = 16

/** Number of characters of a token: its bytes in base64url. */
export const receiptCharacters = 22

/**
 * Creates the tokens with which devices prove that they received deliveries, in order. Each token is in its delivery’s
 * payload and valid only for it. One block of AES with a key for this purpose is a MAC of an ID, because all IDs have
 * the length of a block. All tokens are created in one call, which is faster than a hash of each.
 */
export function signReceipts(deliveryIds: readonly string[], secret: string): string[] {
  const tags = tagsOf(deliveryIds, secret)
  return deliveryIds.map((_, at) => tags.toString('base64url', at * blockBytes, (at + 1) * blockBytes))
}

/**
 * True if a token belongs to a delivery. The token has the form of `signReceipts`, or is a signed string that names the
 * delivery.
 */
export function isReceiptOf(token: string, deliveryId: string, secret: string): boolean {
  if (token.includes('.')) return verifyToken('push receipt', token, secret, SignedText)?.d === deliveryId
  const given = Buffer.from(token, 'base64url')
  return given.length === blockBytes && timingSafeEqual(given, tagsOf([deliveryId], secret))
}

const SignedText = z.object({ d: Id })

function tagsOf(deliveryIds: readonly string[], secret: string): Buffer {
  const blocks = Buffer.from(deliveryIds.join('').replaceAll('-', ''), 'hex')
  if (blocks.length !== deliveryIds.length * blockBytes) throw new TypeError('A delivery ID must be a UUID.')
  const cipher = createCipheriv('aes-256-ecb', keyOf(secret), null).setAutoPadding(false)
  return Buffer.concat([cipher.update(blocks), cipher.final()])
}

let derived: { secret: string; key: KeyObject } | undefined

function keyOf(secret: string): KeyObject {
  if (derived?.secret !== secret) {
    const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'millrace push receipt', 32)))
    derived = { secret, key }
  }
  return derived.key
}
