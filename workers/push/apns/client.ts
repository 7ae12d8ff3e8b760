import { createHash } from 'node:crypto'
import { z } from 'zod'
import { TransientEngineError } from '#lib/engine-trouble.ts'
import { parseRetryAfter } from '#lib/retry.ts'
import type { Push, PushCredential } from '#tasks/push/engine.ts'
import { sendAll } from '../batch.ts'
import { BadCredentialError, type PushAnswer, type PushClient, parsePrivateKey } from '../client.ts'
import { IdlePool } from '../idle-pool.ts'
import type { PushServers } from '../servers.ts'
import { getApnsMeaning } from './outcomes.ts'
import { type ApnsRequest, ApnsSession, type Exchange } from './session.ts'

const Facts = z.object({ key_id: z.string().min(1), team_id: z.string().min(1), topic: z.string().min(1) })

/** Number of immediate resends of a push, by its result. Resends do not count as attempts. */
const resends: Readonly<Record<string, number>> = { unsent: 5, silent: 1, ExpiredProviderToken: 1, Shutdown: 1 }

const priorities = { high: '10', normal: '5', low: '1' } as const

/** A hexadecimal device token that belongs to no device. */
const noDevice = '0'.repeat(64)

export function createApns(servers: PushServers): PushClient {
  const sessions = new IdlePool<ApnsSession>((session) => session.close())

  function within<T>(
    credential: PushCredential,
    work: (session: ApnsSession, topic: string) => Promise<T>,
  ): Promise<T> {
    const { key_id: keyId, team_id: teamId, topic } = factsOf(credential)
    const { secret, environment } = credential
    const make = () => {
      parsePrivateKey(secret, 'ec', 'The APNs key')
      return new ApnsSession({ key: Buffer.from(secret), keyId, teamId }, environment, servers)
    }
    const key = createHash('sha256')
      .update(JSON.stringify([teamId, keyId, environment, secret]))
      .digest('hex')
    return sessions.use(key, make, (session) => work(session, topic))
  }

  return {
    send: async (credential, pushes, signal) =>
      await within(credential, (session, topic) =>
        sendAll(
          pushes,
          () => session.inFlight,
          signal,
          (push) => deliver(session, push, topic, credential.environment),
        ),
      ),
    async check(credential) {
      const push: Push = { id: crypto.randomUUID(), token: noDevice, payload: { aps: {} }, ttl: 0, priority: 'low' }
      const { outcome, status, reason, error } = await within(credential, (session, topic) =>
        deliver(session, { ...push, background: true }, topic, credential.environment),
      )
      if (reason === 'BadTopic' || reason === 'MissingTopic') return `APNs rejects the topic: ${reason}.`
      if (outcome === 'credential') return `APNs rejects the key: ${reason ?? status}.`
      if (status === undefined || status === 429 || status >= 500) {
        throw new TransientEngineError('failed', `unchecked: APNs did not respond: ${error ?? reason ?? status}`)
      }
      return undefined
    },
    close: () => sessions.close(),
  }
}

function factsOf({ facts }: PushCredential): z.infer<typeof Facts> {
  const parsed = Facts.safeParse(facts)
  if (!parsed.success) throw new BadCredentialError('An APNs credential must have key_id, team_id and topic.')
  return parsed.data
}

async function deliver(
  session: ApnsSession,
  push: Push,
  topic: string,
  environment: 'production' | 'sandbox',
): Promise<PushAnswer> {
  if (!/^[0-9a-f]+$/i.test(push.token)) {
    return { outcome: 'invalid_token', reason: 'BadDeviceToken', error: 'A device token must be hexadecimal.' }
  }
  const request = requestOf(push, topic)
  const first = await session.exchange(request, push.token)
  if (first.status === 200 && first.reason === undefined)
    return { outcome: 'sent', status: 200, providerId: first.apnsId }
  const spent: Record<string, number> = {}
  for (let exchange = first; ; exchange = await session.exchange(request, push.token)) {
    const cause = exchange.fate === 'answered' ? (exchange.reason ?? '') : exchange.fate
    spent[cause] = (spent[cause] ?? 0) + 1
    if ((resends[cause] ?? 0) < spent[cause]) return resultOf(exchange, spent, environment)
    if (cause === 'Shutdown') session.retire()
  }
}

/**
 * Suffixes that are appended to the app’s topic, by type of push (Sending notification requests to APNs: `apns-topic`).
 */
const topicEnds: Readonly<Record<string, string>> = {
  voip: '.voip',
  complication: '.complication',
  location: '.location-query',
  fileprovider: '.pushkit.fileprovider',
  liveactivity: '.push-type.liveactivity',
  pushtotalk: '.voip-ptt',
  widgets: '.push-type.widgets',
}

function requestOf(push: Push, appTopic: string): ApnsRequest {
  const { id, payload, ttl, priority, collapseKey, background = false } = push
  const type = push.pushType ?? (background ? 'background' : 'alert')
  // APNs accepts background pushes only with priority 5.
  const level = type === 'background' ? '5' : priorities[priority]
  const topic = `${appTopic}${topicEnds[type] ?? ''}`
  const expiration = ttl === 0 ? '0' : String(Math.floor(Date.now() / 1000) + ttl)
  const headers = ['apns-id', id, 'apns-topic', topic, 'apns-push-type', type, 'apns-priority', level]
  headers.push('apns-expiration', expiration)
  if (collapseKey !== undefined) headers.push('apns-collapse-id', collapseIdOf(collapseKey))
  return { headers, body: JSON.stringify(payload) }
}

/** Returns the collapse ID. APNs allows up to 64 bytes, so longer keys are hashed. */
const collapseIdOf = (key: string) =>
  Buffer.byteLength(key) <= 64 && /^[\x20-\x7e]+$/.test(key) ? key : createHash('sha256').update(key).digest('hex')

const withoutAnswer = {
  unsent: { outcome: 'retry', reason: 'connection_closed' },
  unreachable: { outcome: 'retry', reason: 'connection_failed' },
  silent: { outcome: 'unknown', reason: 'timeout' },
  timeout: { outcome: 'unknown', reason: 'timeout' },
  lost: { outcome: 'unknown', reason: 'connection_lost' },
} as const

function resultOf(exchange: Exchange, spent: Readonly<Record<string, number>>, environment: string): PushAnswer {
  const { fate, status, reason, timestamp, apnsId } = exchange
  if (fate !== 'answered' || status === undefined) {
    return { ...withoutAnswer[fate as keyof typeof withoutAnswer], error: exchange.error }
  }
  const { outcome, suspect, retryAfter } = getApnsMeaning(status, reason)
  return {
    outcome,
    suspect,
    status,
    reason,
    providerId: apnsId,
    retryAfter: outcome === 'sent' ? undefined : (parseRetryAfter(exchange.retryAfter) ?? retryAfter),
    invalidSince: outcome === 'invalid_token' && timestamp ? new Date(timestamp) : undefined,
    error: remarkOn(exchange, spent, environment),
  }
}

function remarkOn({ reason }: Exchange, spent: Readonly<Record<string, number>>, environment: string) {
  if (reason === 'BadDeviceToken') return `The token does not belong to the ${environment} environment.`
  if (spent.silent) return 'Sent twice: the first connection stopped before its response.'
  return undefined
}
