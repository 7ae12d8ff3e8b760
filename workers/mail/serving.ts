import { setTimeout as pause } from 'node:timers/promises'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { type DatabasePool, isDisconnected } from '#sql/db.ts'
import type { Reply } from '#sql/email/attempts.ts'
import { type Claimed, enterStage } from '#sql/email/claims.ts'
import { slow } from '#sql/email/mx-sets.ts'
import { type ClassName, classOf } from '#tasks/email/rules/classes.ts'
import { classify, type Refusal } from '#tasks/email/rules/classify.ts'
import { localAddresses } from '#tasks/email/rules/ip-addresses.ts'
import { wakeHelper } from '#tasks/email/rules/wake-delivery.ts'
import { batchSize, takeBatch } from './batch.ts'
import { Unmade } from './letter/body-maker.ts'
import { type Letter, Unsignable } from './letter/letters.ts'
import { recoveryMs } from './limits/pace.ts'
import { Line, type Tried } from './line.ts'
import { accepted, expired, refused, unmade, type Verdict } from './outcomes/verdict.ts'
import { type Shared, type Site, siteOf } from './site.ts'
import { Unreachable } from './smtp/sessions.ts'

/** Milliseconds after which a turn ends, and when others wait for one. */
const turnMs = 30_000
const briefTurnMs = 2_000

/** A message beyond its time by so many milliseconds was not tried for long, or never: it is not sent after all. */
const staleMs = 60_000

/** What is known of an attempt beside its replies. */
interface Facts {
  startedAt?: Date
  peer?: Tried['peer'] | undefined
  tls?: Tried['tls']
  /** Where the next one leaves from. */
  next?: string
  /** None was made. */
  untried?: boolean
}

/** One turn over one connection. */
export class Serving {
  readonly #shared: Shared
  readonly #db: DatabasePool
  readonly #site: Site
  readonly #signal: AbortSignal
  readonly #line: Line
  readonly #unsent = new Set<string>()
  readonly #begun = performance.now()
  /** No more is sent in this turn: the MX set was slowed. */
  #isHalted = false

  constructor(shared: Shared, db: DatabasePool, site: Site, signal: AbortSignal) {
    this.#shared = shared
    this.#db = db
    this.#site = site
    this.#signal = signal
    this.#line = new Line(shared, site, signal)
  }

