import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import { config } from '#lib/config.ts'
import { log } from '#lib/log.ts'
import { toStorableText } from '#lib/outside-text.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { Report } from '#tasks/email/rules/reports/report.ts'
import { type AdmittedConnection, createAdmission, type Limits } from './admission.ts'
import type { AggregateReader } from './aggregate-reader.ts'
import { answer, tooLarge, upTo, whole } from './receiving.ts'
import { type Purpose, resolveRecipient } from './recipient.ts'
import { RefusalError } from './refusal.ts'
import type { ReportReader } from './report-reader.ts'
import { spool } from './spool.ts'
import { processMail } from './take.ts'
import { type RoutedMail, storeReceived } from './take-received.ts'
import { storeReport } from './take-report.ts'

/**
 * Sizes in bytes. `most` is the maximum size of an email. `read` is the size of the part that is parsed. A report is at
 * the start, before the message that it returns.
 */
const bytes = { most: 5 * 1024 ** 2, read: 1024 ** 2 }

/** RFC 5321 §4.5.3.1.8. */
const mostRecipients = 100

/** Maximum number of wrong recipients before a connection is closed. */
const guesses = 5

/** Milliseconds. */
const idleMs = 60_000

interface Ground {
  db: DatabasePool
  reports: ReportReader
  aggregates: AggregateReader
  storage: () => Storage
  secret: string
  tls: { cert: Buffer; key: Buffer } | undefined
  limits?: Limits
}

interface Came extends Omit<RoutedMail, 'purpose'> {
  /** Returns the report. It is parsed once for all recipients. */
  report(): Promise<Report>
}

const isRoute = (purpose: Purpose): purpose is RoutedMail['purpose'] => purpose.kind === 'route'

/**
 * Creates an SMTP server (RFC 5321) for email addresses of this installation and inbound routes. It does not relay
 * email or support AUTH.
 */
export function createSmtp({ db, reports, aggregates, storage, secret, tls, limits }: Ground): {
  smtp: SMTPServer
  taking(): number
} {
  const admission = createAdmission(limits)
  const admitted = new Map<string, AdmittedConnection>()
  /** Purpose of each recipient, by connection and email address. */
  const purposes = new Map<string, Map<string, Purpose>>()
  const refused = new Map<string, number>()
  let taking = 0

  async function recipient(address: string, session: SMTPServerSession): Promise<void> {
    const sender = session.envelope.mailFrom ? session.envelope.mailFrom.address : ''
    admitted.get(session.id)?.count()
    try {
      const { id, remoteAddress } = session
      const purpose = await resolveRecipient(db, { address, sender, remoteAddress }, secret)
      purposes.set(id, (purposes.get(id) ?? new Map<string, Purpose>()).set(address.toLowerCase(), purpose))
    } catch (error) {
      // Temporary rejections do not count as wrong recipients and do not close the connection.
      if (!(error instanceof RefusalError) || error.responseCode < 500) throw error
      const count = (refused.get(session.id) ?? 0) + 1
      refused.set(session.id, count)
      throw count < guesses ? error : new RefusalError(421, 'Too many wrong recipients')
    }
  }

  async function data(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
    taking++
    const connection = admitted.get(session.id)
    let storing: ReturnType<AdmittedConnection['storing']> | undefined
    try {
      const { id, envelope, remoteAddress } = session
      const found = envelope.rcptTo.flatMap(({ address }) => purposes.get(id)?.get(address.toLowerCase()) ?? [])
      if (found.length === 0) throw new RefusalError(503, 'A recipient is required')
      const chunks = upTo(stream, 2 * config.MAIL_INBOUND_BYTES, () => cut(id), connection)
      const mostBytes = found.some(isRoute) ? config.MAIL_INBOUND_BYTES : bytes.most
      await using content = await whole(spool(chunks, mostBytes))
      if (!content) throw tooLarge(mostBytes)
      storing = connection?.storing()
      const helo = toStorableText(String(session.hostNameAppearsAs || ''), 255)
      let read: Promise<Report> | undefined
      const report = () => {
        read ??= content.beginning(bytes.read).then((beginning) => reports.read(beginning))
        return read
      }
      await takeForAll(found, { content, remoteAddress, helo, report })
      return 'Done'
    } finally {
      taking--
      storing?.done()
      purposes.delete(session.id)
    }
  }

  /**
   * Handles all recipients one after another, so that one rejection does not affect the others. A server that retries
   * sends to all recipients again, and each accepts the email only once. So a temporary rejection takes precedence over
   * a permanent one.
   */
  async function takeForAll(found: readonly Purpose[], mail: Came): Promise<void> {
    const refusals: Error[] = []
    for (const purpose of found) await takeFor(purpose, mail).catch((error) => refusals.push(error))
    const [first] = refusals
    if (first) throw refusals.find((error) => !(error instanceof RefusalError) || error.responseCode < 500) ?? first
  }

  async function takeFor(purpose: Purpose, mail: Came): Promise<void> {
    if (isRoute(purpose)) return await storeReceived({ db, storage: storage() }, { purpose, ...mail })
    const { content, remoteAddress, report } = mail
    if (content.bytes > bytes.most) throw tooLarge(bytes.most)
    if (purpose.kind === 'domain_report') {
      const { domain, sender } = purpose
      return await storeReport(db, aggregates, { domain, sender, bytes: await content.beginning(bytes.most) })
    }
    const kind = await processMail(
      db,
      { purpose, bytes: await content.beginning(bytes.read), remoteAddress, report },
      secret,
    )
    log.debug({ kind, remote: remoteAddress }, 'email accepted')
  }

  const connectionOf = (id: string) => [...smtp.connections].find((connection) => connection.id === id)
  const cut = (id: string) => connectionOf(id)?.close()
  // 421 closes the connection (RFC 5321 §3.8).
  const turnAway = (id: string) => connectionOf(id)?.send(421, 'Idle for too long, try again later')

  const smtp: SMTPServer = new SMTPServer({
    name: config.MAIL_HOSTNAME,
    size: config.MAIL_INBOUND_BYTES,
    rejectOversized: true,
    maxRecipients: mostRecipients,
    socketTimeout: idleMs,
    closeTimeout: config.SHUTDOWN_GRACE_MS,
    disabledCommands: ['AUTH', 'XCLIENT', 'XFORWARD', 'WIZ', 'SHELL', 'KILL', ...(tls ? [] : ['STARTTLS'])],
    authOptional: true,
    hideSMTPUTF8: true,
    disableReverseLookup: true,
    logger: false,
    ...(tls && { ...tls, minVersion: 'TLSv1.2' as const }),
    onConnect: (session, done) =>
      answer(done, async () => {
        admitted.set(
          session.id,
          admission.open(session.remoteAddress, () => turnAway(session.id)),
        )
      }),
    onMailFrom(_address, { id }, done) {
      purposes.delete(id)
      done()
    },
    onRcptTo: ({ address }, session, done) => answer(done, () => recipient(address, session)),
    onData: (stream, session, done) => answer(done, () => data(stream, session)),
    onClose(session) {
      admitted.get(session.id)?.close()
      admitted.delete(session.id)
      purposes.delete(session.id)
      refused.delete(session.id)
    },
  })
  const sweep = setInterval(() => admission.sweep(), 5_000).unref()
  smtp.server.once('close', () => clearInterval(sweep))
  return { smtp, taking: () => taking }
}
