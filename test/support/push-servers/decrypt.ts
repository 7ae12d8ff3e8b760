import { createDecipheriv, type ECDH, hkdfSync } from 'node:crypto'

/** Decrypts a push message like a browser (RFC 8291 §3.4, RFC 8188 §2), with only node:crypto. Throws if that fails. */
export function decrypt(body: Buffer, pair: ECDH, authSecret: Buffer): Buffer {
  const derive = (key: Buffer, salt: Buffer, info: Buffer | string, length: number) =>
    Buffer.from(hkdfSync('sha256', key, salt, Buffer.from(info), length))
  const salt = body.subarray(0, 16)
  const recordSize = body.readUInt32BE(16)
  const senderKey = body.subarray(21, 21 + body.readUInt8(20))
  const record = body.subarray(21 + senderKey.length)
  if (record.length > recordSize) throw new Error('A push message is one record.')
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), pair.getPublicKey(), senderKey])
  const ikm = derive(pair.computeSecret(senderKey), authSecret, info, 32)
  const key = derive(ikm, salt, 'Content-Encoding: aes128gcm\0', 16)
  const nonce = derive(ikm, salt, 'Content-Encoding: nonce\0', 12)
  const cipher = createDecipheriv('aes-128-gcm', key, nonce)
  cipher.setAuthTag(record.subarray(-16))
  const padded = Buffer.concat([cipher.update(record.subarray(0, -16)), cipher.final()])
  const end = padded.findLastIndex((byte) => byte !== 0)
  if (padded[end] !== 2) throw new Error('The last record ends with 2.')
  return padded.subarray(0, end)
}
