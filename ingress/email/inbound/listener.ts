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

/** Connection pool for code outside of routes. */
export const inboundDatabase = service<DatabasePool>({ name: 'email.inbound database', open: ({ db }) => db })

export const inboundMail: Listener = {
  name: 'mail',
  listen: (app) => {
    const { MAIL_INBOUND_PORT: port, HOST: host } = config
    return port === undefined ? undefined : listenInbound(app, host, port)
  },
}

/** Maximum duration of a connection in milliseconds. It limits clients that send one byte per minute. */
const longestMs = 10 * 60_000

/** Starts the SMTP server. Throws an error with a clear message if the address cannot be bound. */
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
    // Storage is opened with the first email for a route, because nothing else needs it.
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
    // Nothing to do, because a client that receives 421 retries.
    drain: () => {},
    async close(graceMs) {
      const { promise: closed, resolve } = Promise.withResolvers<void>()
      // Connections without a message in progress get 421 immediately. The others get 421 when the message or the grace
      // period ends.
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

/** Returns the certificate for STARTTLS. If there is none, STARTTLS is not offered. */
async function certificate() {
  const { MAIL_TLS_CERT: cert, MAIL_TLS_KEY: key } = config
  if (!cert || !key) return undefined
  return { cert: await readFile(cert), key: await readFile(key) }
}
