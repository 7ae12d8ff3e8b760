import { setTimeout as pause } from 'node:timers/promises'
import { config } from '#lib/config.ts'
import type { DatabasePool } from '#sql/db.ts'
import { type ClaimedMessage, enterStage } from '#sql/email/delivery/claims.ts'
import { slow } from '#sql/email/delivery/mx-sets.ts'
import type { Letter, MailConnection, SendResult } from '../../engine.ts'
import { enqueueHelper } from '../wake-delivery.ts'
import { batchSize, takeBatch } from './batch.ts'
import { evaluateLetterFault, evaluateResult } from './judge.ts'
import type { AttemptResult } from './record-results.ts'
import { type DeliveryState, type Site, toMxSite } from './state.ts'
import { createExpired, type Verdict } from './verdict.ts'

/** Duration after which a job ends, and shorter duration if other jobs wait, in milliseconds. */
const jobMs = 30_000
const briefJobMs = 2_000

/**
 * Delay in milliseconds after which a claimed message counts as stale. It was not tried for a long time, so it is not
 * sent.
 */
const staleMs = 60_000

type Facts = Partial<Pick<AttemptResult, 'startedAt' | 'peer' | 'tls' | 'next' | 'untried' | 'replies'>>

export class ConnectionDelivery {
  readonly #state: DeliveryState
  readonly #db: DatabasePool
  readonly #site: Site
  readonly #signal: AbortSignal
  readonly #connection: MailConnection
  readonly #unsent = new Set<string>()
  readonly #begun = performance.now()
  /** True if this job sends no more messages because the MX set was slowed. */
  #isHalted = false

  constructor(state: DeliveryState, db: DatabasePool, site: Site, signal: AbortSignal) {
    this.#state = state
    this.#db = db
    this.#site = site
    this.#signal = signal
    this.#connection = state.mail.connect(site.route, site.address, signal)
  }

  get #isOver(): boolean {
    const most = this.#state.load.active >= config.MAIL_CONCURRENCY ? briefJobMs : jobMs
    return this.#isHalted || this.#signal.aborted || performance.now() - this.#begun > most
  }

  /** Delivers messages until none is due or the time of the job has ended. */
  async work(): Promise<void> {
    const { pool, shared } = this.#state
    let { mayGrow } = this.#site
    while (!this.#isOver) {
      const { taken, messages } = await takeBatch(this.#state, this.#db, this.#site)
      for (const { id } of taken) this.#unsent.add(id)
      if (mayGrow && taken.length === batchSize[shared]) {
        mayGrow = false
        await enqueueHelper(this.#db, pool, this.#site.domain, this.#site.route.mxSet)
      }
      await this.#deliver(messages)
      if (taken.length === 0 || this.#unsent.size > 0) return
    }
  }

  /** Ends the connection. Returns the messages that were taken but not tried. */
  end(): string[] {
    this.#connection.end()
    return [...this.#unsent]
  }

  async #deliver(batch: readonly ClaimedMessage[]): Promise<void> {
    if (batch.length === 0) return
    const halted = await this.#state.admission.stopped(batch)
    // After a worker has died, messages are processed one by one, to find the message that caused it.
    const isAhead = batch.every(({ losses }) => losses === 0)
    if (isAhead) {
      await this.#state.letters.load(
        this.#db,
        batch.filter(({ id }) => !halted.has(id)),
      )
    }
    let next = this.#prepare(batch[0], halted)
    for (const [i, message] of batch.entries()) {
      const letter = await next
      // The first message is always sent. Otherwise, no job would make progress when many jobs wait.
      if (this.#signal.aborted || (i > 0 && this.#isOver)) break
      if (isAhead) next = this.#prepare(batch[i + 1], halted)
      await this.#deliverOne(message, halted.get(message.id) ?? letter)
      if (!isAhead) next = this.#prepare(batch[i + 1], halted)
    }
    await next
  }

  async #deliverOne(message: ClaimedMessage, letter: Letter | Verdict | Error | undefined): Promise<void> {
    if (message.left_ms < -staleMs) return await this.#write(message, createExpired(message), { untried: true })
    if (letter instanceof Error) return await this.#write(message, evaluateLetterFault(message, letter), {})
    if (letter && 'outcome' in letter) return await this.#write(message, letter, { untried: true })
    await this.#send(message, letter as Letter)
    const { interval } = this.#site
    if (interval > 0) await pause(interval, undefined, { signal: this.#signal }).catch(() => {})
  }

  /** Returns the message to send, or the reason for not sending it. Undefined if the message must be skipped. */
  async #prepare(
    message: ClaimedMessage | undefined,
    halted: ReadonlyMap<string, Verdict>,
  ): Promise<Letter | Error | undefined> {
    if (!message || halted.has(message.id)) return undefined
    try {
      await this.#enter(message, 'making')
      const letter = await this.#state.letters.write(this.#db, message, this.#signal)
      await this.#enter(message, null)
      return letter
    } catch (error) {
      return error as Error
    }
  }

  /** Records the stage of a message if a worker died earlier while it had this message. */
  async #enter({ id, losses }: ClaimedMessage, stage: 'making' | 'sending' | null): Promise<void> {
    if (losses > 0) await enterStage(this.#db, this.#site.id, id, stage)
  }

  async #send(message: ClaimedMessage, letter: Letter): Promise<void> {
    const startedAt = new Date()
    try {
      if (this.#signal.aborted) return
      let halted: Verdict | undefined
      const mayLeave = async () => {
        halted = await this.#state.admission.look(message)
        if (halted === undefined) await this.#enter(message, 'sending')
        return halted === undefined
      }
      const result = await this.#connection.send(letter, mayLeave)
      if (result) await this.#conclude(message, result, startedAt)
      else if (halted) await this.#write(message, halted, { untried: true })
    } catch (error) {
      if (!this.#signal.aborted) throw error
    }
  }

  async #conclude(message: ClaimedMessage, result: SendResult, startedAt: Date): Promise<void> {
    const us = result.outcome === 'accepted' ? [] : await this.#namesOfUs()
    const { verdict, elsewhere, slowing, halts } = evaluateResult(message, result, this.#site.route, us)
    const { peer, replies } = result
    const tls = 'tls' in result ? result.tls : null
    const { address } = this.#site.address
    const next = elsewhere ? this.#addressAfter(address) : address
    await this.#write(message, verdict, { startedAt, peer, tls, replies, next })
    if (halts) this.#isHalted = true
    if (slowing) await slow(this.#db, toMxSite(this.#state, this.#site), slowing)
  }

  /**
   * Returns this installation’s names as servers see them: the address of this connection, its name in the greeting,
   * and the IP addresses of that name.
   */
  async #namesOfUs(): Promise<string[]> {
    const { address, name } = this.#site.address
    // Behind NAT, servers see the address that is in DNS.
    const inDns = await this.#state.mail.addresses(name).catch(() => [])
    return [address, name, ...inDns]
  }

  /**
   * Stores the result before the next message is sent. After a crash, messages without a stored result would be sent
   * again.
   */
  async #write(message: ClaimedMessage, verdict: Verdict, facts: Facts): Promise<void> {
    const { address } = this.#site.address
    this.#unsent.delete(message.id)
    await this.#state.writer.write({
      message,
      connection: this.#site.id,
      verdict,
      untried: false,
      pool: this.#state.shared,
      localAddress: address,
      next: address,
      replies: [],
      startedAt: new Date(),
      ...facts,
    })
  }

  #addressAfter(address: string): string {
    const all = this.#state.addresses
    const at = all.findIndex((each) => each.address === address)
    return all[(at + 1) % all.length]?.address ?? address
  }
}
