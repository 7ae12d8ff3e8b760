import { type KeyObject, verify } from 'node:crypto'

/** A JSON web token, read. */
export interface Jwt {
  header: Record<string, unknown>
  claims: Record<string, unknown>
  /** Whether the key has signed it. */
  signedBy(key: KeyObject): boolean
}

/** Reads a token with node:crypto alone; undefined when it is none. */
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
