import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { AddressInfo, Server, Socket } from 'node:net'
import { Problem } from '#lib/errors.ts'
import type { Services } from './container.ts'
import { errorBody } from './problems.ts'

/** What a listener serves. */
export interface ServerApp {
  callback(req: IncomingMessage | Http2ServerRequest, res: ServerResponse | Http2ServerResponse): Promise<void>
  services: Services
}

/** A port that an area opens beside the one of plain HTTP. */
export interface Listener {
  name: string
  /** Listens with the app; undefined where the configuration has no port for it. */
  listen(app: ServerApp): Promise<RunningServer> | undefined
}

export interface RunningServer {
  port: number
  /** Requests that are being answered. */
  answering(): number
  /** Goes on accepting, and ends each connection with its next answer. */
  drain(): void
  /** Stops accepting, lets running requests finish for `graceMs`, then cuts what is left. */
  close(graceMs: number): Promise<void>
}

/** Listens with an app; rejects with a sentence when the address cannot be had. */
export async function listen(app: ServerApp, host: string, port: number): Promise<RunningServer> {
  const answering = new Set<ServerResponse>()
  let closing = false
  const answer = (req: IncomingMessage, res: ServerResponse) => {
    answering.add(res)
    res.once('close', () => answering.delete(res))
    if (closing) res.setHeader('connection', 'close')
    void app.callback(req, res)
  }
  const server = createServer({ keepAliveTimeout: 65_000, headersTimeout: 20_000, requestTimeout: 120_000 }, answer)
  // A body is asked for only once its request has passed the checks that need no body.
  server.on('checkContinue', answer)
  server.on('clientError', refuse)
  await listening(server, host, port)
  const drain = () => {
    closing = true
    for (const res of answering) if (!res.headersSent) res.setHeader('connection', 'close')
  }
  return {
    port: (server.address() as AddressInfo).port,
    answering: () => answering.size,
    drain,
    async close(graceMs) {
      drain()
      const { promise: closed, resolve } = Promise.withResolvers<void>()
      server.close(() => resolve())
      const cut = setTimeout(() => server.closeAllConnections(), graceMs)
      await closed
      clearTimeout(cut)
    },
  }
}

/** Binds a server's port; rejects with a sentence that names the variable when it cannot be had. */
export async function listening(server: Server, host: string, port: number, variable = 'PORT'): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', (error: NodeJS.ErrnoException) => reject(explained(error, host, port, variable)))
  server.listen({ host, port, backlog: 1024 }, resolve)
  await promise
}

function explained(error: NodeJS.ErrnoException, host: string, port: number, variable: string): Error {
  if (error.code === 'EADDRINUSE') {
    return new Error(
      `Port ${port} on ${host} is taken; choose another with ${variable}=<number>, or stop what listens there.`,
    )
  }
  if (error.code === 'EACCES')
    return new Error(`Port ${port} may not be opened by this user; choose one above 1023 with ${variable}=<number>.`)
  if (error.code === 'EADDRNOTAVAIL')
    return new Error(`${host} is no address of this machine; choose one with HOST=<address>.`)
  return error
}

/** Answers what is not HTTP, or not in time, in the same shape as every other error. */
export function refuse(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
  const requestId = randomUUID()
  const body = JSON.stringify(
    errorBody(new Problem(status, 'bad_request', 'This is not a request in HTTP/1.1.'), requestId),
  )
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `x-request-id: ${requestId}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}
