import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { Call, Ending, LegChange } from '#sql/voice/calls.ts'
import type { CallRecords, Side } from '#tasks/voice/engine.ts'
import * as outcomes from '#tasks/voice/rules/outcomes.ts'
import { CallClaimedElsewhereError, CallEnded } from './call-over.ts'
import type { Leg } from './leg.ts'
import { createHoldOffer, createRefusal } from './sdp.ts'
import type { Request, Response } from './sip/library.ts'

/** A change of a call to store: its new state, if any, and the changes of its legs. */
type Step = [to: 'ringing' | 'in_progress' | undefined, changes: LegChange[]]

export interface BridgeOptions {
  records: CallRecords
  call: Call
  legs: Readonly<Record<Side, Leg>>
  trunks: Readonly<Record<Side, string>>
  address: string
}

/**
 * A call from its first INVITE to its end (RFC 3725 flow IV). Side A is called on hold, then side B without a
 * description. The offer of B goes to A in a re-INVITE, and the answer of A goes to B in the ACK. Media flows directly
 * between A and B, so A hears nothing while B rings. Before a message creates a dialog at the remote side, the data
 * that is needed to end the dialog is stored in the database.
 */
export class Bridge {
  readonly id: string
  readonly #options: BridgeOptions
  readonly #stopped = Promise.withResolvers<never>()
  #connected = false
  #changing = false
  #offer: string | undefined
  readonly #answered = { a: false, b: false }

  constructor(options: BridgeOptions) {
    this.#options = options
    this.id = options.call.id
    this.#stopped.promise.catch(() => {})
    for (const leg of Object.values(options.legs)) {
      leg.listener = {
        hungUp: (by, reason) => this.stop(reason ?? 'hung_up', this.#sideOf(by)),
        changed: (by, request) => void this.#changed(by, request),
      }
    }
  }

  stop(reason: string, by: Ending['ended_by']): void {
    this.#stopped.reject(new CallEnded(outcomes.hangupEnding(reason, by, this.#connected)))
  }

  /** Ends the call without writing to the database, because it belongs to another worker. */
  abandon(): void {
    this.#stopped.reject(new CallClaimedElsewhereError())
  }

  async run(): Promise<void> {
    const { legs, address } = this.#options
    const error = (await this.#connect().catch((thrown) => thrown)) as Error
    if (this.#offer !== undefined) legs.b.ack(createRefusal(this.#offer, address))
    await Promise.all([legs.a.end(), legs.b.end()])
    if (error instanceof CallClaimedElsewhereError) return
    const isOver = error instanceof CallEnded
    if (!isOver) log.error({ err: describe(error), call_id: this.id }, 'a call failed because of an internal error')
    await this.#finish(isOver ? error.ending : outcomes.internalErrorEnding)
  }

  async #connect(): Promise<never> {
    const { legs, call, address } = this.#options
    const { a, b } = legs
    await this.#ring('a', createHoldOffer(address))
    a.ack()
    const { content: offer = '' } = await this.#ring('b', '')
    this.#offer = offer
    this.#changing = true
    const answer = await this.#or(a.reinvite(a.sdp(offer)))
    if (answer.status >= 300) throw new CallEnded(outcomes.mediaRefused)
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

  /** Calls one side. Resolves with its 2xx. By then, the dialog is stored and the ACK has not been sent. */
  async #ring(side: Side, sdp: string): Promise<Response> {
    const leg = this.#options.legs[side]
    const late = setTimeout(() => {
      this.#stopped.reject(new CallEnded(outcomes.unansweredEnding(side, leg.heard)))
    }, this.#options.call.ring_timeout_seconds * 1000)
    try {
      const response = await this.#or(
        leg.invite(sdp && leg.sdp(sdp), {
          stored: (dialog) =>
            this.#move(undefined, [{ leg: side, status: 'initiated', trunk: this.#options.trunks[side], dialog }]),
          ringing: () => void this.#ringing(side).catch((error) => this.#stopped.reject(error)),
        }),
      )
      if (response.status >= 300) throw new CallEnded(outcomes.refusalEnding(side, response.status))
      this.#answered[side] = true
      await this.#move(undefined, [{ leg: side, status: 'answered', dialog: leg.dialog, sip_status: response.status }])
      return response
    } catch (error) {
      if (error instanceof CallEnded && error.ending.ended_by === side) this.#refused.set(side, error.ending.status)
      throw error
    } finally {
      clearTimeout(late)
    }
  }

  readonly #refused = new Map<Side, Ending['status']>()
  readonly #rang = new Set<Side>()

  async #ringing(side: Side): Promise<void> {
    if (this.#rang.has(side)) return
    this.#rang.add(side)
    const first = this.#rang.size === 1
    if (!this.#answered[side]) await this.#move(first ? 'ringing' : undefined, [{ leg: side, status: 'ringing' }])
  }

  #sideOf(leg: Leg): Side {
    return leg === this.#options.legs.a ? 'a' : 'b'
  }

  async #changed(by: Leg, request: Request): Promise<void> {
    const { a, b } = this.#options.legs
    // An UPDATE without content refreshes a session timer (RFC 4028 7.4).
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
    if (!ack) throw new CallEnded(outcomes.unacknowledgedEnding(this.#sideOf(by)))
    if (!offer) other.ack(other.sdp(ack.content ?? ''))
  }

  /** Returns the result of `work`. Throws if the call ends first. */
  async #or<T>(work: Promise<T>): Promise<T> {
    work.catch(() => {})
    return await Promise.race([this.#stopped.promise, work])
  }

  /** Stores the progress, one step after another. If the database is unavailable, the call continues. */
  #move(...step: Step): Promise<void> {
    const moved = this.#moved.then(() => this.#write(...step))
    this.#moved = moved.catch(() => {})
    return moved
  }

  #moved: Promise<void> = Promise.resolve()

  async #write(to: Step[0], changes: Step[1]): Promise<void> {
    const moved = await this.#options.records.move(this.id, to, changes)
    if (!moved) throw new CallClaimedElsewhereError()
  }

  async #finish(ending: Ending): Promise<void> {
    await this.#moved
    const outcomeOf = (side: Side) => ({ isAnswered: this.#answered[side], refused: this.#refused.get(side) })
    await this.#options.records.end(this.id, ending, { a: outcomeOf('a'), b: outcomeOf('b') })
  }
}
