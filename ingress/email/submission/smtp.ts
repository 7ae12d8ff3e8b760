import {
  SMTPServer,
  type SMTPServerAuthentication,
  type SMTPServerDataStream,
  type SMTPServerSession,
} from 'smtp-server'
import { config } from '#lib/config.ts'
import { createFairSlots, NoSlotError, ShareUsedUpError } from '#lib/slots.ts'
import { ThreadLimitError, type ThreadPool } from '#lib/threads.ts'
import { type AdmittedConnection, createAdmission, type Limits } from '../inbound/admission.ts'
import { answer, tooLarge, upTo, whole } from '../inbound/receiving.ts'
import { RefusalError } from '../inbound/refusal.ts'
import { type Spooled, spool } from '../inbound/spool.ts'
import { messageBodyLimit } from '../messages/body.ts'
import type { Api } from './api.ts'
import type { Certificate } from './certificate.ts'
import type { ApiRequest, readMessage } from './read-message.ts'
import { createSignIns } from './sign-ins.ts'

/** As for `to`, `cc` and `bcc` of the API. */
const mostRecipients = 50

/** Milliseconds. */
const idleMs = 60_000

/** Limits of messages that are converted at the same time. All of a message is in memory then. */
const conversions = { slots: 4, slotsOfOne: 2, waiting: 100, waitingOfOne: 20 }

interface Ground {
  api: Api
  /** Returns the ID of the organisation of a key, which shares the threads. */
  findOwner(key: string): Promise<string>
  threads: ThreadPool<typeof readMessage>
  tls: Certificate
  /** True if TLS starts with the connection (port 465), false for STARTTLS (port 587). */
  isImplicit: boolean
  limits: Limits
}

/** Creates an SMTP server that accepts email of clients with an API key (RFC 6409, RFC 8314). */
export function createSubmission({ api, findOwner, threads, tls, isImplicit, limits }: Ground) {
  const admission = createAdmission(limits)
  const admitted = new Map<string, AdmittedConnection>()
  const keys = new Map<string, { key: string; owner: string }>()
  const signIns = createSignIns()
  const slots = createFairSlots(conversions)
  let taking = 0

  async function signIn({ password }: SMTPServerAuthentication, { id, remoteAddress: ip }: SMTPServerSession) {
    const notFailed = signIns.begin(ip)
    const key = password ?? ''
    try {
      await api.signIn({ key, ip })
      notFailed()
    } catch (error) {
      // Only wrong keys count, not temporary faults.
      if (!(error instanceof RefusalError && error.responseCode === 535)) notFailed()
      throw error
    }
    const owner = await findOwner(key)
    keys.set(id, { key, owner })
    return { user: owner }
  }

  async function data(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
    const { id, remoteAddress: ip } = session
    const signedIn = keys.get(id)
    if (!signedIn) throw new RefusalError(530, 'Authentication required')
    const { key, owner } = signedIn
    const connection = admitted.get(id)
    taking++
    let storing: ReturnType<AdmittedConnection['storing']> | undefined
    try {
      const chunks = upTo(stream, 2 * messageBodyLimit, () => cut(id), connection)
      await using content = await whole(spool(chunks, messageBodyLimit))
      if (!content) throw tooLarge(messageBodyLimit)
      storing = connection?.storing()
      using _ = await conversionSlot(owner)
      return `Accepted as ${await api.send({ key, ip }, await convert(content, session, owner))}`
    } finally {
      taking--
      storing?.done()
    }
  }

  async function conversionSlot(owner: string): Promise<Disposable> {
    try {
      return await slots.take(owner)
    } catch (error) {
      if (!(error instanceof NoSlotError || error instanceof ShareUsedUpError)) throw error
      throw new RefusalError(451, 'Too many messages are being accepted, try again later')
    }
  }

  async function convert(content: Spooled, { envelope }: SMTPServerSession, owner: string): Promise<ApiRequest> {
    const given = {
      bytes: await content.beginning(content.bytes),
      sender: envelope.mailFrom ? envelope.mailFrom.address : '',
      recipients: [...new Set(envelope.rcptTo.map(({ address }) => address))],
    }
    try {
      return await threads.run(given, undefined, owner)
    } catch (error) {
      if (!(error instanceof ThreadLimitError)) throw new RefusalError(554, 'The message is not a valid email')
      if (error.limit === 'waiting' || error.limit === 'share')
        throw new RefusalError(451, 'Too many messages are being accepted, try again later')
      throw new RefusalError(554, 'The message is too complex to read')
    }
  }

  const connectionOf = (id: string) => [...smtp.connections].find((connection) => connection.id === id)
  const cut = (id: string) => connectionOf(id)?.close()
  const turnAway = (id: string) => connectionOf(id)?.send(421, 'Idle for too long, try again later')

  const smtp: SMTPServer = new SMTPServer({
    name: config.MAIL_HOSTNAME,
    secure: isImplicit,
    ...tls,
    minVersion: 'TLSv1.2',
    authMethods: ['PLAIN', 'LOGIN'],
    size: messageBodyLimit,
    rejectOversized: true,
    maxRecipients: mostRecipients,
    socketTimeout: idleMs,
    closeTimeout: config.SHUTDOWN_GRACE_MS,
    disabledCommands: ['XCLIENT', 'XFORWARD', 'WIZ', 'SHELL', 'KILL', ...(isImplicit ? ['STARTTLS'] : [])],
    hideSMTPUTF8: true,
    disableReverseLookup: true,
    logger: false,
    onConnect: (session, done) =>
      answer(done, async () => {
        const connection = admission.open(session.remoteAddress, () => turnAway(session.id))
        admitted.set(session.id, connection)
      }),
    onAuth: (auth, session, done) =>
      answer<{ user: string }>(
        (error, response) => done(error, response),
        () => signIn(auth, session),
      ),
    onData: (stream, session, done) => answer(done, () => data(stream, session)),
    onClose({ id }) {
      admitted.get(id)?.close()
      admitted.delete(id)
      keys.delete(id)
    },
  })
  const sweep = setInterval(() => {
    admission.sweep()
    signIns.sweep()
  }, 5_000).unref()
  smtp.server.once('close', () => clearInterval(sweep))
  return { smtp, taking: () => taking }
}
