import { generateKeyPair, type KeyObject, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { newId } from '#lib/ids.ts'
import { createSeal } from '#lib/seal.ts'
import { type DkimKey, keyAbout, sealPurpose } from '#sql/email/domains.ts'

const generate = promisify(generateKeyPair)

export type NewKey = Omit<DkimKey, 'created_at'>

/**
 * Creates the two keys of a domain with encrypted private keys. Selectors have a random part, so that several
 * organisations can use one domain, and a later key pair can be published next to the first.
 */
export async function createKeys(orgId: string, domainId: string, secret: string): Promise<NewKey[]> {
  const mark = randomBytes(5).toString('hex')
  const seal = createSeal(secret, sealPurpose)
  // Generating an RSA key takes a tenth of a second, on a thread of Node.
  const [rsa, ed25519] = await Promise.all([generate('rsa', { modulusLength: 2048 }), generate('ed25519', {})])
  const keyOf = (algorithm: DkimKey['algorithm'], privateKey: KeyObject, publicKey: string): NewKey => {
    const id = newId()
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    return {
      id,
      org_id: orgId,
      domain_id: domainId,
      selector: `mr${mark}${algorithm === 'rsa-sha256' ? 'r' : 'e'}`,
      algorithm,
      private_key: seal.close(pem, keyAbout(id)),
      public_key: publicKey,
      published: false,
    }
  }
  // RFC 8463 §4.2: only the 32 octets of the key, which are the end of SubjectPublicKeyInfo.
  const bare = ed25519.publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64')
  const whole = rsa.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
  return [keyOf('rsa-sha256', rsa.privateKey, whole), keyOf('ed25519-sha256', ed25519.privateKey, bare)]
}
