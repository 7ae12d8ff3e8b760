import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { computeSignature } from '#tasks/webhooks/rules/sign.ts'

const timeoutMs = 60_000

export interface Arrived {
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
}

/** Server on this machine that Millrace calls in the tour. */
export interface Receiver {
  url: string
  /** Waits for the n-th request of a path, from 1. Throws after a minute. */
  nth(path: string, n: number): Promise<Arrived>
}

/**
 * Runs `show` with a server that returns 503 for the first request of each path in `busyAt`, and 204 otherwise. A
 * deployment does not call URLs of its own machine, so the result is then a notice.
 */
export async function withReceiver(
  signal: AbortSignal,
  show: (receiver: Receiver) => Promise<string>,
  busyAt: readonly string[] = [],
): Promise<string> {
  const arrived: Arrived[] = []
  const at = (path: string) => arrived.filter((request) => request.path === path)
  const server = createServer(async (request, response) => {
    const { url: path = '', headers } = request
    arrived.push({ path, headers, body: await buffer(request) })
    response.writeHead(busyAt.includes(path) && at(path).length === 1 ? 503 : 204).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const nth = async (path: string, n: number) => {
    for (const end = Date.now() + timeoutMs; Date.now() < end; await pause(20, undefined, { signal })) {
      const request = at(path)[n - 1]
      if (request) return request
    }
    throw new Error(`Request ${n} for ${path} did not arrive in time.`)
  }
  try {
    return await show({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, nth })
  } catch (error) {
    const { message } = error as Error
    const isRefused = ['must start with https', 'is not allowed'].some((text) => message.includes(text))
    if (!isRefused || !message.includes(': 400 ')) throw error
    return 'NOTICE: this installation does not call URLs of this machine, so nothing was sent'
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

/** Throws if the request has no signature of the secret. */
export function checkSignature({ path, headers, body }: Arrived, secret: string): void {
  const signature = computeSignature(secret, `${headers['webhook-id']}.${headers['webhook-timestamp']}.`, body)
  if (!String(headers['webhook-signature']).split(' ').includes(signature))
    throw new Error(`The signature of ${path} is wrong.`)
}
