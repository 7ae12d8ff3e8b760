import type { Headers, Request, Response } from 'sip'

/** Seconds of sessions (RFC 4028): what is asked for, and the least that is taken. */
export interface SessionSettings {
  expires: number
  least: number
}

/** The least that may be asked of others (RFC 4028 5). */
export const leastSeconds = 90

/** The longest interval that another may talk us into: a day. */
const mostSeconds = 86_400

/** What is done when it is time. */
interface TimerListener {
  /** The session is to be refreshed. */
  refresh(): void
  /** No refresh came in time: the other side is gone. */
  expired(): void
}

/** What an answer to a request of the other side says of the session, or the refusal of too short a one. */
export type SessionAnswer = { tooShort: Record<string, string> } | { headers: Record<string, string> }

/**
 * The session timer of one dialog (RFC 4028): by it a call ends whose other side is gone without a word. Whoever is the refresher is
 * settled anew with each INVITE and UPDATE.
 */
export class SessionTimer {
  readonly #listener: TimerListener
  readonly #settings: SessionSettings
  #expires: number
  /** What the other side takes at least, by its 422. */
  #theirLeast = 0
  /** How often it was raised: a trunk that never has enough is left. */
  #raised = 0
  #timers: NodeJS.Timeout[] = []
  #over = false

  constructor(settings: SessionSettings, listener: TimerListener) {
    this.#settings = settings
    this.#expires = settings.expires
    this.#listener = listener
  }

  /** What an INVITE or UPDATE of ours says of it. */
  requestHeaders(): Record<string, string> {
    const least = Math.max(this.#settings.least, this.#theirLeast)
    return {
      supported: 'timer',
      'session-expires': String(Math.max(this.#expires, least)),
      ...(least > leastSeconds && { 'min-se': String(least) }),
    }
  }

  /** Whether a refusal asks for a longer interval, which the next request has (RFC 4028 7.4). */
  raised({ status, headers }: Response): boolean {
    const least = status === 422 ? secondsOf(headers['min-se']) : undefined
    if (least === undefined || least <= this.#theirLeast || least > mostSeconds || this.#raised === 2) return false
    this.#raised++
    this.#theirLeast = least
    this.#expires = Math.max(this.#expires, least)
    return true
  }

  /** A 2xx to an INVITE or UPDATE of ours: without an interval the session has none (RFC 4028 7.2). */
  answered({ headers }: Response): void {
    const expires = secondsOf(fieldOf(headers))
    const isNone = expires === undefined || expires > mostSeconds
    this.#start(isNone ? undefined : Math.max(expires, this.#settings.least), refresherOf(headers) !== 'uas')
  }

  /** An INVITE or UPDATE of the other side (RFC 4028 9): what its answer says. */
  asked({ headers }: Request): SessionAnswer {
    const expires = secondsOf(fieldOf(headers))
    const knows = String(headers.supported ?? '')
      .split(',')
      .some((one) => one.trim() === 'timer')
    if (expires === undefined) return { headers: {} }
    const { least } = this.#settings
    if (expires < least) return { tooShort: { 'min-se': String(least) } }
    const agreed = Math.min(expires, mostSeconds)
    const refresher = refresherOf(headers) ?? (knows ? 'uac' : 'uas')
    this.#start(agreed, refresher === 'uas')
    return {
      headers: {
        'session-expires': `${agreed};refresher=${refresher}`,
        ...(refresher === 'uac' && knows && { require: 'timer' }),
      },
    }
  }

  #start(expires: number | undefined, weRefresh: boolean): void {
    this.#clear()
    if (expires === undefined || this.#over) return
    this.#expires = expires
    const late = (expires - Math.min(32, expires / 3)) * 1_000
    this.#timers = [setTimeout(() => this.#listener.expired(), late)]
    if (weRefresh) this.#timers.push(setTimeout(() => this.#listener.refresh(), expires * 500))
  }

  #clear(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers = []
  }

  stop(): void {
    this.#over = true
    this.#clear()
  }
}

/** Session-Expires, in its compact form, too (RFC 4028 4). */
const fieldOf = (headers: Headers): unknown => headers['session-expires'] ?? headers.x

/** `1800;refresher=uas` as seconds; undefined for what is none. */
function secondsOf(field: unknown): number | undefined {
  const text =
    String(field ?? '')
      .split(';')[0]
      ?.trim() ?? ''
  const isNumber = text !== '' && text.length <= 9 && [...text].every((digit) => digit >= '0' && digit <= '9')
  return isNumber && Number(text) > 0 ? Number(text) : undefined
}

function refresherOf(headers: Headers): 'uac' | 'uas' | undefined {
  const params = String(fieldOf(headers) ?? '')
    .split(';')
    .slice(1)
  const named = params.map((one) => one.trim().toLowerCase()).find((one) => one.startsWith('refresher='))
  if (named === 'refresher=uac') return 'uac'
  return named === 'refresher=uas' ? 'uas' : undefined
}
