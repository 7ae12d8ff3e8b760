import { createHash } from 'node:crypto'
import { TransientEngineError } from '#lib/engine-trouble.ts'
import { createSlots, type Slots } from '#lib/slots.ts'
import type { Push, PushCredential } from '#tasks/push/engine.ts'
import { sendAll } from '../batch.ts'
import { BadCredentialError, type PushAnswer, type PushClient } from '../client.ts'
import { IdlePool } from '../idle-pool.ts'
import type { PushServers } from '../servers.ts'
import { AccessTokens } from './access-token.ts'
import { readAnswer, toPushAnswer } from './answer.ts'
import { createFcmMessage } from './message.ts'
import { createTransport, type Transport } from './transport.ts'

interface Project {
  url: string
  tokens: AccessTokens
  transport: Transport
  inFlight: Slots
}

/**
 * Creates the client of Firebase Cloud Messaging (HTTP v1). All service accounts share connections. `firebase-admin`
 * gives the types only. Its client would retry up to four times while its caller waits, and would never settle if a
 * response is cut off.
 */
export function createFcm(servers: PushServers): PushClient {
  const transport = createTransport(servers)
  const projects = new IdlePool<Project>(async () => {})

  function within<T>(credential: PushCredential, work: (project: Project) => Promise<T>): Promise<T> {
    const projectId = credential.facts.project_id ?? ''
    if (!/^[a-z0-9.:-]{4,63}$/.test(projectId)) throw new BadCredentialError('An FCM credential must have project_id.')
    const key = createHash('sha256').update(`${projectId} ${credential.secret}`).digest('hex')
    return projects.use(key, () => openProject(projectId, credential.secret, transport), work)
  }

  return {
    send: async (credential, pushes, signal) =>
      await within(credential, (project) =>
        sendAll(
          pushes,
          () => project.inFlight,
          signal,
          (push) => deliver(project, push),
        ),
      ),
    async check(credential) {
      const push: Push = { ...probe, id: crypto.randomUUID() }
      const { outcome, status, reason, error } = await within(credential, (project) => deliver(project, push))
      if (outcome === 'credential') return `FCM rejects the service account: ${error ?? reason}`
      if (status === 404) return `FCM knows no such project: ${error ?? reason}`
      if (status === undefined || status === 429 || status >= 500) {
        throw new TransientEngineError('failed', `unchecked: FCM did not respond: ${error ?? reason}`)
      }
      return undefined
    },
    async close() {
      await projects.close()
      await transport.close()
    },
  }
}

/** A push without a device, to check the account. FCM reports an invalid token only after it accepts the account. */
const probe = { token: 'no-device', payload: {}, ttl: 0, priority: 'normal', dryRun: true } as const

function openProject(projectId: string, secret: string, transport: Transport): Project {
  return {
    url: `https://fcm.googleapis.com/v1/projects/${projectId}/messages:send`,
    tokens: new AccessTokens(secret, transport),
    transport,
    inFlight: createSlots(64),
  }
}

async function deliver(project: Project, push: Push): Promise<PushAnswer> {
  const answered = await tryOnce(project, push)
  const isTokenOld = answered.outcome === 'credential' && (answered.status === 401 || answered.status === 403)
  if (!isTokenOld || answered.reason === 'THIRD_PARTY_AUTH_ERROR' || answered.reason === 'access_token') return answered
  return project.tokens.renew() ? await tryOnce(project, push) : answered
}

async function tryOnce({ url, tokens, transport }: Project, push: Push): Promise<PushAnswer> {
  const message = createFcmMessage(push)
  if (!Object.values(message.data ?? {}).every((value) => typeof value === 'string')) {
    return { outcome: 'rejected', reason: 'invalid-payload', error: 'data must only contain string values' }
  }
  try {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${await tokens.current()}` }
    const body = JSON.stringify({ message, ...(push.dryRun && { validate_only: true }) })
    return readAnswer(await transport.post(url, headers, body))
  } catch (error) {
    return toPushAnswer(error)
  }
}
