import type { Reply } from '#sql/email/delivery/attempts.ts'
import type { Letter, MailConnection, Route, SendResult } from '#tasks/email/engine.ts'
import type { LocalAddress } from '#tasks/email/rules/ip-addresses.ts'
import type { Session, SessionOptions, SessionResult } from './smtp/session.ts'
import { type Sessions, UnreachableError } from './smtp/sessions.ts'

/** Timeout in milliseconds for the reply to a final dot when the worker shuts down. */
const lastReplyMs = 8_000

/** Connection to the servers of an MX set. It uses one session after another. */
export class MxConnection implements MailConnection {
  readonly #sessions: Sessions
  readonly #route: Route
  readonly #manner: SessionOptions
  readonly #signal: AbortSignal
  #session: Session | undefined
  /** Replies to attempts before the session was opened. */
  #before: readonly Reply[] = []

  constructor(sessions: Sessions, route: Route, { address, name }: LocalAddress, signal: AbortSignal) {
    const { tls, implicit, login, isLocal } = route
    this.#sessions = sessions
    this.#route = route
    this.#signal = signal
    this.#manner = { localAddress: isLocal ? '' : address, name, tls, implicit, login }
  }

  async send(letter: Letter, mayLeave: () => Promise<boolean>): Promise<SendResult | undefined> {
    try {
      return await this.#send(letter, mayLeave)
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error
      if (this.#signal.aborted) return undefined
      const { replies, peer, lacksTls } = error
      return { outcome: 'unreachable', replies, peer, lacksTls }
    }
  }

  async #send(letter: Letter, mayLeave: () => Promise<boolean>): Promise<SendResult | undefined> {
    for (;;) {
      const { session, isUsed } = await this.#open()
      if (!(await mayLeave())) return undefined
      const release = this.#abortWith(session)
      const sent = await session.send(letter)
      release()
      const result = this.#resultOf(session, sent)
      if (!(await this.#isGood(session, sent))) {
        session.abort()
        this.#session = undefined
      }
      if (sent.outcome !== 'broken') return result
      if (this.#signal.aborted) return undefined
      // The server had already closed the idle session, so the message was not sent.
      if (result.replies.length > 0 || !isUsed) return result
    }
  }

  #resultOf(session: Session, sent: SessionResult): SendResult {
    const replies = [...this.#before, ...session.replies]
    this.#before = []
    return { ...sent, replies, peer: session.peer, tls: session.tls }
  }

  async #isGood(session: Session, { outcome }: SessionResult): Promise<boolean> {
    if (outcome === 'refused') return await session.reset()
    return outcome === 'accepted'
  }

  async #open(): Promise<{ session: Session; isUsed: boolean }> {
    if (this.#session?.isOpen && this.#session.used < this.#route.preset.perConnection) {
      return { session: this.#session, isUsed: true }
    }
    this.#session?.close()
    this.#session = undefined
    const { session, kept, tried } = await this.#sessions.open(this.#route, this.#manner, this.#signal)
    this.#session = session
    this.#before = tried
    return { session, isUsed: kept }
  }

  /**
   * Aborts a session. Before the final dot, this happens immediately. After it, there is a delay, because the message
   * may have been accepted.
   */
  #abortWith(session: Session): () => void {
    let timer: NodeJS.Timeout | undefined
    const abort = () => {
      if (session.awaitsDot) timer = setTimeout(() => session.abort(), lastReplyMs)
      else session.abort()
    }
    this.#signal.addEventListener('abort', abort, { once: true })
    return () => {
      clearTimeout(timer)
      this.#signal.removeEventListener('abort', abort)
    }
  }

  end(): void {
    if (!this.#session) return
    if (this.#signal.aborted) this.#session.close()
    else this.#sessions.keep(this.#session, this.#route, this.#manner)
  }
}
