import { connect as connectTcp, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { toStorableText } from '#lib/outside-text.ts'
import type { Attempt, Reply } from '#sql/email/delivery/attempts.ts'
import type { Letter, Peer, TlsDemand } from '#tasks/email/engine.ts'
import { findDecidingReply } from '#tasks/email/rules/replies/deciding-reply.ts'
import { Dialogue } from './dialogue.ts'

export interface SessionOptions {
  localAddress: string
  /** EHLO. */
  name: string
  tls: TlsDemand
  /** True for TLS from the first byte (RFC 8314). */
  implicit?: boolean
  login?: { user: string; pass: string } | undefined
}

export interface SessionResult {
  /** `unknown`: the final dot was sent, but no reply was received. */
  outcome: 'accepted' | 'refused' | 'unknown' | 'broken'
  /** Reply of the server. For a broken connection, contains the error. */
  reply: Pick<Reply, 'stage' | 'code' | 'enhanced' | 'text'>
}

export class NoSessionError extends Error {
  override name = 'NoSessionError'
  readonly replies: readonly Reply[]
  /** True if the TLS handshake failed, so a session without TLS may work. */
  readonly isTlsFault: boolean

  constructor(replies: readonly Reply[], isTlsFault: boolean, cause: Error) {
    super(cause.message, { cause })
    this.replies = replies
    this.isTlsFault = isTlsFault
  }
}

/**
 * RFC 5321 §4.5.3.2 in milliseconds. The reply to the final dot can take ten minutes. Giving up earlier sends
 * duplicates.
 */
const timeouts = { connect: 30_000, greeting: 300_000, reply: 600_000 }

export class Session {
  readonly peer: Peer
  readonly #connection: SMTPConnection
  readonly #dialogue: Dialogue
  used = 0
  /** True until the first message, which also returns the replies from opening the session. */
  #first = true

  private constructor(peer: Peer, connection: SMTPConnection, dialogue: Dialogue) {
    this.peer = peer
    this.#connection = connection
    this.#dialogue = dialogue
  }

  /** Connects, sends the greeting, and starts TLS as required. Throws `NoSessionError`. */
  static async open(peer: Peer, manner: SessionOptions, signal: AbortSignal): Promise<Session> {
    const dialogue = new Dialogue()
    const socket = await connect(peer, manner.localAddress, signal).catch((error: Error) => {
      dialogue.note('connect', `${peer.address}:${peer.port}: ${codeOf(error)}`)
      throw new NoSessionError(dialogue.replies, false, error)
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
      // Any error between the `220` reply to STARTTLS and the next greeting belongs to the handshake.
      const isTlsFault = (last?.stage === 'STARTTLS' && last.code === 220) || (manner.implicit === true && !last)
      if (isTlsFault) dialogue.note('STARTTLS', codeOf(error as Error))
      else if (last === undefined || last.code === null || last.code < 400)
        dialogue.note('connect', codeOf(error as Error))
      throw new NoSessionError(dialogue.replies, isTlsFault, error as Error)
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  async #begin({ login }: SessionOptions): Promise<void> {
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

  get isOpen(): boolean {
    return !this.#connection.destroyed && !this.#socket?.destroyed && (this.#socket?.writable ?? false)
  }

  get awaitsDot(): boolean {
    return this.#dialogue.awaitsDot
  }

  get #socket(): Socket | undefined {
    return this.#connection._socket || undefined
  }

  /** Null for a session without TLS. */
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

  /** Replies to the current message. The first message also has the replies from opening the session. */
  get replies(): readonly Reply[] {
    return this.#dialogue.replies
  }

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
    const decision = findDecidingReply(replies)
    if (decision?.code && decision.code >= 400) return { outcome: 'refused', reply: decision }
    return { outcome: 'broken', reply: unanswered(last?.stage ?? 'MAIL', error) }
  }

  /** Records a reply for a message above the announced SIZE (RFC 1870 §6.1). */
  #noteTooLarge({ bytes }: Letter, { message }: Error): SessionResult['reply'] {
    const most = message.split(' ').at(-1)
    const text = `The receiving server accepts messages of up to ${most} bytes (SIZE). This message has ${bytes.length}.`
    this.#dialogue.note('MAIL', text)
    return { stage: 'MAIL', code: 552, enhanced: '5.3.4', text }
  }

  /** Resets the transaction of a rejected message (RFC 5321 §4.1.1.5). Returns false if the session has ended. */
  async reset(): Promise<boolean> {
    if (!this.isOpen) return false
    return await new Promise<boolean>((resolve) => {
      this.#connection.once('end', () => resolve(false))
      this.#connection.reset((error) => resolve(!error))
    })
  }

  close(): void {
    if (this.isOpen && !this.awaitsDot) this.#connection.quit()
    else this.#connection.close()
  }

  abort(): void {
    this.#connection.close()
  }
}

/** True if the message exceeds the announced SIZE. In this case, nodemailer sends nothing. */
const isTooLarge = (error: Error | null): error is Error => (error as { code?: string } | null)?.code === 'EMESSAGE'

const unanswered = (stage: string, error: Error | null) => ({
  stage,
  code: null,
  enhanced: null,
  text: codeOf(error ?? new Error('the connection was closed')),
})

function codeOf(error: Error): string {
  const { originalCode, code } = error as { originalCode?: string; code?: string }
  return toStorableText(`${originalCode ?? code ?? error.name}: ${error.message}`, 200)
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
