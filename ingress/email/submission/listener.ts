import { readFile } from 'node:fs/promises'
import { config } from '#lib/config.ts'
import { describe } from '#lib/errors.ts'
import { runEvery } from '#lib/every.ts'
import { log } from '#lib/log.ts'
import { threadPool } from '#lib/threads.ts'
import { hashSecret } from '#lib/tokens.ts'
import { findCaller } from '#sql/account/keys.ts'
import type { Listener, RunningServer, ServerApp } from '../../http/server.ts'
import { defaultLimits, type Limits } from '../inbound/admission.ts'
import { inboundDatabase } from '../inbound/listener.ts'
import { runSmtp } from '../inbound/run-smtp.ts'
import { createApi } from './api.ts'
import type { readMessage } from './read-message.ts'
import { type Certificate, createSubmission } from './smtp.ts'

/** How often the certificate's files are read, in milliseconds, so that a renewed certificate is used. */
const readAgainMs = 60_000

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
  /** Default: the files in the settings. */
  files?: CertificateFiles
}

/** Paths of PEM files. */
interface CertificateFiles {
  cert: string | undefined
  key: string | undefined
}

const configured: CertificateFiles = {
  cert: config.MAIL_SUBMISSION_TLS_CERT ?? config.MAIL_TLS_CERT,
  key: config.MAIL_SUBMISSION_TLS_KEY ?? config.MAIL_TLS_KEY,
}

/** Starts the SMTP server. Throws an error with a clear message if it has no certificate or the port is not available. */
export async function listenSubmission(
  app: ServerApp,
  { isImplicit, limits = defaultLimits, files = configured, ...place }: Place,
): Promise<RunningServer> {
  const threads = threadPool<typeof readMessage>(new URL('./thread.ts', import.meta.url), {
    threads: 2,
    seconds: 20,
    megabytes: 256,
    waiting: 100,
    ofOne: { threads: 1, waiting: 20 },
  })
  let tls = await readCertificate(files, place.variable)
  const db = app.services(inboundDatabase)
  const findOwner = async (key: string) => {
    const hash = hashSecret(key)
    // A key of another cell has no row here.
    return (await findCaller(db, hash))?.org.id ?? hash
  }
  const { smtp, taking } = createSubmission({ api: createApi(app), findOwner, threads, tls, isImplicit, limits })
  const renewal = runEvery(
    readAgainMs,
    async () => {
      const now = await readCertificate(files, place.variable)
      if (now.cert.equals(tls.cert)) return
      tls = now
      smtp.updateSecureContext({ ...now, minVersion: 'TLSv1.2' })
    },
    (error) => log.warn({ err: describe(error) }, 'the certificate for email submission could not be read'),
  ).unref()
  const end = async () => {
    await renewal.stop()
    await threads.close()
  }
  return await runSmtp({ smtp, taking, end }, place)
}

async function readCertificate({ cert, key }: CertificateFiles, variable: string): Promise<Certificate> {
  if (!cert || !key) throw new Error(`${variable} requires MAIL_SUBMISSION_TLS_CERT and MAIL_SUBMISSION_TLS_KEY.`)
  return { cert: await readFile(cert), key: await readFile(key) }
}
