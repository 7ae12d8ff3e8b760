import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Scope } from '../support/postgres.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

const other = generateKeyPairSync('rsa', { modulusLength: 2048 })

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** What the provider says of whoever signs in next; `nonce` in place of the one that was asked for. */
export interface Says {
  sub: string
  email?: string
  email_verified?: boolean
  auth_time?: number
  nonce?: string
  name?: string
  /** Claims that UserInfo returns. */
  info?: { sub?: string; email?: string; email_verified?: boolean | string; name?: string }
  /** Signs the ID token with another key. */
  forged?: boolean
}

/** An ID token that says what the provider is told. */
function idToken(issuer: string, { nonce, says }: { nonce: string; says: Says }): string {
  const { info: _, forged, ...said } = says
  const now = Math.floor(Date.now() / 1000)
  const claims = { iss: issuer, aud: 'millrace', iat: now, exp: now + 60, nonce, ...said }
  const head = `${part({ alg: 'RS256', kid: 'k' })}.${part(claims)}`
  const key = forged ? other.privateKey : privateKey
  return `${head}.${sign('sha256', Buffer.from(head), key).toString('base64url')}`
}

/** An identity provider on a free port: who is sent to it is signed in at once, as it is told. */
export async function identityProvider(t: Scope) {
  const grants = new Map<string, Says>()
  const codes = new Map<string, { nonce: string; challenge: string; says: Says }>()

  /** What a code stands for, whose verifier fits. */
  function grantOf(form: URLSearchParams) {
    const given = codes.get(form.get('code') ?? '')
    const hashed = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    return given?.challenge === hashed ? given : undefined
  }

  const server = createServer(async (req, res) => {
    const url = new URL(req.url ?? '/', issuer)
    const json = (value: object, status = 200) =>
      res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    if (url.pathname === '/.well-known/openid-configuration') {
      return json({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        userinfo_endpoint: `${issuer}/userinfo`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      })
    }
    if (url.pathname === '/jwks')
      return json({ keys: [{ ...publicKey.export({ format: 'jwk' }), alg: 'RS256', kid: 'k' }] })
    if (url.pathname === '/userinfo') {
      const says = grants.get(req.headers.authorization ?? '')
      return says ? json({ sub: says.sub, ...says.info }) : json({ error: 'invalid_token' }, 401)
    }
    let body = ''
    for await (const chunk of req) body += chunk
    const given = grantOf(new URLSearchParams(body))
    if (!given) return json({ error: 'invalid_grant' }, 400)
    const access_token = randomUUID()
    grants.set(`Bearer ${access_token}`, given.says)
    json({ access_token, token_type: 'Bearer', id_token: idToken(issuer, given) })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    server.close()
    server.closeAllConnections()
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    issuer,
    /** The path that a browser comes back to from the address it was sent to. */
    signIn(authorization: string, says: Says): string {
      const asked = new URL(authorization).searchParams
      const code = randomUUID()
      codes.set(code, { nonce: asked.get('nonce') ?? '', challenge: asked.get('code_challenge') ?? '', says })
      return `/app/sign-in/callback?${new URLSearchParams({ code, state: asked.get('state') ?? '' })}`
    },
  }
}
