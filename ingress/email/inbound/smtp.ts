import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import { config } from '#lib/config.ts'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { outsideText } from '#lib/outside-text.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { DatabasePool } from '#sql/db.ts'
import { type AdmittedConnection, createAdmission, type Limits } from './admission.ts'
import { type Purpose, purposeOf } from './recipient.ts'
import { Refusal } from './refusal.ts'
import type { ReportReader } from './report-reader.ts'
import { spool } from './spool.ts'
import { take } from './take.ts'
import { takeReceived } from './take-received.ts'

/** The largest mail that is taken for us, and how much of it is read: a report stands before the message that it returns. */
const bytes = { most: 5 * 1024 ** 2, read: 1024 ** 2 }

/** Recipients that a connection may guess before it is closed. */
const guesses = 5

/** Milliseconds. */
const idleMs = 60_000

/** Bytes of a mail that are progress: a client that sends a byte now and then makes none. */
const progressBytes = 16 * 1024

/** What the server needs. */
interface Ground {
  db: DatabasePool
  reports: ReportReader
  storage: () => Storage
  secret: string
  tls: { cert: Buffer; key: Buffer } | undefined
  limits?: Limits
}

/** Makes the SMTP server (RFC 5321) for mail to addresses of ours and of organisations: no relay, no AUTH, one recipient each. */
export function createSmtp({ db, reports, storage, secret, tls, limits }: Ground): {
  smtp: SMTPServer
  taking(): number
} {
  const admission = createAdmission(limits)
  const admitted = new Map<string, AdmittedConnection>()
  const purposes = new Map<string, Purpose>()
  const refused = new Map<string, number>()
  let taking = 0

  async function recipient(address: string, session: SMTPServerSession): Promise<void> {
    const sender = session.envelope.mailFrom ? session.envelope.mailFrom.address : ''
    try {
      const { remoteAddress } = session
      purposes.set(session.id, await purposeOf(db, { address, sender, remoteAddress }, secret))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      admitted.get(session.id)?.count()
      const count = (refused.get(session.id) ?? 0) + 1
      refused.set(session.id, count)
      throw count < guesses ? error : new Refusal(421, 'Too many wrong recipients')
    }
  }

  async function data(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
    taking++
    const connection = admitted.get(session.id)
    let storing: ReturnType<AdmittedConnection['storing']> | undefined
    try {
      connection?.count()
      const purpose = purposes.get(session.id)
      if (!purpose) throw new Refusal(503, 'There is no recipient')
      const { id, remoteAddress } = session
      const chunks = upTo(stream, 2 * config.MAIL_INBOUND_BYTES, () => cut(id), connection)
      if (purpose.kind === 'route') {
        await using content = await whole(spool(chunks, config.MAIL_INBOUND_BYTES))
        if (!content) throw tooLarge(config.MAIL_INBOUND_BYTES)
        storing = connection?.storing()
        const helo = outsideText(String(session.hostNameAppearsAs || ''), 255)
        await takeReceived({ db, storage: storage() }, { purpose, content, remoteAddress, helo })
        return 'Done'
      }
      const { beginning, length } = await whole(beginningOf(chunks))
      if (length > bytes.most) throw tooLarge(bytes.most)
      storing = connection?.storing()
      const kind = await take(db, reports, { purpose, bytes: beginning, remoteAddress }, secret)
      log.debug({ kind, remote: remoteAddress }, 'mail taken')
      return 'Done'
    } finally {
      taking--
      storing?.done()
      purposes.delete(session.id)
    }
  }

  const connectionOf = (id: string) => [...smtp.connections].find((connection) => connection.id === id)
  const cut = (id: string) => connectionOf(id)?.close()
  // 421 closes the connection (RFC 5321 §3.8).
  const turnAway = (id: string) => connectionOf(id)?.send(421, 'Idle for too long, try again later')

  const smtp: SMTPServer = new SMTPServer({
    name: config.MAIL_HOSTNAME,
    size: config.MAIL_INBOUND_BYTES,
    rejectOversized: true,
    maxRecipients: 1,
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

/** Gives a callback what work resolves with; of what fails without a refusal the other side learns no more than to come again. */
function answer<T>(done: (error: Error | null, value?: T) => void, work: () => Promise<T>): void {
  work().then(
    (value) => done(null, value),
    (error: Error) => {
      if (error instanceof Refusal) return done(error)
      log.warn({ err: describe(error) }, 'mail could not be taken')
      done(new Refusal(451, 'Try again later'))
    },
  )
}

const tooLarge = (most: number) => new Refusal(552, `More than ${most} bytes are not taken`)

/** What comes of reading a mail; one whose connection breaks has not come. */
async function whole<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading
  } catch (error) {
    log.debug({ err: describe(error) }, 'a mail has not come to its end')
    throw new Refusal(451, 'The mail has not come to its end')
  }
}

/** The chunks of a mail; the connection of one that goes on and on is cut. */
async function* upTo(
  stream: SMTPServerDataStream,
  most: number,
  cut: () => void,
  connection: AdmittedConnection | undefined,
): AsyncGenerator<Buffer> {
  let length = 0
  let counted = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > most) cut()
    if (length - counted >= progressBytes) {
      counted = length
      connection?.progress()
    }
    yield chunk
  }
}

/** The first bytes of a mail, all of which is consumed, and how many there are. */
async function beginningOf(stream: AsyncIterable<Buffer>): Promise<{ beginning: Buffer; length: number }> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    if (length < bytes.read) chunks.push(chunk.subarray(0, bytes.read - length))
    length += chunk.length
  }
  return { beginning: Buffer.concat(chunks), length }
}
