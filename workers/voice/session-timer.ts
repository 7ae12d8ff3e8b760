import type { Headers, Request, Response } from './sip/library.ts'

/** Session intervals in seconds (RFC 4028): the requested interval, and the minimum that is accepted. */
export interface SessionSettings {
  expires: number
  least: number
}

/** Lowest minimum interval in seconds that Millrace may require from others (RFC 4028 5). */
export const minSeconds = 90

/** Maximum interval in seconds that a peer can require: a day. */
const mostSeconds = 86_400

interface TimerListener {
  refresh(): void
  /** Called if no refresh arrived in time, which means that the remote side is gone. */
  expired(): void
}

/** Session headers for the response to a request. If the interval is too short, headers for the rejection. */
export type SessionAnswer = { tooShort: Record<string, string> } | { headers: Record<string, string> }

/**
 * Session timer of one dialog (RFC 4028). It ends a call whose remote side disappeared without notice. Each INVITE and
 * UPDATE negotiates the refresher again.
 */
export class SessionTimer {
  readonly #listener: TimerListener
  readonly #settings: SessionSettings
  #expires: number
  /** Minimum interval in seconds that the remote side requires, from its 422. */
  #theirLeast = 0
  /** Number of times the minimum interval was raised. After too many, the trunk is given up. */
  #raised = 0
  #timers: NodeJS.Timeout[] = []
  #over = false

  constructor(settings: SessionSettings, listener: TimerListener) {
    this.#settings = settings
    this.#expires = settings.expires
    this.#listener = listener
  }

  requestHeaders(): Record<string, string> {
    const least = Math.max(this.#settings.least, this.#theirLeast)
    return {
      supported: 'timer',
      'session-expires': String(Math.max(this.#expires, least)),
      ...(least > minSeconds && { 'min-se': String(least) }),
    }
  }

  /** Returns true if a 422 requires a longer interval, which the next request uses (RFC 4028 7.4). */
  raised({ status, headers }: Response): boolean {
    const least = status === 422 ? secondsOf(headers['min-se']) : undefined
    if (least === undefined || least <= this.#theirLeast || least > mostSeconds || this.#raised === 2) return false
    this.#raised++
    this.#theirLeast = least
    this.#expires = Math.max(this.#expires, least)
    return true
  }

  /** Handles a 2xx to our INVITE or UPDATE. Without an interval, the session has no timer (RFC 4028 7.2). */
  answered({ headers }: Response): void {
    const expires = secondsOf(fieldOf(headers))
    const isNone = expires === undefined || expires > mostSeconds
    this.#start(isNone ? undefined : Math.max(expires, this.#settings.least), refresherOf(headers) !== 'uas')
  }

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

/** Returns the value of Session-Expires, which can have its compact form (RFC 4028 4). */
const fieldOf = (headers: Headers): unknown => headers['session-expires'] ?? headers.x

/** Returns the number of seconds in `1800;refresher=uas`, or undefined for invalid values. */
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
