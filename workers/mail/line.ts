import type { Reply } from '#sql/email/attempts.ts'
import type { Letter } from './letter/letters.ts'
import type { Shared, Site } from './site.ts'
import type { Manner, Sent, Session } from './smtp/session.ts'

/** What an attempt has come to, and how. */
export interface Tried {
  sent: Sent
  replies: readonly Reply[]
  peer: Session['peer']
  tls: Session['tls']
}

/** Milliseconds that the reply to a final dot is waited for when the worker is to end. */
const lastReplyMs = 8_000

/** The line of one turn to an MX set: a session after another, as long as each is good. */
export class Line {
  readonly manner: Manner
  readonly #shared: Shared
  readonly #site: Site
  readonly #signal: AbortSignal
  #session: Session | undefined
  /** What was tried before the session was begun. */
  #tried: readonly Reply[] = []

  constructor(shared: Shared, site: Site, signal: AbortSignal) {
    const { tls, implicit, login } = site.route
    this.#shared = shared
    this.#site = site
    this.#signal = signal
    this.manner = { localAddress: site.address.address, name: site.address.name, tls, implicit, login }
  }

  /**
   * Sends a message; undefined when the turn was aborted before its final dot, so that it was not tried. Throws `Unreachable` when
   * no session is to be had. `begins` is awaited when there is one, before anything of the message is said.
   */
  async send(letter: Letter, begins: () => Promise<void>): Promise<Tried | undefined> {
    for (;;) {
      const { session, isUsed } = await this.#open()
      await begins()
      const release = this.#abortWith(session)
      const sent = await session.send(letter)
      release()
      const tried = this.#taken(session, sent)
      if (!(await this.#isGood(session, sent))) {
        session.abort()
        this.#session = undefined
      }
      if (sent.outcome !== 'broken') return tried
      if (this.#signal.aborted) return undefined
      // A session that the server had closed while it was idle: nothing was said of this message.
      if (tried.replies.length > 0 || !isUsed) return tried
    }
  }

  #taken(session: Session, sent: Sent): Tried {
    const replies = [...this.#tried, ...session.replies]
    this.#tried = []
    return { sent, replies, peer: session.peer, tls: session.tls }
  }

  async #isGood(session: Session, { outcome }: Sent): Promise<boolean> {
    if (outcome === 'refused') return await session.reset()
    return outcome === 'accepted'
  }

  async #open(): Promise<{ session: Session; isUsed: boolean }> {
    const { route } = this.#site
    if (this.#session?.isOpen && this.#session.used < route.preset.perConnection) {
      return { session: this.#session, isUsed: true }
    }
    this.#session?.close()
    this.#session = undefined
    const { session, kept, tried } = await this.#shared.sessions.open(route, this.manner, this.#signal)
    this.#session = session
    this.#tried = tried
    return { session, isUsed: kept }
  }

  /** Ends a session when the turn is to end: at once before the final dot, and a while after it, as the message may be taken by then. */
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

  /** Keeps the session for the next turn. */
  end(): void {
    if (!this.#session) return
    if (this.#signal.aborted) this.#session.close()
    else this.#shared.sessions.keep(this.#session, this.#site.route, this.manner)
  }
}
