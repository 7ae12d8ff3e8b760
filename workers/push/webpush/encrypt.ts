import {
  createCipheriv,
  createECDH,
  createSecretKey,
  type ECDH,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'

export interface SubscriptionKeys {
  p256dh: string
  auth: string
}

const [keyLabel, cekInfo, nonceInfo] = [
  'WebPush: info\0',
  'Content-Encoding: aes128gcm\0',
  'Content-Encoding: nonce\0',
].map((text) => Buffer.from(text, 'latin1')) as [Buffer, Buffer, Buffer]

/**
 * Size in bytes of an uncompressed P-256 point, and minimum size in bytes of a browser’s secret (RFC 8291 §3.1, §3.2).
 */
const [pointBytes, leastAuthBytes] = [65, 16]

/** Record size (4,096) and length of the key ID, which is the sender’s point (RFC 8188 §2.1). */
const sizes = Buffer.from([0, 0, 0x10, 0, pointBytes])

/** Delimiter after the text of the last record (RFC 8188 §2). */
const delimiter = Buffer.from([2])

/**
 * Encrypts for one browser with a new key pair (RFC 8291 §4). Returns one record of `aes128gcm`, 103 bytes longer than
 * the text. Throws for invalid keys. Only tests set `once`: its values must never be used for two messages.
 */
export function encrypt(text: string, { p256dh, auth }: SubscriptionKeys, once: Once = fresh()): Buffer {
  const theirs = Buffer.from(p256dh, 'base64url')
  if (theirs.length !== pointBytes) throw new RangeError(`p256dh has ${theirs.length} bytes instead of ${pointBytes}.`)
  const shared = Buffer.from(auth, 'base64url')
  if (shared.length < leastAuthBytes)
    throw new RangeError(`auth has ${shared.length} bytes, but needs at least ${leastAuthBytes}.`)
  const { pair, salt } = once
  const ours = pair.getPublicKey()
  const secret = keyOf(pair.computeSecret(theirs))
  const key = keyOf(hkdfSync('sha256', secret, shared, Buffer.concat([keyLabel, theirs, ours]), 32))
  const cek = keyOf(hkdfSync('sha256', key, salt, cekInfo, 16))
  const cipher = createCipheriv('aes-128-gcm', cek, Buffer.from(hkdfSync('sha256', key, salt, nonceInfo, 12)))
  const sealed = [cipher.update(text, 'utf8'), cipher.update(delimiter), cipher.final(), cipher.getAuthTag()]
  return Buffer.concat([salt, sizes, ours, ...sealed])
}

interface Once {
  pair: ECDH
  salt: Buffer
}

function fresh(): Once {
  const pair = createECDH('prime256v1')
  pair.generateKeys()
  return { pair, salt: randomBytes(16) }
}

/** Node also accepts bytes as a key, but it takes 10 µs to detect that they are not a `KeyObject`. */
const keyOf = (bytes: ArrayBuffer | Buffer): KeyObject => createSecretKey(new Uint8Array(bytes))
