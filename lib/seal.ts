import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto'

export interface Seal {
  mark: string
  /** Encrypts and authenticates a text (AES-256-GCM). `about` is the associated data. Pass the same value to `open`. */
  close(text: string, about: string): string
  /**
   * Returns the decrypted text. Returns null if the secret or the associated data is different, or if the text was
   * changed.
   */
  open(sealed: string, about: string): string | null
}

const [nonceBytes, tagBytes] = [12, 16]

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
