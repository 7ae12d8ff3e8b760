import { createCipheriv, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { verifyToken } from '#lib/tokens.ts'

/** Bytes of an id, which are one block of AES, and of the token that is made of it. */
const blockBytes = 16

/** Letters of a token: its bytes in base64url. */
export const receiptLetters = 22

/**
 * Makes the tokens by which devices show that deliveries reached them, in the order of the deliveries; each goes with its payload and is
 * good for that delivery alone. One block of AES under a key of this purpose is a MAC of an id, as all ids have the length of a block;
 * so many are made in one call, which takes less than a hash of each.
 */
export function signReceipts(deliveryIds: readonly string[], secret: string): string[] {
  const tags = tagsOf(deliveryIds, secret)
  return deliveryIds.map((_, at) => tags.toString('base64url', at * blockBytes, (at + 1) * blockBytes))
}

/** Whether a token is that of a delivery: as made here, or as a signed text that names the delivery. */
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
