import { setTimeout as pause } from 'node:timers/promises'
import { config } from '#lib/config.ts'
import { describe } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import { log } from '#lib/log.ts'
import { type DatabasePool, isDisconnected } from '#sql/db.ts'
import type { Reply } from '#sql/email/attempts.ts'
import * as claims from '#sql/email/claims.ts'
import { slow, suspendToday } from '#sql/email/mx-sets.ts'
import { insertAttempts } from '#sql/email/settle.ts'
import { ageOf, takeOfToday } from '#sql/email/warm-up.ts'
import { type LocalAddress, localAddresses } from '#tasks/email/ip-addresses.ts'
import { wakeHelper } from '#tasks/email/wake-delivery.ts'
import { stopped } from './admission.ts'
import type { Shared } from './engine.ts'
import { type Letter, Unsignable } from './letter/letters.ts'
import { recoveryMs } from './limits/pace.ts'
import { accepted, expired, refused, type Verdict } from './outcomes/verdict.ts'
import { type ClassName, classOf } from './replies/classes.ts'
import { classify, type Refusal } from './replies/classify.ts'
import type { Route } from './routes/route.ts'
import type { Manner, Session } from './smtp/session.ts'
import { Unreachable } from './smtp/sessions.ts'

/** What a turn serves, and how. */
export interface Site {
  /** The connection's. */
  id: string
  domain: string
  route: Route
  address: LocalAddress
  /** Milliseconds between two messages. */
  interval: number
  /** Whether one more connection may be open. */
  mayGrow: boolean
}

/** Messages taken at once: what a crash leaves behind of them may have arrived or not. */
const batchSize = { transactional: 10, campaign: 20 } as const

/** Milliseconds after which a turn ends, and when others wait for one. */
const turnMs = 30_000
const briefTurnMs = 2_000

/** Milliseconds that the reply to a final dot is waited for when the worker is to end. */
const lastReplyMs = 8_000

/** A message beyond its time by so much was never tried, or not for long: it is not sent after all. */
const stale = -60_000

/** One turn over one connection. */
export class Serving {
  readonly #shared: Shared
  readonly #db: DatabasePool
  readonly #site: Site
  readonly #signal: AbortSignal
  readonly #manner: Manner
  readonly #unsent = new Set<string>()
  #session: Session | undefined
  #kept = false
  /** What was tried before the session was begun. */
  #tried: readonly Reply[] = []
  /** The MX set was slowed: no more is sent in this turn. */
  #over = false

  constructor(shared: Shared, db: DatabasePool, site: Site, signal: AbortSignal) {
    const { tls, implicit, login } = site.route
    this.#shared = shared
    this.#db = db
    this.#site = site
    this.#signal = signal
    this.#manner = { localAddress: site.address.address, name: site.address.name, tls, implicit, login }
  }

