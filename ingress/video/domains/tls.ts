import { randomUUID } from 'node:crypto'
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { config } from '#lib/config.ts'
import { describe, Problem } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { errorBody } from '../../http/problems.ts'
import { bindPort, type Listener, type RunningServer, rejectSocket, type ServerApp } from '../../http/server.ts'
import { type ServedDomains, servedDomains } from '../../playback/served-domains.ts'

const settings = {
  minVersion: 'TLSv1.2',
  handshakeTimeout: 10_000,
  keepAliveTimeout: 65_000,
  headersTimeout: 20_000,
  requestTimeout: 120_000,
  settings: { maxConcurrentStreams: 128 },
  allowHTTP1: true,
} as const

/** Idle time in milliseconds after which an HTTP/2 connection is closed. */
const idleMs = 120_000

export const tls: Listener = {
  name: 'tls',
  listen: (app) => (config.TLS_PORT === undefined ? undefined : listenTls(app, config.HOST, config.TLS_PORT)),
}

/**
 * Listens for TLS connections with HTTP/2 or 1.1 on customers' domains. Each domain has its own certificate, which is
 * selected by SNI (RFC 6066 §3). For any other name, and without SNI, the handshake fails with an alert.
 */
export async function listenTls(app: ServerApp, host: string, port: number): Promise<RunningServer> {
  const domains = app.services(servedDomains)
  const answering = new Set<Http2ServerResponse>()
  const sockets = new Set<Socket>()
  let closing = false
  const answer = (req: Http2ServerRequest, res: Http2ServerResponse) => {
    answering.add(res)
    res.once('close', () => answering.delete(res))
    if (closing && req.httpVersionMajor < 2) res.setHeader('connection', 'close')
    if (isMisdirected(req, domains)) misdirected(res)
    else void app.callback(req, res)
  }
  const server = createSecureServer({
    ...settings,
    // If there is no context, OpenSSL sends an alert to the client.
    SNICallback: (name, done) =>
      void domains.contextOf(name.toLowerCase()).then(
        (context) => done(null, context),
        (error: Error) => done(error),
      ),
  })
  server.on('request', answer)
  server.on('checkContinue', answer)
  server.on('clientError', rejectSocket)
  server.on('tlsClientError', (error) => log.debug({ err: describe(error) }, 'TLS handshake with a client failed'))
  server.on('sessionError', (error) => log.debug({ err: describe(error) }, 'an HTTP/2 connection failed'))
  server.setTimeout(idleMs)
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const sessions = new Set<{ close(): void }>()
  server.on('session', (session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
  })
  await bindPort(server, host, port, 'TLS_PORT')
  return {
    port: (server.address() as AddressInfo).port,
    answering: () => answering.size,
    drain() {
      closing = true
    },
    async close(graceMs) {
      closing = true
      const { promise: closed, resolve } = Promise.withResolvers<void>()
      server.close(() => resolve())
      for (const session of sessions) session.close()
      const cut = setTimeout(() => {
        for (const socket of sockets) socket.destroy()
      }, graceMs)
      await closed
      clearTimeout(cut)
    },
  }
}

/**
 * True if the connection is for a different name (RFC 9110 §15.5.20), or for a domain that was removed. A connection
 * can stay open after its domain was removed, and a resumed connection needs no certificate.
 */
function isMisdirected(req: Http2ServerRequest, domains: ServedDomains): boolean {
  const { servername } = req.socket as TLSSocket
  const host = req.headers[':authority'] ?? req.headers.host ?? ''
  const name = host.replace(/:\d*$/, '').toLowerCase()
  return typeof servername !== 'string' || name !== servername.toLowerCase() || !domains.isServed(name)
}

function misdirected(res: Http2ServerResponse): void {
  const problem = new Problem(421, 'misdirected', 'This connection is for a different host.')
  res.writeHead(problem.status, { 'content-type': 'application/json; charset=utf-8' })
  res.end(JSON.stringify(errorBody(problem, randomUUID())))
}
