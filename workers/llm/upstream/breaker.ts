import { log } from '#lib/log.ts'
import { LanguageEngineError } from '#tasks/ai/engine.ts'

/**
 * Consecutive failures until requests are paused, and the first and longest pause. The pause doubles after each
 * failure.
 */
const [mostFailures, firstPauseMs, longestPauseMs] = [3, 5_000, 60_000]

/**
 * Maximum duration of one trial request in milliseconds. A trial request may hang because of its own content. In that
 * case another request is tried.
 */
const serverTryMs = 3_000

const mostCallers = 1_000

/**
 * Result of a request. `unreachable`: the server is the cause. `failed` (5xx or no response): the request may be the
 * cause.
 */
export type RequestResult = 'worked' | 'failed' | 'unreachable'

/** Stops requests to a failing server, so that callers do not wait for a failure that is expected. */
export interface Breaker {
  /** Throws while requests of an organisation are paused. The error contains the remaining time. */
  check(asker: string): void
  /**
   * Like `check`, but returns a function. Call this function once with the result of the request, or without a result
   * if the caller has left.
   */
  enter(asker: string): (ending?: RequestResult) => void
  /** True if requests of all organisations are paused. */
  readonly isOpen: boolean
}

/** A circuit that is closed, open for a time, or half-open with one trial request. */
class Circuit {
  #failures = 0
  #pauseMs = 0
  #openUntil = 0
  #tryUntil = 0

  wait(now: number): number {
    return Math.max(0, this.#openUntil - now, this.#tryUntil - now)
  }

  /** Records a request. After a pause, this request is the trial for all others, for up to `tryMs`. */
  enter(now: number, tryMs: number): void {
    if (this.#pauseMs > 0) this.#tryUntil = now + tryMs
  }

  left(): void {
    this.#tryUntil = 0
  }

  /** Records a failure. Returns true if it opens the circuit. */
  failed(now: number, opens = true): boolean {
    this.#tryUntil = 0
    this.#failures++
    if (!opens || this.#failures < mostFailures || now < this.#openUntil) return false
    this.#pauseMs = Math.min(longestPauseMs, this.#pauseMs * 2 || firstPauseMs)
    this.#openUntil = now + this.#pauseMs
    return true
  }
}

/**
 * Creates a breaker. `tryMs` is the maximum duration of a request. Each organisation has its own circuit, because a
 * server may hang only at requests of one organisation. The server's circuit opens if the server is unreachable, or if
 * it fails for several organisations without a success in between.
 */
export function createBreaker(tryMs: number, clock = () => performance.now()): Breaker {
  let server = new Circuit()
  let failing = new Set<string>()
  const circuits = new Map<string, Circuit>()

  function check(asker: string): void {
    const now = clock()
    const wait = Math.max(server.wait(now), circuits.get(asker)?.wait(now) ?? 0)
    if (wait === 0) return
    throw new LanguageEngineError('upstream_error', 'The upstream model is not responding.', {
      retryable: true,
      retryAfter: Math.max(1, Math.ceil(wait / 1000)),
    })
  }

  function fail(asker: string, ending: RequestResult): void {
    const own = circuits.get(asker) ?? new Circuit()
    circuits.delete(asker)
    circuits.set(asker, own)
    if (circuits.size > mostCallers) circuits.delete(circuits.keys().next().value as string)
    failing.add(asker)
    const now = clock()
    const opened = [own.failed(now), server.failed(now, ending === 'unreachable' || failing.size > 1)]
    if (opened.some(Boolean)) log.warn({ org_id: asker, all: opened[1] }, 'the upstream model is failing; pausing it')
  }

  return {
    check,
    get isOpen() {
      return server.wait(clock()) > 0
    },
    enter(asker) {
      check(asker)
      server.enter(clock(), Math.min(tryMs, serverTryMs))
      circuits.get(asker)?.enter(clock(), tryMs)
      let over = false
      return (ending) => {
        if (over) return
        over = true
        if (ending === 'worked') {
          server = new Circuit()
          failing = new Set()
          circuits.delete(asker)
        } else if (ending) fail(asker, ending)
        else for (const circuit of [server, circuits.get(asker)]) circuit?.left()
      }
    },
  }
}
