import { setTimeout as pause } from 'node:timers/promises'
import type { Request, Response } from 'sip'
import { config } from '#lib/config.ts'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import { untilWritten } from '#sql/persist.ts'
import * as calls from '#sql/voice/calls.ts'
import type { Leg } from './leg.ts'
import { Ended, refusedBy, type Side } from './outcome.ts'
import { hold, refusal } from './sdp.ts'

/** Milliseconds for which what a call has come to is kept that the database cannot take now: by then others may have the call. */
const keptMs = config.LEASE_MS

/** The call's row was taken from this worker: whoever has it ends its dialogs, too. */
class Lost extends Error {
  override name = 'Lost'
}

/** What is written of a call under way: its new state, if it has one, and what changes of its legs. */
type Step = [to: 'ringing' | 'in_progress' | undefined, changes: calls.LegChange[]]

export interface BridgeOptions {
  db: DatabasePool
  call: calls.Call
  switchboardId: string
  legs: Readonly<Record<Side, Leg>>
  trunks: Readonly<Record<Side, string>>
  /** Of this worker, as descriptions name it. */
  address: string
}

/**
 * One call, from A's telephone to its end (RFC 3725 flow IV): A is called on hold, then B without a description; B's offer goes to A
 * by re-INVITE and A's answer to B in the ACK. Media flow between the two and never pass here, so A hears nothing while B rings.
 * What is needed to end a dialog is in the database before the message leaves that makes it the other side's.
 */
export class Bridge {
  readonly id: string
  readonly #options: BridgeOptions
  readonly #stopped = Promise.withResolvers<never>()
  #connected = false
  #changing = false
  /** B's offer, as long as no answer to it was sent. */
  #offer: string | undefined
  readonly #answered = { a: false, b: false }

  constructor(options: BridgeOptions) {
    this.#options = options
    this.id = options.call.id
    this.#stopped.promise.catch(() => {})
    for (const leg of Object.values(options.legs)) {
      leg.listener = { hungUp: (by) => this.#hungUp(by), changed: (by, request) => void this.#changed(by, request) }
    }
  }

  /** Ends the call for a reason from outside. */
  stop(reason: string, by: calls.Ending['ended_by'], failed = false): void {
    const status = failed ? 'failed' : this.#connected ? 'completed' : 'canceled'
    this.#stopped.reject(new Ended({ status, reason, ended_by: by }))
  }

  /** Ends its dialogs without a word to the database: the call is another worker's. */
  abandon(): void {
    this.#stopped.reject(new Lost('the call is another worker’s'))
  }

  /** Makes the call and sees it through; never rejects. */
  async run(): Promise<void> {
    const { legs, address } = this.#options
    const error = (await this.#connect().catch((thrown) => thrown)) as Error
    if (this.#offer !== undefined) legs.b.ack(refusal(this.#offer, address))
    await Promise.all([legs.a.end(), legs.b.end()])
    if (error instanceof Lost) return
    if (!(error instanceof Ended)) log.error({ err: describe(error), call_id: this.id }, 'a call failed by a fault')
    const ending: calls.Ending =
      error instanceof Ended ? error.ending : { status: 'failed', reason: 'fault', ended_by: 'platform' }
    await this.#finish(ending)
  }

  async #connect(): Promise<never> {
    const { legs, call, address } = this.#options
    const { a, b } = legs
    await this.#ring('a', hold(address))
    a.ack()
    const { content: offer = '' } = await this.#ring('b', '')
    this.#offer = offer
    this.#changing = true
    const answer = await this.#or(a.reinvite(a.sdp(offer)))
    if (answer.status >= 300) throw new Ended({ status: 'failed', reason: 'media_refused', ended_by: 'a' })
    b.ack(b.sdp(answer.content ?? ''))
    this.#offer = undefined
    a.ack()
    this.#connected = true
    this.#changing = false
    await this.#move('in_progress', [])
    const limit = setTimeout(() => this.stop('max_duration', 'limit'), call.max_duration_seconds * 1000)
    try {
      return await this.#stopped.promise
    } finally {
      clearTimeout(limit)
    }
  }

  /** Calls one side up; resolves with its 2xx, whose dialog is stored by then and whose ACK is still to be sent. */
  async #ring(side: Side, sdp: string): Promise<Response> {
    const leg = this.#options.legs[side]
    const late = setTimeout(() => {
      const [status, reason] = leg.heard
        ? (['no_answer', 'no_answer'] as const)
        : (['failed', 'trunk_unreachable'] as const)
      this.#stopped.reject(new Ended({ status, reason, ended_by: side }))
    }, this.#options.call.ring_timeout_seconds * 1000)
    try {
      const response = await this.#or(
        leg.invite(sdp && leg.sdp(sdp), {
          stored: (dialog) =>
            this.#move(undefined, [{ leg: side, status: 'initiated', trunk: this.#options.trunks[side], dialog }]),
          ringing: () => void this.#ringing(side).catch((error) => this.#stopped.reject(error)),
        }),
      )
      if (response.status >= 300) throw new Ended(refusedBy(side, response.status))
      this.#answered[side] = true
      await this.#move(undefined, [{ leg: side, status: 'answered', dialog: leg.dialog, sip_status: response.status }])
      return response
    } catch (error) {
      if (error instanceof Ended && error.ending.ended_by === side) this.#refused.set(side, error.ending.status)
      throw error
    } finally {
      clearTimeout(late)
    }
  }

  readonly #refused = new Map<Side, calls.Ending['status']>()
  readonly #rang = new Set<Side>()

  async #ringing(side: Side): Promise<void> {
    if (this.#rang.has(side)) return
    this.#rang.add(side)
    const first = this.#rang.size === 1
    if (!this.#answered[side]) await this.#move(first ? 'ringing' : undefined, [{ leg: side, status: 'ringing' }])
  }

  #hungUp(leg: Leg): void {
    this.stop('hung_up', leg === this.#options.legs.a ? 'a' : 'b')
  }

  /** One side wants another session: the other is asked, and its answer passed back. */
  async #changed(by: Leg, request: Request): Promise<void> {
    const { a, b } = this.#options.legs
    // A session timer's refresh (RFC 4028 7.4).
    if (request.method === 'UPDATE' && !request.content) return by.respond(request, 200, 'OK')
    if (this.#changing || !this.#connected) return by.respond(request, 491, 'Request Pending')
    this.#changing = true
    try {
      await this.#relay(by, by === a ? b : a, request)
      await this.#move(undefined, [
        { leg: 'a', dialog: a.dialog },
        { leg: 'b', dialog: b.dialog },
      ])
    } catch (error) {
      this.#stopped.reject(error)
    } finally {
      this.#changing = false
    }
  }

