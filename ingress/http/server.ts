import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { AddressInfo, Server, Socket } from 'node:net'
import { Problem } from '#lib/errors.ts'
import type { Services } from './container.ts'
import { errorBody } from './problems.ts'

export interface ServerApp {
  callback(req: IncomingMessage | Http2ServerRequest, res: ServerResponse | Http2ServerResponse): Promise<void>
  services: Services
}

export interface Listener {
  name: string
  listen(app: ServerApp): Promise<RunningServer> | undefined
}

export interface RunningServer {
  port: number
  answering(): number
  drain(): void
  /**
   * Stops accepting connections. Running requests have `graceMs` milliseconds to finish. Then their connections are
   * closed.
   */
  close(graceMs: number): Promise<void>
}

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
  // The client is asked for the body only after all checks that do not need the body.
  server.on('checkContinue', answer)
  server.on('clientError', rejectSocket)
  await bindPort(server, host, port)
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

export async function bindPort(server: Server, host: string, port: number, variable = 'PORT'): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', (error: NodeJS.ErrnoException) => reject(explained(error, host, port, variable)))
  server.listen({ host, port, backlog: 1024 }, resolve)
  await promise
}

function explained(error: NodeJS.ErrnoException, host: string, port: number, variable: string): Error {
  if (error.code === 'EADDRINUSE') {
    return new Error(
      `Port ${port} on ${host} is in use. Choose another with ${variable}=<number>, or stop the other process.`,
    )
  }
  if (error.code === 'EACCES')
    return new Error(`This user cannot open port ${port}. Choose a port above 1023 with ${variable}=<number>.`)
  if (error.code === 'EADDRNOTAVAIL')
    return new Error(`${host} is not an address of this machine. Choose one with HOST=<address>.`)
  return error
}

export function rejectSocket(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
  const requestId = randomUUID()
  const body = JSON.stringify(
    errorBody(new Problem(status, 'bad_request', 'This is not a valid HTTP/1.1 request.'), requestId),
  )
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `x-request-id: ${requestId}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}
