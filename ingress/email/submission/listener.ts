import { setTimeout as pause } from 'node:timers/promises'
import { config } from '#lib/config.ts'
import { describe } from '#lib/errors.ts'
import { runEvery } from '#lib/every.ts'
import { log } from '#lib/log.ts'
import { threadPool } from '#lib/threads.ts'
import { hashSecret } from '#lib/tokens.ts'
import { findCaller } from '#sql/account/keys.ts'
import type { Listener, RunningServer, ServerApp } from '../../http/server.ts'
import { signingSecret } from '../../http/services.ts'
import { defaultLimits, type Limits } from '../inbound/admission.ts'
import { inboundDatabase } from '../inbound/listener.ts'
import { runSmtp } from '../inbound/run-smtp.ts'
import { createApi } from './api.ts'
import {
  type Certificate,
  type CertificateFiles,
  isSame,
  type ReadCertificate,
  readConfigured,
  readFiles,
} from './certificate.ts'
import type { readMessage } from './read-message.ts'
import { createSubmission } from './smtp.ts'

/** How often the certificate is read, in milliseconds, so that a renewed certificate is used. */
const readAgainMs = 60_000

/** How often a certificate that is not issued yet is read, in milliseconds. */
const awaitMs = 2_000

/** Accepts email by SMTP from clients with an API key, on port 587 with STARTTLS. */
export const submission: Listener = {
  name: 'mail-submission',
  listen: (app) => listenIf(app, config.MAIL_SUBMISSION_PORT, 'MAIL_SUBMISSION_PORT', { isImplicit: false }),
}

/** The same on port 465, where TLS starts with the connection. */
export const submissions: Listener = {
  name: 'mail-submissions',
  listen: (app) => listenIf(app, config.MAIL_SUBMISSIONS_PORT, 'MAIL_SUBMISSIONS_PORT', { isImplicit: true }),
}

const listenIf = (app: ServerApp, port: number | undefined, variable: string, options: { isImplicit: boolean }) =>
  port === undefined ? undefined : listenSubmission(app, { host: config.HOST, port, variable, ...options })

interface Place {
  host: string
  port: number
  /** Name of the setting of the port, for error messages. */
  variable: string
  isImplicit: boolean
  limits?: Limits
  /** Default: as the settings say. */
  files?: CertificateFiles
  read?: ReadCertificate
  /** Default: a minute. */
  readAgainMs?: number
}

/**
 * Starts the SMTP server. If its certificate is not issued yet, the port opens when it is. Throws an error with a clear
 * message if it has no certificate or the port is not available.
 */
export async function listenSubmission(app: ServerApp, place: Place): Promise<RunningServer> {
  const { files, variable } = place
  const read =
    place.read ??
    (files
      ? readFiles(files, variable)
      : readConfigured(app.services(inboundDatabase), () => app.services(signingSecret), variable))
  const tls = await read()
  if (tls) return await serve(app, place, tls, read)
  log.warn({ port: place.port }, 'email submission starts when its certificate is issued')
  return serveLater(app, place, read)
}

/** Waits for the certificate, then starts the SMTP server. */
function serveLater(app: ServerApp, place: Place, read: ReadCertificate): RunningServer {
  const ends = new AbortController()
  let server: RunningServer | undefined
  const start = async () => {
    while (!server) {
      await pause(awaitMs, undefined, { signal: ends.signal })
      const tls = await read().catch(reportUnread)
      if (tls && !ends.signal.aborted) server = await serve(app, place, tls, read)
    }
    log.info({ port: server.port }, 'email submission has started')
  }
  const started = start().catch((error: Error) => {
    if (!ends.signal.aborted) log.error({ err: describe(error) }, 'email submission could not start')
  })
  return {
    get port() {
      return server?.port ?? place.port
    },
    answering: () => server?.answering() ?? 0,
    drain: () => server?.drain(),
    async close(graceMs) {
      ends.abort()
      await started
      await server?.close(graceMs)
    },
  }
}

function reportUnread(error: Error): undefined {
  log.warn({ err: describe(error) }, 'the certificate for email submission could not be read')
}

async function serve(
  app: ServerApp,
  { isImplicit, limits = defaultLimits, readAgainMs: againMs = readAgainMs, ...place }: Place,
  first: Certificate,
  read: ReadCertificate,
): Promise<RunningServer> {
  const threads = threadPool<typeof readMessage>(new URL('./thread.ts', import.meta.url), {
    threads: 2,
    seconds: 20,
    megabytes: 256,
    waiting: 100,
    ofOne: { threads: 1, waiting: 20 },
  })
  let tls = first
  const db = app.services(inboundDatabase)
  const findOwner = async (key: string) => {
    const hash = hashSecret(key)
    // A key of another cell has no row here.
    return (await findCaller(db, hash))?.org.id ?? hash
  }
  const { smtp, taking } = createSubmission({ api: createApi(app), findOwner, threads, tls, isImplicit, limits })
  const renew = async () => {
    const now = await read()
    if (!now || isSame(now, tls)) return
    smtp.updateSecureContext({ ...now, minVersion: 'TLSv1.2' })
    tls = now
  }
  const renewal = runEvery(againMs, renew, reportUnread).unref()
  const end = async () => {
    await renewal.stop()
    await threads.close()
  }
  return await runSmtp({ smtp, taking, end }, place)
}
