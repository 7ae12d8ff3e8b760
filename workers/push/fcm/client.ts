import { createHash } from 'node:crypto'
import { type App, deleteApp, initializeApp } from 'firebase-admin/app'
import { getMessaging, type Messaging } from 'firebase-admin/messaging'
import { TransientEngineError } from '#lib/engine-trouble.ts'
import { createSlots, type Slots } from '#lib/slots.ts'
import type { Push, PushCredential } from '#tasks/push/engine.ts'
import { sendAll } from '../batch.ts'
import { BadCredentialError, type PushAnswer, type PushClient } from '../client.ts'
import { IdlePool } from '../idle-pool.ts'
import type { PushServers } from '../servers.ts'
import { AccessTokens, parseJson } from './access-token.ts'
import { FcmRefusalError, toPushAnswer } from './answer.ts'
import { createFcmMessage } from './message.ts'
import { createTransport, type Transport } from './transport.ts'

interface Project {
  app: App
  messaging: Messaging
  tokens: AccessTokens
  inFlight: Slots
}

interface Internals {
  messagingRequestHandler: {
    httpClient: { send(request: LibraryRequest): Promise<{ data: unknown; isJson(): boolean }> }
  }
}

interface LibraryRequest {
  url: string
  headers: Record<string, string>
  data: object
}

/**
 * Creates the client of Firebase Cloud Messaging. Each service account has an app of the library, and all share
 * connections.
 */
export function createFcm(servers: PushServers): PushClient {
  const transport = createTransport(servers)
  const projects = new IdlePool<Project>(({ app }) => deleteApp(app))

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
  const tokens = new AccessTokens(secret, transport)
  const getAccessToken = async () => ({ access_token: await tokens.current(), expires_in: 300 })
  const app = initializeApp({ projectId, credential: { getAccessToken } }, crypto.randomUUID())
  const messaging = getMessaging(app)
  const { messagingRequestHandler } = messaging as unknown as Internals
  // The library itself would retry up to four times while its caller waits. It would never settle if a response is cut
  // off.
  messagingRequestHandler.httpClient = { send: (request) => post(tokens, transport, request) }
  return { app, messaging, tokens, inFlight: createSlots(64) }
}

async function post(tokens: AccessTokens, transport: Transport, { url, headers, data }: LibraryRequest) {
  const answer = await transport.post(
    url,
    { ...headers, 'content-type': 'application/json', authorization: `Bearer ${await tokens.current()}` },
    JSON.stringify(data),
  )
  const body = parseJson(answer.text)
  if (answer.status !== 200 || body === undefined) throw new FcmRefusalError(answer)
  return { data: body, isJson: () => true }
}

async function deliver(project: Project, push: Push): Promise<PushAnswer> {
  const answered = await tryOnce(project, push)
  const isTokenOld = answered.outcome === 'credential' && (answered.status === 401 || answered.status === 403)
  if (!isTokenOld || answered.reason === 'THIRD_PARTY_AUTH_ERROR' || answered.reason === 'access_token') return answered
  return project.tokens.renew() ? await tryOnce(project, push) : answered
}

async function tryOnce({ messaging }: Project, push: Push): Promise<PushAnswer> {
  try {
    const providerId = await messaging.send(createFcmMessage(push), push.dryRun)
    return { outcome: 'sent', status: 200, providerId }
  } catch (error) {
    return toPushAnswer(error)
  }
}
