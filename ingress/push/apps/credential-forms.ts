import { createECDH, createPrivateKey, type KeyObject } from 'node:crypto'
import { z } from 'zod'
import { secret } from '#lib/secret-fields.ts'

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

/** Schema of an Apple token key: the content of its file and its owner. */
export const ApnsForm = z.strictObject({
  environment: z.enum(['production', 'sandbox']).default('production'),
  key: secret(
    z.string().max(4_000).refine(isP256, 'must be the content of a .p8 file: a P-256 private key in PEM format'),
  ).describe('Content of the .p8 file'),
  key_id: appleId,
  team_id: appleId,
  topic: z
    .string()
    .min(1)
    .max(200)
    .regex(/^[A-Za-z0-9.-]+$/, 'must be a bundle ID, such as com.example.shop')
    .describe('Bundle ID of the app'),
})

/** Schema of a Google service account's JSON. Unused fields are ignored. */
export const FcmForm = z.strictObject({
  environment: z.literal('production').default('production'),
  service_account: z.looseObject({
    project_id: z
      .string()
      .min(1)
      .max(100)
      .regex(/^[a-z0-9:.-]+$/, 'must be a Firebase project ID'),
    client_email: z.email().max(320),
    private_key: secret(z.string().max(10_000).refine(isRsa, 'must be an RSA private key in PEM format')),
  }),
})

const base64url = /^[\w-]+={0,2}$/

const octetsOf = (text: string): Buffer => Buffer.from(base64url.test(text) ? text : '', 'base64url')

/**
 * Schema of Web Push credentials. Without a key pair, Millrace creates a new one, and subscriptions end with the old
 * one. With the key pair of another provider, browsers that have subscribed there need not subscribe again.
 */
export const WebpushForm = z
  .strictObject({
    environment: z.literal('production').default('production'),
    subject: z
      .string()
      .max(300)
      .regex(/^(mailto:[^@\s]+@[^@\s]+|https:\/\/\S+)$/, 'must be mailto:name@example.com or https://…')
      .optional()
      .describe('Contact for push services (RFC 8292 §2.1)'),
    private_key: secret(
      z.string().refine((text) => octetsOf(text).length === 32, 'must be a VAPID private key: 32 octets in base64url'),
    )
      .optional()
      .describe('VAPID private key of your current provider'),
    public_key: z
      .string()
      .refine((text) => octetsOf(text).length === 65, 'must be a VAPID public key: 65 octets in base64url')
      .optional()
      .describe('VAPID public key of your current provider'),
  })
  .superRefine(({ private_key, public_key }, { addIssue }) => {
    const issue = (field: string, message: string) => addIssue({ code: 'custom', path: [field], message })
    if (private_key === undefined && public_key === undefined) return
    if (private_key === undefined) return issue('private_key', 'is required with public_key')
    if (public_key === undefined) return issue('public_key', 'is required with private_key')
    if (publicKeyOf(private_key) !== octetsOf(public_key).toString('base64url'))
      issue('public_key', 'must be the public key of private_key')
  })

/** Returns the public key of a VAPID private key. Null if the private key is not a number of the curve. */
function publicKeyOf(privateKey: string): string | null {
  const pair = createECDH('prime256v1')
  try {
    pair.setPrivateKey(octetsOf(privateKey))
    return pair.getPublicKey('base64url')
  } catch {
    return null
  }
}

/** Creates a VAPID key pair (RFC 8292 §3): the uncompressed public point and the private number, both in base64url. */
export function createVapidKeys(): { publicKey: string; privateKey: string } {
  const pair = createECDH('prime256v1')
  const publicKey = pair.generateKeys('base64url')
  // Node omits leading zeros, but RFC 7518 §6.2.2.1 requires 32 octets.
  const octets = pair.getPrivateKey()
  return { publicKey, privateKey: Buffer.concat([Buffer.alloc(32 - octets.length), octets]).toString('base64url') }
}
