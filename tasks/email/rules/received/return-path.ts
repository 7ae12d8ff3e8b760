import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * Kind of this installation’s address in a message: the envelope sender (VERP, `b`) and the mailbox of List-Unsubscribe
 * (`u`). Each address identifies one message. It is in lower case, because some servers change the case. The MAC
 * prevents forged reports on messages that the reporter has not seen. Recipients can read both addresses, so each
 * address changes only its own message and recipient.
 */
export type ReturnKind = 'b' | 'u'

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'
/** 40 bits. */
const macLength = 8

/** Returns `b+<id>.<mac>`, at most 64 octets (RFC 5321 §4.5.3.1.1). */
export function returnLocalPart(kind: ReturnKind, messageId: string, secret: string): string {
  const id = base32(Buffer.from(messageId.replaceAll('-', ''), 'hex'))
  return `${kind}+${id}.${mac(kind, id, secret)}`
}

/** Returns null if this installation did not create the local part. */
export function readReturnLocalPart(kind: ReturnKind, localPart: string, secret: string): string | null {
  const [, id, given] = /^[bu]\+([a-z2-7]{26})\.([a-z2-7]{8})$/.exec(localPart.toLowerCase()) ?? []
  if (!id || !given || localPart[0]?.toLowerCase() !== kind) return null
  if (!timingSafeEqual(Buffer.from(given), Buffer.from(mac(kind, id, secret)))) return null
  const hex = fromBase32(id).subarray(0, 16).toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

const mac = (kind: ReturnKind, id: string, secret: string): string =>
  base32(createHmac('sha256', secret).update(`mail return ${kind}\0${id}`).digest()).slice(0, macLength)

/** Encodes bytes as base32 (RFC 4648 §6) in lower case, without padding. */
function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)))
}
