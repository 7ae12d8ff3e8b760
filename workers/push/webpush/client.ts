import { createECDH, createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { createOutboundClient, type OutboundClient, ServerTimeoutError } from '#lib/http.ts'
import { OutboundError } from '#lib/network/address-guard.ts'
import { parseRetryAfter } from '#lib/retry.ts'
import { createSlots, type Slots } from '#lib/slots.ts'
import type { Push, PushCredential } from '#tasks/push/engine.ts'
import { sendAll } from '../batch.ts'
import { BadCredentialError, type PushAnswer, type PushClient } from '../client.ts'
import type { PushServers } from '../servers.ts'
import { isConnectionFailure } from '../unmade.ts'
import { encrypt } from './encrypt.ts'
import { getWebPushMeaning, withoutAnswer } from './outcomes.ts'
import { createVapid } from './vapid.ts'

/**
 * Maximum size of a message in bytes. Every service accepts 4,096 bytes (RFC 8030 §7.2), which include header, padding
 * delimiter and tag (RFC 8188 §2).
 */
const mostBytes = 3_993
/** Maximum TTL in seconds. No service stores a message for longer than four weeks. */
const mostTtl = 2_419_200
/**
 * Time in milliseconds after which a batch starts no further push. The remaining pushes are returned, so that services
 * that do not respond block no slot.
 */
const lastStartMs = 15_000
/** Maximum number of pushes that one batch sends at the same time. */
const atOnce = 128
const answerBytes = 2_048

/**
 * Creates the client of browsers’ push services. Devices name the URLs of their services, so these URLs are handled
 * like URLs of customers.
 */
export function createWebPush({ secureContext, allowed, timeoutMs }: PushServers): PushClient {
  const outbound = createOutboundClient({ allowed, ...(secureContext && { secureContext }) })
  const vapid = createVapid()
  // Each origin has its own limit, so that a service that does not respond delays only itself.
  const rooms = new LRUCache<string, Slots>({ max: 1_000 })

  function roomFor({ token }: Push): Slots {
    const origin = URL.parse(token)?.origin ?? ''
    const room = rooms.get(origin) ?? createSlots(64)
    rooms.set(origin, room)
    return room
  }

  function prove(credential: PushCredential): void {
    checkKeys(credential)
    vapid(credential, 'https://push.example.com')
  }

  return {
    send: async (credential, pushes, signal, onResults) => {
      prove(credential)
      const one = (push: Push) => deliver(outbound, vapid, credential, push, timeoutMs)
      return await sendAll(pushes, roomFor, signal, one, { atOnce, lastStartMs, onResults })
    },
    async check(credential) {
      prove(credential)
      return undefined
    },
    close: () => outbound.close(),
  }
}

/** Throws unless the public key belongs to the private key. */
function checkKeys({ facts, secret }: PushCredential): void {
  const pair = createECDH('prime256v1')
  const key = Buffer.from(secret, 'base64url')
  try {
    if (key.length !== 32) throw new RangeError('The scalar of a P-256 key must have 32 bytes.')
    pair.setPrivateKey(key)
  } catch {
    throw new BadCredentialError('The VAPID key must be a P-256 private key in base64url.')
  }
  if (pair.getPublicKey('base64url') !== facts.public_key)
    throw new BadCredentialError('public_key does not belong to the VAPID key.')
}

async function deliver(
  outbound: OutboundClient,
  vapid: ReturnType<typeof createVapid>,
  credential: PushCredential,
  push: Push,
  timeout: number,
): Promise<PushAnswer> {
  const endpoint = URL.parse(push.token)
  if (endpoint?.protocol !== 'https:' || !push.keys) {
    return {
      outcome: 'rejected',
      reason: 'bad_endpoint',
      error: 'A subscription must have an HTTPS endpoint and keys.',
    }
  }
  const payload = JSON.stringify(push.payload)
  const bytes = Buffer.byteLength(payload)
  if (bytes > mostBytes) {
    return {
      outcome: 'rejected',
      reason: 'payload_too_large',
      error: `The payload has ${bytes} bytes, but the limit is ${mostBytes}.`,
    }
  }
  const headers = headersOf(push, vapid(credential, endpoint.origin))
  let body: Buffer
  try {
    body = encrypt(payload, push.keys)
  } catch (error) {
    return { outcome: 'rejected', reason: 'bad_subscription_keys', error: (error as Error).message }
  }
  try {
    const answer = await outbound.request(push.token, {
      method: 'POST',
      headers,
      body,
      timeout,
      maxBytes: answerBytes,
      bodyOptional: true,
      holder: credential.id,
    })
    return answeredBy(answer)
  } catch (error) {
    if (error instanceof ServerTimeoutError) {
      return { outcome: 'retry', reason: 'server_silent', retryAfter: Math.ceil(error.retryAfterMs / 1_000) }
    }
    if (error instanceof OutboundError) return { ...faultOf(error), error: error.message }
    throw error
  }
}

function headersOf({ ttl, priority, collapseKey }: Push, authorization: string): Record<string, string> {
  const headers: Record<string, string> = {
    authorization,
    'accept-encoding': 'identity',
    'content-encoding': 'aes128gcm',
    'content-type': 'application/octet-stream',
    ttl: String(Math.min(ttl, mostTtl)),
    urgency: priority,
  }
  if (collapseKey !== undefined) headers.topic = topicOf(collapseKey)
  return headers
}

/**
 * Returns the topic. Push services allow up to 32 characters of base64url (RFC 8030 §5.4), so other keys are hashed.
 */
const topicOf = (key: string) =>
  /^[\w-]{1,32}$/.test(key) ? key : createHash('sha256').update(key).digest('base64url').slice(0, 32)

function answeredBy({ status, headers, body }: Awaited<ReturnType<OutboundClient['request']>>): PushAnswer {
  const { outcome, reason, retryAfter } = getWebPushMeaning(status)
  if (outcome === 'sent') {
    const { location } = headers
    return { outcome, status, providerId: typeof location === 'string' ? location.slice(0, 500) : undefined }
  }
  return {
    outcome,
    status,
    reason,
    retryAfter: parseRetryAfter(headers['retry-after']) ?? retryAfter,
    error: printable(body.toString('utf8')),
  }
}

/** Returns the start of an untrusted response text as one line. */
const printable = (text: string) =>
  text
    .replaceAll(/[^\P{C}]+|\s+/gu, ' ')
    .trim()
    .slice(0, 300) || undefined

function faultOf({ code, cause }: OutboundError): PushAnswer {
  const neverSent = code === 'connection_failed' && isConnectionFailure(cause)
  return neverSent ? { outcome: 'retry', reason: 'connection_failed' } : withoutAnswer[code]
}
