import { connect as connectTcp, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { outsideText } from '#lib/outside-text.ts'
import type { Attempt, Reply } from '#sql/email/attempts.ts'
import type { Letter, Peer, TlsDemand } from '#tasks/email/engine.ts'
import { decidingReply } from '#tasks/email/rules/deciding-reply.ts'
import { Dialogue } from './dialogue.ts'

/** How a session is begun. */
export interface Manner {
  /** Empty for the system's choice. */
  localAddress: string
  /** EHLO. */
  name: string
  tls: TlsDemand
  /** TLS from the first byte (RFC 8314). */
  implicit?: boolean
  login?: { user: string; pass: string } | undefined
}

/** What became of one message. */
export interface SessionResult {
  /** `unknown`: the dot was sent, and no reply came. */
  outcome: 'accepted' | 'refused' | 'unknown' | 'broken'
  /** The reply that decided it; of a broken connection the error. */
  reply: Pick<Reply, 'stage' | 'code' | 'enhanced' | 'text'>
}

/** A session could not be begun. */
export class NoSession extends Error {
  override name = 'NoSession'
  readonly replies: readonly Reply[]
  /** The handshake failed, so that a session in the clear may be had. */
  readonly isTlsFault: boolean

  constructor(replies: readonly Reply[], isTlsFault: boolean, cause: Error) {
    super(cause.message, { cause })
    this.replies = replies
    this.isTlsFault = isTlsFault
  }
}

/** RFC 5321 §4.5.3.2 in milliseconds. The reply to the final dot may take ten minutes: who gives up sooner sends twice. */
const timeouts = { connect: 30_000, greeting: 300_000, reply: 600_000 }

/** One SMTP session, in which many messages go out one after the other. */
export class Session {
  readonly peer: Peer
  readonly #connection: SMTPConnection
  readonly #dialogue: Dialogue
  /** Messages that went out in it. */
  used = 0
  /** Replies to no message: those of the beginning, until the first message takes them. */
  #first = true

  private constructor(peer: Peer, connection: SMTPConnection, dialogue: Dialogue) {
    this.peer = peer
    this.#connection = connection
    this.#dialogue = dialogue
  }

  /** Connects, greets, and begins TLS as demanded; throws `NoSession`. */
  static async open(peer: Peer, manner: Manner, signal: AbortSignal): Promise<Session> {
    const dialogue = new Dialogue()
    const socket = await connect(peer, manner.localAddress, signal).catch((error: Error) => {
      dialogue.note('connect', `${peer.address}:${peer.port}: ${codeOf(error)}`)
      throw new NoSession(dialogue.replies, false, error)
    })
    const connection = new SMTPConnection({
      connection: socket,
      host: peer.host,
      port: peer.port,
      name: manner.name,
      secure: manner.implicit ?? false,
      ignoreTLS: manner.tls === 'none',
      requireTLS: manner.tls === 'required' || manner.tls === 'verified',
      opportunisticTLS: manner.tls === 'opportunistic',
      tls: { minVersion: 'TLSv1.2', rejectUnauthorized: manner.tls === 'verified' },
      connectionTimeout: timeouts.greeting,
      greetingTimeout: timeouts.greeting,
      socketTimeout: timeouts.reply,
      transactionLog: true,
      logger: dialogue.logger as never,
      maxResponseSize: 65_536,
    })
    const session = new Session(peer, connection, dialogue)
    const abort = () => connection.close()
    signal.addEventListener('abort', abort, { once: true })
    try {
      await session.#begin(manner)
      return session
    } catch (error) {
      connection.close()
      const last = dialogue.replies.at(-1)
      // Whatever goes wrong between the go-ahead and the next greeting is the handshake's.
      const isTlsFault = (last?.stage === 'STARTTLS' && last.code === 220) || (manner.implicit === true && !last)
      if (isTlsFault) dialogue.note('STARTTLS', codeOf(error as Error))
      else if (last === undefined || last.code === null || last.code < 400)
        dialogue.note('connect', codeOf(error as Error))
      throw new NoSession(dialogue.replies, isTlsFault, error as Error)
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  async #begin({ login }: Manner): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#connection.once('error', reject)
      this.#connection.once('end', () => reject(new Error('the connection was closed')))
      this.#connection.connect((error) => (error ? reject(error) : resolve()))
    })
    this.#connection.on('error', () => {})
    if (!login) return
    await new Promise<void>((resolve, reject) => {
      this.#connection.login({ credentials: login }, (error) => (error ? reject(error) : resolve()))
    })
  }

  /** Whether it is still there. */
  get isOpen(): boolean {
    return !this.#connection.destroyed && !this.#socket?.destroyed && (this.#socket?.writable ?? false)
  }

  /** Whether the dot of a message is sent and not answered. */
  get awaitsDot(): boolean {
    return this.#dialogue.awaitsDot
  }

  get #socket(): Socket | undefined {
    return this.#connection._socket || undefined
  }

  /** What TLS protects it; null in the clear. */
  get tls(): Attempt['tls'] {
    const socket = this.#socket as TLSSocket | undefined
    if (!socket || !('getProtocol' in socket)) return null
    const cipher = socket.getCipher()
    return {
      version: socket.getProtocol() ?? 'unknown',
      cipher: cipher?.standardName ?? 'unknown',
      verified: socket.authorized,
    }
  }

  /** Takes the replies of the attempt; of a session's first one those of its beginning, too. */
  get replies(): readonly Reply[] {
    return this.#dialogue.replies
  }

  /** Sends a message to its one recipient. */
  async send(letter: Letter): Promise<SessionResult> {
    if (!this.#first) this.#dialogue.restart()
    this.#first = false
    this.used++
    const before = this.#dialogue.replies.length
    const envelope = {
      from: letter.from,
      to: [letter.to],
      size: letter.bytes.length,
      use8BitMime: letter.is8Bit,
      dsn: { ret: 'HDRS', envid: letter.envelopeId, notify: 'FAILURE', orcpt: `rfc822;${letter.to}` },
    }
    const error = await new Promise<Error | null>((resolve) => {
      this.#connection.send(envelope as never, letter.bytes, (failure) => resolve(failure ?? null))
    })
    const replies = this.#dialogue.replies.slice(before)
    const last = replies.at(-1)
    if (!last && isTooLarge(error)) return { outcome: 'refused', reply: this.#noteTooLarge(letter, error) }
    if (!error && last) return { outcome: 'accepted', reply: last }
    if (this.awaitsDot) return { outcome: 'unknown', reply: unanswered('DOT', error) }
    const decision = decidingReply(replies)
    if (decision?.code && decision.code >= 400) return { outcome: 'refused', reply: decision }
    return { outcome: 'broken', reply: unanswered(last?.stage ?? 'MAIL', error) }
  }

  /** What counts as the reply for a message that the server has announced never to accept (RFC 1870 §6.1). */
  #noteTooLarge({ bytes }: Letter, { message }: Error): SessionResult['reply'] {
    const most = message.split(' ').at(-1)
    const text = `The receiving server accepts messages of up to ${most} bytes (SIZE). This message has ${bytes.length}.`
    this.#dialogue.note('MAIL', text)
    return { stage: 'MAIL', code: 552, enhanced: '5.3.4', text }
  }

  /** Forgets the transaction of a message that was refused (RFC 5321 §4.1.1.5); false when the session is over. */
  async reset(): Promise<boolean> {
    if (!this.isOpen) return false
    return await new Promise<boolean>((resolve) => {
      this.#connection.once('end', () => resolve(false))
      this.#connection.reset((error) => resolve(!error))
    })
  }

  /** Ends it, politely when it is idle. */
  close(): void {
    if (this.isOpen && !this.awaitsDot) this.#connection.quit()
    else this.#connection.close()
  }

  /** Ends it at once. */
  abort(): void {
    this.#connection.close()
  }
}

