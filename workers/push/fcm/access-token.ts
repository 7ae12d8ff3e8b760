import { sign } from 'node:crypto'
import { z } from 'zod'
import { BadCredentialError, parsePrivateKey } from '../client.ts'
import type { Transport } from './transport.ts'

const scope = 'https://www.googleapis.com/auth/firebase.messaging'

/**
 * Always Google’s URL. With the `token_uri` of an account, the customer could choose the recipient of the assertion.
 */
const tokenUrl = 'https://oauth2.googleapis.com/token'

const ServiceAccount = z.object({
  client_email: z.string().min(1),
  private_key: z.string().min(1),
  private_key_id: z.string().optional(),
})

const Token = z.object({ access_token: z.string(), expires_in: z.number() })
const Refusal = z.object({ error: z.string(), error_description: z.string().optional() })

/** No access token was received. `outcome` shows whether the service account is the cause. */
export class AccessTokenFault extends Error {
  override name = 'AccessTokenFault'
  readonly outcome: 'retry' | 'credential'
  readonly status: number | undefined

  constructor(outcome: 'retry' | 'credential', status: number | undefined, message: string) {
    super(message)
    this.outcome = outcome
    this.status = status
  }
}

/** Access tokens of a service account (RFC 7523). All callers share a valid token. */
export class AccessTokens {
  readonly #assertion: () => string
  readonly #transport: Transport
  #asked: Promise<string> | undefined
  #askAgainAt = 0
  #renewedAt = 0

  /** Throws `BadCredentialError` if the secret is not a service account. */
  constructor(secret: string, transport: Transport) {
    this.#assertion = signerOf(secret)
    this.#transport = transport
  }

  /** Returns a token that is valid for at least some minutes. Throws `AccessTokenFault`. */
  current(): Promise<string> {
    if (this.#asked && Date.now() < this.#askAgainAt) return this.#asked
    this.#askAgainAt = Number.POSITIVE_INFINITY
    const asked = this.#ask()
    this.#asked = asked
    asked.catch(() => {
      this.#asked = undefined
    })
    return asked
  }

  /** Discards a rejected token, at most once per minute. Returns true if the token was discarded. */
  renew(): boolean {
    if (Date.now() - this.#renewedAt < 60_000) return false
    this.#renewedAt = Date.now()
    this.#asked = undefined
    return true
  }

  async #ask(): Promise<string> {
    const { status, text } = await this.#post().catch((error: Error) => {
      throw new AccessTokenFault('retry', undefined, `No access token was received: ${error.message}`)
    })
    const json = parseJson(text)
    const token = Token.safeParse(json)
    if (status === 200 && token.success) {
      this.#askAgainAt = Date.now() + (token.data.expires_in - 300) * 1_000
      return token.data.access_token
    }
    const { error, error_description } = Refusal.safeParse(json).data ?? { error: `HTTP ${status}` }
    const isRefused = status === 400 || status === 401 || status === 403
    const said = [error, error_description].filter(Boolean).join(': ')
    throw new AccessTokenFault(
      isRefused ? 'credential' : 'retry',
      status,
      `Google did not issue an access token: ${said}`,
    )
  }

  #post() {
    const grant = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: this.#assertion() }
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return this.#transport.post(tokenUrl, headers, new URLSearchParams(grant).toString())
  }
}

function signerOf(secret: string): () => string {
  const account = parseAccount(secret)
  const key = parsePrivateKey(account.private_key, 'rsa', 'private_key of the service account')
  return () => {
    const now = Math.floor(Date.now() / 1000)
    const claims = { iss: account.client_email, scope, aud: tokenUrl, iat: now, exp: now + 3600 }
    const signed = `${encode({ alg: 'RS256', typ: 'JWT', kid: account.private_key_id })}.${encode(claims)}`
    return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`
  }
}

function parseAccount(secret: string): z.infer<typeof ServiceAccount> {
  const account = ServiceAccount.safeParse(parseJson(secret))
  if (account.success) return account.data
  throw new BadCredentialError(
    'The service account must be the JSON file from Google, with client_email and private_key.',
  )
}

export function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
