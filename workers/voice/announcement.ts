import { requireVariable } from '#lib/config.ts'
import { describe } from '#lib/errors.ts'
import { revealText } from '#lib/hidden-text.ts'
import { log } from '#lib/log.ts'
import type { Call, Ending, LegChange, Speech } from '#sql/voice/calls.ts'
import type { CallRecords } from '#tasks/voice/engine.ts'
import * as outcomes from '#tasks/voice/rules/outcomes.ts'
import { AudioSender, readTarget } from './audio-sender.ts'
import { CallClaimedElsewhereError, CallEnded } from './call-over.ts'
import type { Leg } from './leg.ts'
import type { Request } from './sip/library.ts'
import { speak } from './speech.ts'

export interface AnnouncementOptions {
  records: CallRecords
  call: Call
  speech: Speech
  leg: Leg
  number: string
  trunk: string
  address: string
}

/** A call that speaks a text to one telephone, from its INVITE to its end. */
export class Announcement {
  readonly #options: AnnouncementOptions
  readonly #stopped = Promise.withResolvers<never>()
  readonly #ends = new AbortController()
  #isConnected = false
  #isAnswered = false
  #refused: Ending['status'] | undefined
  #moved: Promise<void> = Promise.resolve()

  constructor(options: AnnouncementOptions) {
    this.#options = options
    this.#stopped.promise.catch(() => this.#ends.abort())
    options.leg.listener = {
      hungUp: (_, reason) => this.stop(reason ?? 'hung_up', 'a'),
      changed: (by, request) => refuseChange(by, request),
    }
  }

  stop(reason: string, by: Ending['ended_by']): void {
    this.#stopped.reject(new CallEnded(outcomes.hangupEnding(reason, by, this.#isConnected)))
  }

  /** Ends the call without writing to the database, because it belongs to another worker. */
  abandon(): void {
    this.#stopped.reject(new CallClaimedElsewhereError())
  }

  async run(): Promise<void> {
    const { leg, records, call } = this.#options
    const error = (await this.#connect().catch((thrown) => thrown)) as Error
    this.#ends.abort()
    await leg.end()
    if (error instanceof CallClaimedElsewhereError) return
    const isOver = error instanceof CallEnded
    if (!isOver) log.error({ err: describe(error), call_id: call.id }, 'a spoken call failed because of an error')
    await this.#moved
    const outcome = { isAnswered: this.#isAnswered, refused: this.#refused }
    await records.end(call.id, isOver ? error.ending : outcomes.internalErrorEnding, { a: outcome, b: outcome })
  }

  async #connect(): Promise<never> {
    const { leg, call, speech, number, address } = this.#options
    const digits = revealText(speech.digits, number, requireVariable('SIGNING_SECRET'))
    // The speech is ready before the phone rings, so the person does not wait.
    const samples = await this.#or(speak({ ...speech, digits }, this.#ends.signal))
    const audio = await AudioSender.open()
    try {
      const { content = '' } = await this.#ring(leg.sdp(audio.offer(address)))
      leg.ack()
      const target = readTarget(content)
      if (!target) throw new CallEnded(outcomes.mediaRefused)
      this.#isConnected = true
      await this.#move('in_progress', [])
      const limit = setTimeout(() => this.stop('max_duration', 'limit'), call.max_duration_seconds * 1000)
      try {
        await this.#or(audio.play(samples, target, this.#ends.signal))
      } finally {
        clearTimeout(limit)
      }
      throw new CallEnded({ status: 'completed', reason: 'spoken', ended_by: 'platform' })
    } finally {
      audio.close()
    }
  }

  async #ring(sdp: string) {
    const { leg, call, trunk } = this.#options
    const late = setTimeout(
      () => this.#stopped.reject(new CallEnded(outcomes.unansweredEnding('a', leg.heard))),
      call.ring_timeout_seconds * 1000,
    )
    try {
      const response = await this.#or(
        leg.invite(sdp, {
          stored: (dialog) => this.#move(undefined, [{ leg: 'a', status: 'initiated', trunk, dialog }]),
          ringing: () => void this.#ringing().catch((error) => this.#stopped.reject(error)),
        }),
      )
      if (response.status >= 300) throw new CallEnded(outcomes.refusalEnding('a', response.status))
      this.#isAnswered = true
      const { status: sip_status } = response
      await this.#move(undefined, [{ leg: 'a', status: 'answered', dialog: leg.dialog, sip_status }])
      return response
    } catch (error) {
      if (error instanceof CallEnded && error.ending.ended_by === 'a') this.#refused = error.ending.status
      throw error
    } finally {
      clearTimeout(late)
    }
  }

  #hasRung = false

  async #ringing(): Promise<void> {
    if (this.#hasRung || this.#isAnswered) return
    this.#hasRung = true
    await this.#move('ringing', [{ leg: 'a', status: 'ringing' }])
  }

  /** Returns the result of `work`. Throws if the call ends first. */
  async #or<T>(work: Promise<T>): Promise<T> {
    work.catch(() => {})
    return await Promise.race([this.#stopped.promise, work])
  }

  /** Stores the progress, one step after another. */
  #move(to: 'ringing' | 'in_progress' | undefined, changes: LegChange[]): Promise<void> {
    const moved = this.#moved.then(async () => {
      if (!(await this.#options.records.move(this.#options.call.id, to, changes))) throw new CallClaimedElsewhereError()
    })
    this.#moved = moved.catch(() => {})
    return moved
  }
}

/** The audio is sent only in the first form. An UPDATE without content only refreshes a session timer. */
function refuseChange(by: Leg, request: Request): void {
  if (request.method === 'UPDATE' && !request.content) by.respond(request, 200, 'OK')
  else by.respond(request, 488, 'Not Acceptable Here')
}