  async #relay(by: Leg, other: Leg, request: Request): Promise<void> {
    const offer = request.content ?? ''
    by.respond(request, 100, 'Trying')
    const response = await this.#or(other.reinvite(offer && other.sdp(offer)))
    if (response.status >= 300) return by.respond(request, response.status, response.reason)
    const content = by.sdp(response.content ?? '')
    if (request.method === 'UPDATE') {
      other.ack()
      return by.respond(request, 200, 'OK', content)
    }
    if (offer) other.ack()
    const ack = await this.#or(by.accept(request, content))
    // A 2xx that is never acknowledged ends the call (RFC 3261 13.3.1.4).
    if (!ack)
      throw new Ended({ status: 'completed', reason: 'no_ack', ended_by: by === this.#options.legs.a ? 'a' : 'b' })
    if (!offer) other.ack(other.sdp(ack.content ?? ''))
  }

  /** What `work` comes to, unless the call ends first. */
  async #or<T>(work: Promise<T>): Promise<T> {
    work.catch(() => {})
    return await Promise.race([this.#stopped.promise, work])
  }

  /** Writes how it goes on, one step after the other; while the database is away it goes on as it is. */
  #move(...step: Step): Promise<void> {
    const moved = this.#moved.then(() => this.#write(...step))
    this.#moved = moved.catch(() => {})
    return moved
  }

  #moved: Promise<void> = Promise.resolve()

  async #write(to: Step[0], changes: Step[1]): Promise<void> {
    const { db, switchboardId } = this.#options
    const call = { id: this.id, switchboardId }
    let tries = 0
    const moved = await untilWritten(keptMs, async () => {
      tries++
      if (await calls.move(db, call, to, changes)) return true
      // An earlier try may have been committed although its answer did not come.
      return tries > 1 && (await calls.move(db, call, undefined, changes))
    })
    if (!moved) throw new Lost('the call is another worker’s')
  }

  /** Writes how it ended, as often as it takes. */
  async #finish(ending: calls.Ending): Promise<void> {
    const { db, switchboardId } = this.#options
    await this.#moved
    const changes = (['a', 'b'] as const).map((leg) => ({ leg, status: this.#legEnding(leg) }))
    for (let tries = 0; tries < 60; tries++) {
      try {
        const moved = await calls.move(db, { id: this.id, switchboardId }, ending, changes)
        if (!moved) log.warn({ call_id: this.id }, 'a call ended that is another worker’s by now')
        return
      } catch (error) {
        log.debug({ err: describe(error) }, 'the end of a call could not be written yet')
        await pause(500)
      }
    }
  }

  #legEnding(side: Side): calls.Ending['status'] {
    if (this.#answered[side]) return 'completed'
    return this.#refused.get(side) ?? 'canceled'
  }
}
