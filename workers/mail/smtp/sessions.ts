import type { Reply } from '#sql/email/delivery/attempts.ts'
import type { Peer, Route } from '#tasks/email/engine.ts'
import { BrokenTls } from './broken-tls.ts'
import { NoSessionError, Session, type SessionOptions } from './session.ts'

export class UnreachableError extends Error {
  override name = 'UnreachableError'
  readonly replies: readonly Reply[]
  readonly peer: Peer | undefined
  /** True if the required TLS was not available. */
  readonly lacksTls: boolean

  constructor(replies: readonly Reply[], peer: Peer | undefined, lacksTls: boolean) {
    super('No host of the MX set could be reached.')
    this.replies = replies
    this.peer = peer
    this.lacksTls = lacksTls
  }
}

/** Time in milliseconds that an idle session stays open. */
const idleMs = 30_000

/**
 * Maximum number of addresses to try, and maximum time in milliseconds. A host with many addresses must not hold a
 * connection for hours.
 */
const mostTried = 12
const triedForMs = 300_000

/**
 * Sessions to mail servers. Idle sessions stay open for the next connection from the same address to the same MX set.
 */
export class Sessions {
  readonly #idle = new Map<string, { session: Session; timer: NodeJS.Timeout }[]>()
  readonly #broken = new BrokenTls()

  /**
   * Returns an idle session, or opens one to the first host that responds, with the replies to earlier attempts. Throws
   * `UnreachableError`.
   */
  async open(
    route: Route,
    manner: SessionOptions,
    signal: AbortSignal,
  ): Promise<{ session: Session; kept: boolean; tried: readonly Reply[] }> {
    const kept = this.#take(keyOf(route, manner))
    if (kept) return { session: kept, kept: true, tried: [] }
    const tried: Tries = { replies: [], peer: undefined, lacksTls: false }
    for await (const peer of peersOf(route, tried.replies)) {
      signal.throwIfAborted()
      tried.peer = peer
      const session = await this.#openOne(peer, manner, tried, signal)
      if (session) return { session, kept: false, tried: tried.replies }
    }
    throw new UnreachableError(tried.replies, tried.peer, tried.lacksTls)
  }

  /**
   * Opens a session to one address. If TLS fails and is not required, opens it without TLS. Returns undefined if no
   * session can be opened.
   */
  async #openOne(peer: Peer, manner: SessionOptions, tried: Tries, signal: AbortSignal): Promise<Session | undefined> {
    const inClear = manner.tls === 'opportunistic' && this.#broken.has(peer.host)
    try {
      return await Session.open(peer, inClear ? { ...manner, tls: 'none' } : manner, signal)
    } catch (error) {
      if (!(error instanceof NoSessionError)) throw error
      tried.replies.push(...error.replies)
      // A server that does not offer STARTTLS or rejects it also lacks TLS.
      tried.lacksTls ||= error.isTlsFault || /STARTTLS/.test(error.message)
      if (!error.isTlsFault || inClear || manner.tls !== 'opportunistic') return undefined
      this.#broken.add(peer.host)
      return await this.#openOne(peer, manner, tried, signal)
    }
  }

  keep(session: Session, route: Route, manner: SessionOptions): void {
    if (!session.isOpen || session.awaitsDot || session.used >= route.preset.perConnection) {
      session.close()
      return
    }
    const key = keyOf(route, manner)
    const timer = setTimeout(() => {
      const left = this.#idle.get(key)?.filter((each) => each.session !== session) ?? []
      if (left.length > 0) this.#idle.set(key, left)
      else this.#idle.delete(key)
      session.close()
    }, idleMs)
    timer.unref()
    this.#idle.set(key, [...(this.#idle.get(key) ?? []), { session, timer }])
  }

  #take(key: string): Session | undefined {
    const list = this.#idle.get(key)
    while (list && list.length > 0) {
      const { session, timer } = list.pop() as { session: Session; timer: NodeJS.Timeout }
      clearTimeout(timer)
      if (list.length === 0) this.#idle.delete(key)
      if (session.isOpen) return session
      session.abort()
    }
    return undefined
  }

  close(): void {
    for (const list of this.#idle.values()) {
      for (const { session, timer } of list) {
        clearTimeout(timer)
        session.close()
      }
    }
    this.#idle.clear()
  }
}

const keyOf = ({ mxSet }: Route, { localAddress, tls }: SessionOptions) => `${localAddress} ${tls} ${mxSet}`

interface Tries {
  replies: Reply[]
  peer: Peer | undefined
  lacksTls: boolean
}

async function* peersOf({ hosts, port }: Route, replies: Reply[]): AsyncGenerator<Peer> {
  const begun = performance.now()
  let left = mostTried
  for (const { name, addresses } of hosts) {
    const found = await addresses().catch((error: Error) => {
      replies.push({ stage: 'dns', code: null, enhanced: null, text: `${name}: ${error.message}`, ms: 0 })
      return []
    })
    for (const address of found) {
      if (left-- <= 0 || performance.now() - begun > triedForMs) return
      yield { host: name, address, port }
    }
  }
}
