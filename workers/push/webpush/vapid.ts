import { LRUCache } from 'lru-cache'
import webpush from 'web-push'
import { z } from 'zod'
import type { PushCredential } from '#tasks/push/engine.ts'
import { BadCredentialError } from '../client.ts'

/**
 * Lifetime of a signature in milliseconds: half of the 12 hours that the library signs for. A service accepts up to 24
 * hours (RFC 8292 §2).
 */
const freshMs = 6 * 3_600_000

const Facts = z.object({ public_key: z.string(), subject: z.string() })

/**
 * Creates a function that signs requests to push services. Signing takes more than twice as long as encrypting, so a
 * signature is reused for its key and origin.
 */
export function createVapid(): (credential: PushCredential, origin: string) => string {
  const signed = new LRUCache<string, string>({ max: 10_000, ttl: freshMs })
  return (credential, origin) => {
    const facts = Facts.safeParse(credential.facts)
    if (!facts.success) throw new BadCredentialError('A Web Push credential must have public_key and subject.')
    const { public_key: publicKey, subject } = facts.data
    const key = `${credential.id} ${publicKey} ${subject} ${origin}`
    const known = signed.get(key)
    if (known) return known
    const authorization = sign(origin, subject, publicKey, credential.secret)
    signed.set(key, authorization)
    return authorization
  }
}

function sign(origin: string, subject: string, publicKey: string, privateKey: string): string {
  try {
    return webpush.getVapidHeaders(origin, subject, publicKey, privateKey, 'aes128gcm').Authorization
  } catch (error) {
    // The library’s messages name the fault and contain no key.
    throw new BadCredentialError((error as Error).message)
  }
}