  /** Delivers until nothing is due, or the turn is over. */
  async work(): Promise<void> {
    const begun = performance.now()
    const isOver = () => {
      const { active, concurrency } = this.#shared
      return this.#over || this.#signal.aborted || performance.now() - begun > (active >= concurrency ? briefTurnMs : turnMs)
    }
    let { mayGrow } = this.#site
    while (!isOver()) {
      const batch = await this.#claim()
      if (batch.length === 0) break
      if (mayGrow && batch.length === batchSize[this.#shared.pool]) {
        mayGrow = false
        await wakeHelper(this.#db, this.#shared.pool, this.#site.domain, this.#site.route.mxSet)
      }
      await this.#deliver(batch, isOver)
      if (this.#unsent.size > 0) break
    }
  }

  /** Keeps the session for the next turn; returns what was taken and not tried. */
  end(): string[] {
    const session = this.#session
    if (session && this.#signal.aborted) session.close()
    else if (session) this.#shared.sessions.keep(session, this.#site.route, this.#manner)
    return [...this.#unsent]
  }

  async #claim(): Promise<readonly claims.Claimed[]> {
    const { pool } = this.#shared
    const { id: connection, domain, route, address } = this.#site
    const batch = await claims.claim(this.#db, {
      connection,
      pool,
      mxSet: route.mxSet,
      domain,
      address: address.address,
      addresses: localAddresses(pool).map((each) => each.address),
      limit: batchSize[pool],
    })
    for (const { id } of batch) this.#unsent.add(id)
    await this.#noteLost(batch.filter(({ lost }) => lost))
    return await this.#withinWarmUp(batch)
  }

  /** Records of messages that a worker had when it went that they may have arrived. */
  async #noteLost(lost: readonly claims.Claimed[]): Promise<void> {
    const at = new Date().toISOString()
    await insertAttempts(
      this.#db,
      lost.map(({ id, org_id, attempts }) => ({
        id: newId(),
        org_id,
        message_id: id,
        number: attempts,
        outcome: 'unknown' as const,
        reply_class: null,
        mx_host: null,
        mx_address: null,
        pool: this.#shared.pool,
        local_address: this.#site.address.address || null,
        tls: null,
        replies: [{ stage: 'worker', code: null, enhanced: null, text: 'the worker went while it had the message', ms: 0 }],
        started_at: at,
        ended_at: at,
      })),
    )
  }

  /** As much of a batch as may leave from a new address today. */
  async #withinWarmUp(batch: readonly claims.Claimed[]): Promise<readonly claims.Claimed[]> {
    const { address } = this.#site.address
    if (config.MAIL_WARMUP.length === 0 || address === '' || batch.length === 0) return batch
    const age = await ageOf(this.#db, address)
    const cap = config.MAIL_WARMUP.findLast(([day]) => day <= age)?.[1] ?? 0
    if (cap === 0) return batch
    const got = await takeOfToday(this.#db, address, batch.length, cap)
    if (got < batch.length) {
      this.#over = true
      await suspendToday(this.#db, this.#names(), `${cap} messages a day leave from a new address (MAIL_WARMUP)`)
    }
    return batch.slice(0, got)
  }

  async #deliver(batch: readonly claims.Claimed[], isOver: () => boolean): Promise<void> {
    const halted = await stopped(this.#db, batch)
    await this.#shared.letters.load(this.#db, batch.filter(({ id }) => !halted.has(id)))
    let next = this.#prepare(batch[0], halted)
    for (const [i, message] of batch.entries()) {
      const letter = await next
      next = this.#prepare(batch[i + 1], halted)
      const halt = halted.get(message.id) ?? (message.left_ms < stale ? expired(message) : undefined)
      if (halt) await this.#write(message, halt, [], undefined, { untried: true })
      else if (letter instanceof Error) await this.#write(message, unsignable(message, letter), [], undefined)
      else {
        // The first one of a batch is sent in any case: with many turns at once none would get anything done.
        if (i > 0 && isOver()) break
        await this.#send(message, letter as Letter)
        if (this.#site.interval > 0) await pause(this.#site.interval, undefined, { signal: this.#signal }).catch(() => {})
      }
    }
    await next
  }

  /** The letter of a message; undefined when it is not to be sent, an error when it can't be. */
  async #prepare(message: claims.Claimed | undefined, halted: ReadonlyMap<string, Verdict>): Promise<Letter | Error | undefined> {
    if (!message || halted.has(message.id)) return undefined
    try {
      return await this.#shared.letters.write(this.#db, message)
    } catch (error) {
      return error as Error
    }
  }

  async #send(message: claims.Claimed, letter: Letter): Promise<void> {
    if (this.#signal.aborted) return
    const startedAt = new Date()
    let session: Session
    try {
      session = await this.#open()
    } catch (error) {
      if (this.#signal.aborted) return
      if (!(error instanceof Unreachable)) throw error
      return await this.#giveWay(message, error, startedAt)
    }
    const release = this.#abortWith(session)
    const sent = await session.send(letter)
    release()
    const replies = [...this.#tried, ...session.replies]
    this.#tried = []
    const facts = { startedAt, peer: session.peer, tls: session.tls }
    if (sent.outcome === 'accepted') {
      return await this.#write(message, accepted(message, this.#site.route.isSmarthost, sent.reply), replies, facts)
    }
    if (sent.outcome === 'broken') {
      session.abort()
      this.#session = undefined
      // The server had closed a session that was idle: nothing was said of this message.
      if (this.#signal.aborted) return
      if (replies.length === 0 && this.#kept) return await this.#send(message, letter)
    } else if (sent.outcome === 'unknown' || !(await session.reset())) {
      session.abort()
      this.#session = undefined
    }
    const replyClass = sent.outcome === 'unknown' ? 'unanswered' : classify(sent.reply)
    await this.#refuse(message, replyClass, sent.reply, replies, facts)
  }

  async #open(): Promise<Session> {
    if (this.#session?.isOpen && this.#session.used < this.#site.route.preset.perConnection) {
      this.#kept = true
      return this.#session
    }
    this.#session?.close()
    this.#session = undefined
    const { session, kept, tried } = await this.#shared.sessions.open(this.#site.route, this.#manner, this.#signal)
    this.#tried = tried
    this.#session = session
    this.#kept = kept
    return session
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

  /** Defers a message as no host could be spoken to, and leaves the others as they are. */
  async #giveWay(message: claims.Claimed, { replies, peer, lacksTls }: Unreachable, startedAt: Date): Promise<void> {
    const last: Refusal = replies.findLast(({ code }) => code !== null && code >= 400) ??
      replies.at(-1) ?? { stage: 'connect', code: null, enhanced: null, text: 'none of its hosts has an address that can be reached' }
    const demanded = this.#manner.tls === 'verified' && lacksTls
    const otherwise = replies.length > 0 && replies.every(({ stage }) => stage === 'dns') ? 'dns' : 'unreachable'
    const spoken = last.code === null ? otherwise : classify(last)
    await this.#refuse(message, demanded ? 'mta_sts' : spoken, last, replies, { startedAt, peer, tls: null })
    this.#over = true
  }

  async #refuse(
    message: claims.Claimed,
    replyClass: ClassName,
    refusal: Refusal,
    replies: readonly Reply[],
    facts: Facts,
  ): Promise<void> {
    const { slow: slowing, elsewhere } = classOf(replyClass)
    const verdict = refused(message, replyClass, refusal)
    const next = elsewhere ? this.#nextAddress() : this.#site.address.address
    await this.#write(message, verdict, replies, facts, { next })
    if (!slowing) return
    this.#over = true
    const { connections } = this.#site.route.preset
    await slow(this.#db, this.#names(), {
      suspend: slowing.suspendMs,
      recovery: recoveryMs,
      // One connection is enough to see that a host is back.
      highest: replyClass === 'unreachable' || replyClass === 'tls' ? Math.ceil(Math.log2(connections)) : 16,
      reason: verdict.outcome.reason ?? replyClass,
    })
  }

  async #write(
    message: claims.Claimed,
    verdict: Verdict,
    replies: readonly Reply[],
    facts: Facts | undefined,
    { next = this.#site.address.address as string | null, untried = false } = {},
  ): Promise<void> {
    const { peer, tls, startedAt } = facts ?? { startedAt: new Date(), peer: undefined, tls: null }
    this.#unsent.delete(message.id)
    // Before the next one goes out: a crash would send again all that were not written.
    await this.#shared.writer.write({
      message,
      connection: this.#site.id,
      verdict,
      untried,
      pool: this.#shared.pool,
      localAddress: this.#site.address.address,
      next,
      peer,
      tls,
      replies,
      startedAt,
    })
  }

  /** The address after this one in the pool. */
  #nextAddress(): string {
    const all = localAddresses(this.#shared.pool)
    const at = all.findIndex(({ address }) => address === this.#site.address.address)
    return (all[(at + 1) % all.length] as LocalAddress).address
  }

  #names = () => ({
    pool: this.#shared.pool,
    local_address: this.#site.address.address,
    mx_set: this.#site.route.mxSet,
  })
}

interface Facts {
  startedAt: Date
  peer: Session['peer'] | undefined
  tls: Session['tls']
}

/** What comes of a message of which no letter can be made: it must not hold up those behind it for ever. */
function unsignable(message: claims.Claimed, error: Error): Verdict {
  if (isDisconnected(error)) throw error
  if (!(error instanceof Unsignable)) log.error({ err: describe(error), message_id: message.id }, 'a letter failed')
  return refused(message, 'unsignable', { stage: 'sign', code: null, enhanced: null, text: error.message })
}
