import { createECDH, createPrivateKey, type KeyObject } from 'node:crypto'
import { z } from 'zod'
import { secret } from '#lib/secret-fields.ts'

/** A private key in PEM; null for what is none. */
function privateKey(pem: string): KeyObject | null {
  try {
    return createPrivateKey(pem)
  } catch {
    return null
  }
}

const isP256 = (pem: string): boolean => privateKey(pem)?.asymmetricKeyDetails?.namedCurve === 'prime256v1'

const isRsa = (pem: string): boolean => privateKey(pem)?.asymmetricKeyType === 'rsa'

const appleId = z.string().regex(/^[A-Z0-9]{10}$/, 'must be ten capital letters and digits')

/** A token key of Apple's: what is in its file, and to whom it belongs. */
export const ApnsForm = z.strictObject({
  environment: z.enum(['production', 'sandbox']).default('production'),
  key: secret(
    z.string().max(4_000).refine(isP256, 'must be the PEM text of a .p8 file: a private key on P-256'),
  ).describe('Text of the .p8 file'),
  key_id: appleId,
  team_id: appleId,
  topic: z
    .string()
    .min(1)
    .max(200)
    .regex(/^[A-Za-z0-9.-]+$/, 'must be a bundle id, such as com.example.shop')
    .describe('Bundle ID of the app'),
})

/** The JSON of a Google service account; fields beside those that are used are let be. */
export const FcmForm = z.strictObject({
  environment: z.literal('production').default('production'),
  service_account: z.looseObject({
    project_id: z
      .string()
      .min(1)
      .max(100)
      .regex(/^[a-z0-9:.-]+$/, 'must be a Firebase project ID'),
    client_email: z.email().max(320),
    private_key: secret(z.string().max(10_000).refine(isRsa, 'must be the PEM text of an RSA private key')),
  }),
})

/** Browsers: only the subject is the customer's; a new pair is made, as subscriptions end with the one before. */
export const WebpushForm = z.strictObject({
  environment: z.literal('production').default('production'),
  subject: z
    .string()
    .max(300)
    .regex(/^(mailto:[^@\s]+@[^@\s]+|https:\/\/\S+)$/, 'must be mailto:name@example.com or https://…')
    .optional()
    .describe('Contact for push services (RFC 8292 §2.1)'),
})

/** A VAPID key pair (RFC 8292 §3): the public point uncompressed, the private number, both in base64url. */
export function makeVapidKeys(): { publicKey: string; privateKey: string } {
  const pair = createECDH('prime256v1')
  const publicKey = pair.generateKeys('base64url')
  // Node leaves out leading zeros, which the 32 octets of RFC 7518 §6.2.2.1 have.
  const octets = pair.getPrivateKey()
  return { publicKey, privateKey: Buffer.concat([Buffer.alloc(32 - octets.length), octets]).toString('base64url') }
}
