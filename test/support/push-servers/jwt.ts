import { type KeyObject, verify } from 'node:crypto'

export interface Jwt {
  header: Record<string, unknown>
  claims: Record<string, unknown>
  /** True if the key has signed it. */
  signedBy(key: KeyObject): boolean
}

/** Parses a token with only node:crypto. Returns undefined if it is invalid. */
export function readJwt(text: string): Jwt | undefined {
  const [header = '', claims = '', signature = ''] = text.split('.')
  try {
    return {
      header: decode(header),
      claims: decode(claims),
      signedBy: (key) =>
        verify(
          'sha256',
          Buffer.from(`${header}.${claims}`),
          key.asymmetricKeyType === 'ec' ? { key, dsaEncoding: 'ieee-p1363' } : key,
          Buffer.from(signature, 'base64url'),
        ),
    }
  } catch {
    return undefined
  }
}

const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