/** nodemailer sends nothing of a message that is above the SIZE of the server's EHLO reply. */
const isTooLarge = (error: Error | null): error is Error => (error as { code?: string } | null)?.code === 'EMESSAGE'

const unanswered = (stage: string, error: Error | null) => ({
  stage,
  code: null,
  enhanced: null,
  text: codeOf(error ?? new Error('the connection was closed')),
})

function codeOf(error: Error): string {
  const { originalCode, code } = error as { originalCode?: string; code?: string }
  return outsideText(`${originalCode ?? code ?? error.name}: ${error.message}`, 200)
}

function connect({ address, port }: Peer, localAddress: string, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connectTcp({ host: address, port, ...(localAddress && { localAddress }), noDelay: true })
    const fail = (error: Error) => {
      socket.destroy()
      reject(error)
    }
    const late = setTimeout(
      () => fail(new Error(`no connection within ${timeouts.connect / 1_000} s`)),
      timeouts.connect,
    )
    const abort = () => fail(signal.reason as Error)
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    const settled = () => {
      clearTimeout(late)
      signal.removeEventListener('abort', abort)
      socket.removeListener('error', fail)
    }
    socket.once('error', (error) => {
      settled()
      fail(error)
    })
    socket.once('connect', () => {
      settled()
      resolve(socket)
    })
  })
}