  get #isOver(): boolean {
    const { active, concurrency } = this.#shared
    const most = active >= concurrency ? briefTurnMs : turnMs
    return this.#isHalted || this.#signal.aborted || performance.now() - this.#begun > most
  }

  /** Delivers until nothing is due, or the turn is over. */
  async work(): Promise<void> {
    const { pool } = this.#shared
    let { mayGrow } = this.#site
    while (!this.#isOver) {
      const { taken, messages } = await takeBatch(this.#shared, this.#db, this.#site)
      for (const { id } of taken) this.#unsent.add(id)
      if (mayGrow && taken.length === batchSize[pool]) {
        mayGrow = false
        await wakeHelper(this.#db, pool, this.#site.domain, this.#site.route.mxSet)
      }
      await this.#deliver(messages)
      if (taken.length === 0 || this.#unsent.size > 0) return
    }
  }

  /** Keeps the session for the next turn; returns what was taken and not tried. */
  end(): string[] {
    this.#line.end()
    return [...this.#unsent]
  }

  async #deliver(batch: readonly Claimed[]): Promise<void> {
    if (batch.length === 0) return
    const halted = await this.#shared.admission.stopped(batch)
    // After a worker went, one by one: if this one goes, too, it is known over which.
    const isAhead = batch.every(({ losses }) => losses === 0)
    if (isAhead) {
      await this.#shared.letters.load(
        this.#db,
        batch.filter(({ id }) => !halted.has(id)),
      )
    }
    let next = this.#prepare(batch[0], halted)
    for (const [i, message] of batch.entries()) {
      const letter = await next
      // The first one of a batch is sent in any case: with many turns at once none would get anything done.
      if (this.#signal.aborted || (i > 0 && this.#isOver)) break
      if (isAhead) next = this.#prepare(batch[i + 1], halted)
      await this.#deliverOne(message, halted.get(message.id) ?? letter)
      if (!isAhead) next = this.#prepare(batch[i + 1], halted)
    }
    await next
  }

  async #deliverOne(message: Claimed, letter: Letter | Verdict | Error | undefined): Promise<void> {
    if (message.left_ms < -staleMs) return await this.#write(message, expired(message), [], { untried: true })
    if (letter instanceof Error) return await this.#write(message, unsignable(message, letter), [], {})
    if (letter && 'outcome' in letter) return await this.#write(message, letter, [], { untried: true })
    await this.#send(message, letter as Letter)
    const { interval } = this.#site
    if (interval > 0) await pause(interval, undefined, { signal: this.#signal }).catch(() => {})
  }

  /** The letter of a message, or why there is none; undefined for one that is not to be sent. */
  async #prepare(
    message: Claimed | undefined,
    halted: ReadonlyMap<string, Verdict>,
  ): Promise<Letter | Error | undefined> {
    if (!message || halted.has(message.id)) return undefined
    try {
      await this.#enter(message, 'making')
      const letter = await this.#shared.letters.write(this.#db, message, this.#signal)
      await this.#enter(message, null)
      return letter
    } catch (error) {
      return error as Error
    }
  }

  /** What is done with a message over which a worker went is on record. */
  async #enter({ id, losses }: Claimed, stage: 'making' | 'sending' | null): Promise<void> {
    if (losses > 0) await enterStage(this.#db, this.#site.id, id, stage)
  }

  async #send(message: Claimed, letter: Letter): Promise<void> {
    const startedAt = new Date()
    try {
      if (this.#signal.aborted) return
      let halted: Verdict | undefined
      const mayLeave = async () => {
        halted = await this.#shared.admission.look(message)
        if (halted === undefined) await this.#enter(message, 'sending')
        return halted === undefined
      }
      const tried = await this.#line.send(letter, mayLeave)
      if (tried) await this.#conclude(message, tried, startedAt)
      else if (halted) await this.#write(message, halted, [], { untried: true })
    } catch (error) {
      if (this.#signal.aborted) return
      if (!(error instanceof Unreachable)) throw error
      await this.#giveWay(message, error, startedAt)
    }
  }

  async #conclude(message: Claimed, { sent, replies, peer, tls }: Tried, startedAt: Date): Promise<void> {
    const { outcome, reply } = sent
    const facts = { startedAt, peer, tls }
    if (outcome === 'accepted') {
      return await this.#write(message, accepted(message, this.#site.route.isSmarthost), replies, facts)
    }
    await this.#refuse(message, outcome === 'unknown' ? 'unanswered' : classify(reply), reply, replies, facts)
  }

  /** Defers a message as no host could be spoken to, and leaves the others as they are. */
  async #giveWay(message: Claimed, { replies, peer, lacksTls }: Unreachable, startedAt: Date): Promise<void> {
    const last: Refusal = replies.findLast(({ code }) => code !== null && code >= 400) ??
      replies.at(-1) ?? { stage: 'connect', code: null, enhanced: null, text: 'none of its addresses can be reached' }
    const demanded = this.#line.manner.tls === 'verified' && lacksTls
    const lacking: ClassName = this.#site.route.isSmarthost ? 'tls' : 'mta_sts'
    const isDns = replies.length > 0 && replies.every(({ stage }) => stage === 'dns')
    const silent: ClassName = isDns ? 'dns' : 'unreachable'
    const spoken = last.code === null ? silent : classify(last)
    await this.#refuse(message, demanded ? lacking : spoken, last, replies, { startedAt, peer, tls: null })
    this.#isHalted = true
  }

  async #refuse(
    message: Claimed,
    replyClass: ClassName,
    refusal: Refusal,
    replies: readonly Reply[],
    facts: Facts,
  ): Promise<void> {
    const { slow: slowing, elsewhere } = classOf(replyClass)
    const verdict = refused(message, replyClass, refusal)
    const { address } = this.#site.address
    await this.#write(message, verdict, replies, { ...facts, next: elsewhere ? this.#addressAfter(address) : address })
    if (!slowing) return
    this.#isHalted = true
    await slow(this.#db, siteOf(this.#shared, this.#site), {
      suspend: slowing.suspendMs,
      recovery: recoveryMs,
      // One connection is enough to see that a host is back.
      highest: replyClass === 'unreachable' ? Math.ceil(Math.log2(this.#site.route.preset.connections)) : 16,
      reason: verdict.outcome.reason ?? replyClass,
    })
  }

  /** Writes what a message has come to, before the next one goes out: a crash would send again all that were not written. */
  async #write(message: Claimed, verdict: Verdict, replies: readonly Reply[], facts: Facts): Promise<void> {
    const { address } = this.#site.address
    const { peer, tls = null, startedAt = new Date(), next = address, untried = false } = facts
    this.#unsent.delete(message.id)
    await this.#shared.writer.write({
      message,
      connection: this.#site.id,
      verdict,
      untried,
      pool: this.#shared.pool,
      localAddress: address,
      next,
      peer,
      tls,
      replies,
      startedAt,
    })
  }

  /** The address after this one in the pool. */
  #addressAfter(address: string): string {
    const all = localAddresses(this.#shared.pool)
    const at = all.findIndex((each) => each.address === address)
    return all[(at + 1) % all.length]?.address ?? address
  }
}

/** What comes of a message of which no letter can be made: it must not hold up those behind it for ever. */
function unsignable(message: Claimed, error: Error): Verdict {
  if (isDisconnected(error)) throw error
  if (error instanceof Unmade) return unmade(message, error.message)
  if (!(error instanceof Unsignable)) log.error({ err: describe(error), message_id: message.id }, 'a letter failed')
  return refused(message, 'unsignable', { stage: 'sign', code: null, enhanced: null, text: error.message })
}
