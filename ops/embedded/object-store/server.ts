import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, Server as NetServer } from 'node:net'
import { allowOrigins, answerPreflight } from './cors.ts'
import { sendAnswer } from './exchange.ts'
import { operate } from './operations.ts'
import { authorize, type Identity } from './protocol/authorize.ts'
import { type Call, readCall } from './protocol/call.ts'
import { S3Error } from './protocol/errors.ts'
import type { Rule } from './protocol/lifecycle.ts'
import { writeError } from './protocol/xml.ts'
import { openBuckets } from './storage/buckets.ts'
import * as lifecycles from './storage/lifecycles.ts'
import { closeStore, openStore } from './storage/store.ts'
import { keepSwept, type SweepOptions } from './storage/sweep.ts'

export interface ObjectStoreOptions extends Identity {
  readonly host: string
  readonly port: number
  readonly dir: string
  readonly buckets: readonly string[]
  readonly rules?: readonly Rule[]
  readonly sweeps?: Partial<Pick<SweepOptions, 'every' | 'now'>>
}

export interface ObjectStore {
  readonly url: string
  readonly port: number
  close(): Promise<void>
}

const idle = 120_000

const sweepEvery = 3600_000

/** Starts an S3-compatible object store in a folder. Throws if another process uses the folder. */
export async function startObjectStore(options: ObjectStoreOptions): Promise<ObjectStore> {
  const store = await openStore(options.dir)
  const buckets = openBuckets(store, options.buckets)
  if (options.rules) for (const bucket of options.buckets) lifecycles.begin(store, bucket, options.rules)
  const running = new Set<Promise<void>>()
  // An upload can take hours, so only its pauses are limited.
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 30_000, noDelay: true })
  server.setTimeout(idle)

  const serve = (expectsContinue: boolean) => (request: IncomingMessage, response: ServerResponse) => {
    if (!server.listening) response.shouldKeepAlive = false
    const sent = new Promise<void>((resolve) => response.once('close', resolve))
    const task = respond(request, response, expectsContinue, async (call) => {
      const grant = authorize(call, options)
      await operate({ call, grant, response, store, identity: options, buckets })
    })
      .catch(() => void response.destroy())
      .then(() => sent)
      .finally(() => running.delete(task))
    running.add(task)
  }
  server.on('request', serve(false))
  server.on('checkContinue', serve(true))
  server.listen(options.port, options.host)
  try {
    await once(server, 'listening')
  } catch (error) {
    await closeStore(store)
    throw error
  }
  const { port } = server.address() as AddressInfo
  const stopSweeping = keepSwept(store, {
    every: sweepEvery,
    now: Date.now,
    ...options.sweeps,
    buckets: options.buckets,
  })
  const host = options.host.includes(':') ? `[${options.host}]` : options.host

  return {
    url: `http://${host}:${port}`,
    port,
    async close() {
      const closed = once(server, 'close')
      // The close of node:http would cut responses that are still being sent.
      NetServer.prototype.close.call(server)
      while (running.size > 0) await Promise.all(running)
      server.closeAllConnections()
      await closed
      await stopSweeping()
      await closeStore(store)
    },
  }
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  expectsContinue: boolean,
  serve: (call: Call) => Promise<void>,
): Promise<void> {
  const requestId = randomBytes(8).toString('hex').toUpperCase()
  response.setHeader('x-amz-request-id', requestId)
  allowOrigins(response)
  if (request.method === 'OPTIONS') return answerPreflight(request, response)
  try {
    await serve(readCall(request, expectsContinue))
  } catch (error) {
    if (request.socket.destroyed) return
    const refusal = error instanceof S3Error ? error : unexpected(error, requestId)
    if (response.headersSent) response.destroy()
    else await refuse(request, response, refusal, requestId)
  }
}

async function refuse(request: IncomingMessage, response: ServerResponse, refusal: S3Error, requestId: string) {
  const { code, message, details, status, headers } = refusal
  for (const name of response.getHeaderNames())
    if (!name.startsWith('access-control-') && name !== 'x-amz-request-id') response.removeHeader(name)
  const Resource = request.url?.split('?')[0]
  const body = writeError({ Code: code, Message: message, ...details, Resource, RequestId: requestId })
  await sendAnswer(request, response, status, headers, body)
}

function unexpected(error: unknown, requestId: string): S3Error {
  console.error(`object store: request ${requestId} failed:`, error)
  return new S3Error('InternalError', 'We encountered an internal error. Please try again.')
}
