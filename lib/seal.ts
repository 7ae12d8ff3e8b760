import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypts texts that are stored in the database, such as private keys. */
export interface Seal {
  /** The prefix of all texts sealed by this secret. */
  mark: string
  /** Encrypts and authenticates a text (AES-256-GCM); `about` is its associated data, the same when it is opened. */
  close(text: string, about: string): string
  /** The text; null when it was sealed with another secret or other associated data, or was changed. */
  open(sealed: string, about: string): string | null
}

const [nonceBytes, tagBytes] = [12, 16]

/** A seal whose key is derived from a secret for one purpose alone. */
export function createSeal(secret: string, purpose: string): Seal {
  const key = Buffer.from(hkdfSync('sha256', secret, '', `millrace seal: ${purpose}`, 32))
  const mark = `1.${hash('sha256', key, 'base64url').slice(0, 8)}.`
  return {
    mark,
    close(text, about) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(about))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return mark + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')
    },
    open(sealed, about) {
      if (!sealed.startsWith(mark)) return null
      const bytes = Buffer.from(sealed.slice(mark.length), 'base64url')
      if (bytes.length < nonceBytes + tagBytes) return null
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes))
      decipher.setAAD(Buffer.from(about)).setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
      try {
        const body = decipher.update(bytes.subarray(nonceBytes + tagBytes))
        return Buffer.concat([body, decipher.final()]).toString('utf8')
      } catch {
        return null
      }
    },
  }
}
