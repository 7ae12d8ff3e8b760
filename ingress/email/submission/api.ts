import inject from 'light-my-request'
import type { ServerApp } from '../../http/server.ts'
import { RefusalError } from '../inbound/refusal.ts'
import { smtpClient } from './client-name.ts'
import type { ApiRequest } from './read-message.ts'
import { replyTo } from './replies.ts'

/** Maximum duration of an operation in milliseconds. */
const longestMs = 60_000

export interface Client {
  key: string
  ip: string
}

/**
 * Calls operations in this process, as an HTTP client with the same key and IP address would. So locks, rate limits,
 * plans, suppressions and the request log are the same.
 */
export function createApi(app: ServerApp) {
  async function call(method: 'GET' | 'POST', url: string, { key, ip }: Client, more: inject.InjectOptions = {}) {
    const late = new AbortController()
    // A response of another cell can end early.
    const timer = setTimeout(() => late.abort(), longestMs)
    try {
      return await inject((req, res) => void app.callback(req, res), {
        method,
        url,
        remoteAddress: ip,
        signal: late.signal,
        ...more,
        headers: { ...more.headers, authorization: `Bearer ${key}`, 'user-agent': smtpClient },
      })
    } catch (error) {
      if (!late.signal.aborted) throw error
      throw new RefusalError(451, 'Try again later')
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    /** Throws `RefusalError` if the key cannot send email. */
    async signIn(client: Client): Promise<void> {
      const { statusCode, body } = await call('GET', '/send/v1/messages?limit=1', client)
      if (statusCode !== 200) throw replyTo(statusCode, body, { isSignIn: true })
    },
    /** Returns the ID of the message, which is stored. Throws `RefusalError`. */
    async send(client: Client, { body, idempotencyKey }: ApiRequest): Promise<string> {
      const response = await call('POST', '/send/v1/messages', client, {
        payload: body,
        headers: {
          'content-type': 'application/json',
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        },
      })
      if (response.statusCode !== 202) throw replyTo(response.statusCode, response.body)
      const { id } = response.json<{ id?: string }>()
      if (!id) throw new RefusalError(451, 'Try again later')
      return id
    },
  }
}

export type Api = ReturnType<typeof createApi>
