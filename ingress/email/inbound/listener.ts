import { readFile } from 'node:fs/promises'
import { config } from '#lib/config.ts'
import type { DatabasePool } from '#sql/db.ts'
import { service } from '../../http/container.ts'
import type { Listener, RunningServer, ServerApp } from '../../http/server.ts'
import { signingSecret, storage } from '../../http/services.ts'
import type { Limits } from './admission.ts'
import { createAggregateReader } from './aggregate-reader.ts'
import { createReportReader } from './report-reader.ts'
import { runSmtp } from './run-smtp.ts'
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

/** Starts the SMTP server. Throws an error with a clear message if the address cannot be bound. */
export async function listenInbound(
  app: ServerApp,
  host: string,
  port: number,
  limits?: Limits,
): Promise<RunningServer> {
  const reports = createReportReader()
  const aggregates = createAggregateReader()
  const { smtp, taking } = createSmtp({
    db: app.services(inboundDatabase),
    reports,
    aggregates,
    // Storage is opened with the first email for a route, because nothing else needs it.
    storage: () => app.services(storage),
    secret: app.services(signingSecret),
    tls: await certificate(),
    ...(limits && { limits }),
  })
  return await runSmtp(
    { smtp, taking, end: async () => void (await Promise.all([reports.close(), aggregates.close()])) },
    { host, port, variable: 'MAIL_INBOUND_PORT' },
  )
}

/** Returns the certificate for STARTTLS. If there is none, STARTTLS is not offered. */
async function certificate() {
  const { MAIL_TLS_CERT: cert, MAIL_TLS_KEY: key } = config
  if (!cert || !key) return undefined
  return { cert: await readFile(cert), key: await readFile(key) }
}
