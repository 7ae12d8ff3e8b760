import { readFile } from 'node:fs/promises'
import type { AddressInfo, Socket } from 'node:net'
import { config } from '#lib/config.ts'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import { service } from '../../http/container.ts'
import { type Listener, listening, type RunningServer, type ServerApp } from '../../http/server.ts'
import { signingSecret, storage } from '../../http/services.ts'
import type { Limits } from './admission.ts'
import { createReportReader } from './report-reader.ts'
import { createSmtp } from './smtp.ts'

/** The database, for what is no route. */
export const inboundDatabase = service<DatabasePool>({ name: 'email.inbound database', open: ({ db }) => db })

/** The port for bounces, complaints, unsubscribe mail and mail for organisations, `MAIL_INBOUND_PORT`. */
export const inboundMail: Listener = {
  name: 'mail',
  listen: (app) => {
    const { MAIL_INBOUND_PORT: port, HOST: host } = config
    return port === undefined ? undefined : listenInbound(app, host, port)
  },
}

/** Milliseconds that a connection may last: a client that sends a byte a minute holds it no longer. */
const longestMs = 10 * 60_000

/** Listens for mail to addresses of ours; rejects with a sentence when the address cannot be had. */
export async function listenInbound(
  app: ServerApp,
  host: string,
  port: number,
  limits?: Limits,
): Promise<RunningServer> {
  const reports = createReportReader()
  const { smtp, taking } = createSmtp({
    db: app.services(inboundDatabase),
    reports,
    // Asked for with the first mail for a route: all else needs none.
    storage: () => app.services(storage),
    secret: app.services(signingSecret),
    tls: await certificate(),
    ...(limits && { limits }),
  })
  smtp.on('error', (error) => log.debug({ err: describe(error) }, 'a mail connection failed'))
  const { server } = smtp
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    const cut = setTimeout(() => socket.destroy(), longestMs)
    socket.once('close', () => {
      clearTimeout(cut)
      sockets.delete(socket)
    })
  })
  await listening(server, host, port, 'MAIL_INBOUND_PORT')
  return {
    port: (server.address() as AddressInfo).port,
    answering: taking,
    // A server that is told 421 comes again by itself.
    drain: () => {},
    async close(graceMs) {
      const { promise: closed, resolve } = Promise.withResolvers<void>()
      // Connections without a mail under way are told 421 at once; the others when it is done, or the grace is over.
      smtp.close(() => resolve())
      const end = setTimeout(() => {
        for (const socket of sockets) socket.destroy()
      }, graceMs)
      await closed
      clearTimeout(end)
      await reports.close()
    },
  }
}

/** The certificate for STARTTLS; without one it is not offered. */
async function certificate() {
  const { MAIL_TLS_CERT: cert, MAIL_TLS_KEY: key } = config
  if (!cert || !key) return undefined
  return { cert: await readFile(cert), key: await readFile(key) }
}
