import { log } from '#lib/log.ts'
import { LanguageEngineError } from '#tasks/ai/engine.ts'

/** Failures in a row after which nothing is sent for a while, which is twice as long each time it fails again. */
const [mostFailures, firstPauseMs, longestPauseMs] = [3, 5_000, 60_000]

/** How long one request tries the server for all: what it asks may be what hangs, and then another one tries. */
const serverTryMs = 3_000

/** Organisations whose failures are remembered. */
const mostCallers = 1_000

/** How a request ended: `unreachable` is the server's fault alone; `failed` (5xx, silence) may be what it was asked. */
export type Ending = 'worked' | 'failed' | 'unreachable'

/** Keeps requests from a server that fails them: no caller waits for what others have found out. */
export interface Breaker {
  /** Throws while requests of an organisation are not sent, saying for how long. */
  check(asker: string): void
  /** Checks likewise; returns what is to be told, once, how the request ended. Nothing, when its caller has gone. */
  enter(asker: string): (ending?: Ending) => void
  /** Whether nobody's requests are sent at present. */
  readonly isOpen: boolean
}

/** One circuit: closed, open for a time, or, after it, open but for one request that tries. */
class Circuit {
  #failures = 0
  #pauseMs = 0
  #openUntil = 0
  #tryUntil = 0

  /** Milliseconds for which nothing is sent. */
  wait(now: number): number {
    return Math.max(0, this.#openUntil - now, this.#tryUntil - now)
  }

  /** Notes that a request is sent; after a pause it tries for all, for as long as it may take. */
  enter(now: number, tryMs: number): void {
    if (this.#pauseMs > 0) this.#tryUntil = now + tryMs
  }

  /** Notes that the one that tried told nothing. */
  left(): void {
    this.#tryUntil = 0
  }

  /** Notes a failure; true when it opens the circuit. */
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
 * Makes a breaker; `tryMs` is how long a request may take. Each organisation has a circuit of its own, as a server may hang at what
 * one of them asks alone; that of the server opens when it is out of reach, or fails several of them with no success between.
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

  function fail(asker: string, ending: Ending): void {
    const own = circuits.get(asker) ?? new Circuit()
    circuits.delete(asker)
    circuits.set(asker, own)
    if (circuits.size > mostCallers) circuits.delete(circuits.keys().next().value as string)
    failing.add(asker)
    const now = clock()
    const opened = [own.failed(now), server.failed(now, ending === 'unreachable' || failing.size > 1)]
    if (opened.some(Boolean)) log.warn({ org_id: asker, all: opened[1] }, 'the upstream model fails and is paused')
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
