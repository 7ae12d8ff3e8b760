import { Agent, buildConnector, request } from 'undici'
import type { PushServers } from '../servers.ts'

export interface GoogleAnswer {
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  text: string
}

export interface Transport {
  post(url: string, headers: Record<string, string>, body: string): Promise<GoogleAnswer>
  close(): Promise<void>
}

/**
 * Opens connections to Google as needed, or to a replacement server. Requests to the replacement server use Google’s
 * host names.
 */
export function createTransport({ fcm, secureContext, timeoutMs }: PushServers): Transport {
  const connect = buildConnector({ timeout: timeoutMs, ...(secureContext && { secureContext }) })
  const place = fcm && { hostname: fcm.hostname, host: fcm.host, port: fcm.port || '443' }
  const agent = new Agent({
    connect: (options, done) =>
      connect(place ? { ...options, ...place, servername: options.servername || options.hostname } : options, done),
    connections: 128,
    keepAliveTimeout: 60_000,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    allowH2: false,
  })
  return {
    async post(url, headers, body) {
      const answer = await request(url, { method: 'POST', headers, body, dispatcher: agent })
      return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() }
    },
    close: () => agent.destroy(),
  }
}
