import { createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Scope } from '../postgres.ts'
import type { Certificate } from './certificate.ts'
import { readJwt } from './jwt.ts'
import { Script } from './script.ts'

export type FcmAnswer =
  | { status: number; body?: unknown; headers?: Record<string, string> }
  | 'close'
  /** Ends it in the middle of the response. */
  | 'half'
  | 'silence'

export interface FcmRequest {
  token: string
  message: Record<string, unknown>
  validateOnly: boolean
}

/** An HTTPS server that issues access tokens to a service account and accepts its messages, like Google’s. */
export interface FcmServer {
  url: string
  script: Script<FcmAnswer>
  /** Responses of the token endpoint. Its only device token is `token`. */
  oauth: Script<FcmAnswer>
  received: FcmRequest[]
  /** Returns the number of issued access tokens. */
  given(): number
  /** Invalidates all issued access tokens. */
  revoke(): void
  connections(): number
  credential: { facts: { project_id: string }; secret: string }
}

/** Returns an error in FCM’s format. */
export const fcmError = (status: number, code: string, details: object[] = [], message = 'said by FCM'): FcmAnswer => ({
  status,
  body: { error: { code: status, message, status: code, details } },
})

/** Returns the detail with FCM’s code. */
export const fcmDetail = (errorCode: string) => ({
  '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError',
  errorCode,
})

export async function startFcm(t: Scope, { cert, key }: Certificate): Promise<FcmServer> {
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const account = {
    type: 'service_account',
    project_id: 'demo-project',
    private_key_id: 'key-1',
    private_key: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    client_email: 'push@demo-project.iam.gserviceaccount.com',
    token_uri: 'https://elsewhere.example/token',
  }
  const script = new Script<FcmAnswer>()
  const oauth = new Script<FcmAnswer>()
  const received: FcmRequest[] = []
  const good = new Set<string>()
  let given = 0
  let connections = 0

  const server = createServer({ cert, key, keepAliveTimeout: 60_000 }, (req, res) => void take(req, res))
  server.on('secureConnection', () => connections++)

  async function take(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await text(req).catch(() => undefined)
    if (body === undefined) return
    if (req.method === 'POST' && req.url === '/token') return answer(res, oauth.next('token') ?? grant(body))
    const [, project] = /^\/v1\/projects\/([^/]+)\/messages:send$/.exec(req.url ?? '') ?? []
    if (project !== account.project_id) return answer(res, fcmError(404, 'NOT_FOUND'))
    if (!good.has(String(req.headers.authorization).replace(/^Bearer /, ''))) {
      return answer(res, fcmError(401, 'UNAUTHENTICATED'))
    }
    const { message, validate_only = false } = JSON.parse(body)
    received.push({ token: message.token, message, validateOnly: validate_only })
    const name = `projects/${project}/messages/${received.length}`
    answer(res, script.next(message.token) ?? { status: 200, body: { name } })
  }

  /** Returns an access token for a signed assertion of the account (RFC 7523 §3). */
  function grant(body: string): FcmAnswer {
    const form = new URLSearchParams(body)
    const jwt = readJwt(form.get('assertion') ?? '')
    const isGood =
      form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer' &&
      jwt?.claims.iss === account.client_email &&
      jwt.claims.aud === 'https://oauth2.googleapis.com/token' &&
      jwt.claims.scope === 'https://www.googleapis.com/auth/firebase.messaging' &&
      Number(jwt.claims.exp) > Date.now() / 1000 &&
      jwt.signedBy(createPublicKey(pair.privateKey))
    if (!isGood) return { status: 400, body: { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' } }
    const token = randomUUID()
    good.add(token)
    given++
    return { status: 200, body: { access_token: token, expires_in: 3_599, token_type: 'Bearer' } }
  }

  function answer(res: ServerResponse, said: FcmAnswer): void {
    if (said === 'silence') return
    if (said === 'close') return void res.socket?.destroy()
    if (said === 'half') {
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
      return void res.write('{"name":', () => res.socket?.destroy())
    }
    const isText = typeof said.body === 'string'
    res.writeHead(said.status, { 'content-type': isText ? 'text/html' : 'application/json', ...said.headers })
    res.end(isText ? String(said.body) : JSON.stringify(said.body ?? {}))
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
  })
  return {
    script,
    oauth,
    received,
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    given: () => given,
    revoke: () => good.clear(),
    connections: () => connections,
    credential: { facts: { project_id: account.project_id }, secret: JSON.stringify(account) },
  }
}
