import { readFile } from 'node:fs/promises'
import type { AddressInfo, Socket } from 'node:net'
import { config } from '#lib/config.ts'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import { service } from '../../http/container.ts'
import { bindPort, type Listener, type RunningServer, type ServerApp } from '../../http/server.ts'
import { signingSecret, storage } from '../../http/services.ts'
import type { Limits } from './admission.ts'
import { createReportReader } from './report-reader.ts'
import { createSmtp } from './smtp.ts'

/** Database for code outside routes. */
export const inboundDatabase = service<DatabasePool>({ name: 'email.inbound database', open: ({ db }) => db })

export const inboundMail: Listener = {
  name: 'mail',
  listen: (app) => {
    const { MAIL_INBOUND_PORT: port, HOST: host } = config
    return port === undefined ? undefined : listenInbound(app, host, port)
  },
}

/** Milliseconds that a connection can last. Limits clients that send one byte per minute. */
const longestMs = 10 * 60_000

/** Throws a sentence if the address cannot be bound. */
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
    // Resolved with the first email for a route, because nothing else needs storage.
    storage: () => app.services(storage),
    secret: app.services(signingSecret),
    tls: await certificate(),
    ...(limits && { limits }),
  })
  smtp.on('error', (error) => log.debug({ err: describe(error) }, 'an SMTP connection failed'))
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
  await bindPort(server, host, port, 'MAIL_INBOUND_PORT')
  return {
    port: (server.address() as AddressInfo).port,
    answering: taking,
    // Nothing to do: a client that receives 421 retries.
    drain: () => {},
    async close(graceMs) {
      const { promise: closed, resolve } = Promise.withResolvers<void>()
      // Sends 421 to connections without a message in progress immediately, and to the others when it ends or the grace
      // period expires.
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

/** Certificate for STARTTLS. Without one, STARTTLS is not offered. */
async function certificate() {
  const { MAIL_TLS_CERT: cert, MAIL_TLS_KEY: key } = config
  if (!cert || !key) return undefined
  return { cert: await readFile(cert), key: await readFile(key) }
}
