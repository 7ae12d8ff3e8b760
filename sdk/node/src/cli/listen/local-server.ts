import { pause } from '../../retries.ts'
import { signedHeaders } from './local-secret.ts'

/** An event as a webhook gets it. */
export interface LocalEvent {
  id: string
  type: string
  body: string
}

/** How the local server handled an event. */
export interface Outcome {
  status?: number
  /** Reason why there is no status. */
  failure?: string
  ms: number
}

/** Time limit of a response, as for webhooks. */
const timeoutMs = 15_000
/** Number of attempts if the local server closes the connection without a response. */
const brokenAttempts = 4
const [firstWaitMs, longestWaitMs] = [250, 5_000]

/** Codes of connections that were never established. */
const unreachable = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT'])

interface LocalServerOptions {
  url: string
  secret: string
  /** Aborts running requests. */
  signal: AbortSignal
  /** Ends the attempts. A running request continues until `signal` is aborted. */
  stopped: AbortSignal
  /** Called once when the local server stops accepting connections. */
  onUnreachable(code: string): void
  /** Called once when the local server accepts connections again. */
  onReachable(): void
}

/** Sends events to a server on this computer. While the server does not accept connections, the events wait. */
export class LocalServer {
  readonly #options: LocalServerOptions
  #reachable = true

  constructor(options: LocalServerOptions) {
    this.#options = options
  }

  /** Sends an event. Returns `undefined` if the command was interrupted first. */
  async send(event: LocalEvent): Promise<Outcome | undefined> {
    const { stopped } = this.#options
    const begun = Date.now()
    for (let [broken, refused] = [0, 0]; !stopped.aborted; ) {
      const result = await this.#post(event)
      if (stopped.aborted && !('status' in result)) return undefined
      if ('status' in result || result.code === 'timeout') return this.#answered(result, begun)
      if (unreachable.has(result.code)) {
        this.#isUnreachable(result.code)
        await pause(Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(refused++, 10)), stopped).catch(() => {})
      } else {
        if (++broken === brokenAttempts) return this.#answered(result, begun)
        await pause(firstWaitMs * 2 ** broken, stopped).catch(() => {})
      }
    }
    return undefined
  }

  #answered(result: { status: number } | { code: string }, begun: number): Outcome {
    if (!this.#reachable) {
      this.#reachable = true
      this.#options.onReachable()
    }
    const ms = Date.now() - begun
    if ('status' in result) return { status: result.status, ms }
    const timedOut = result.code === 'timeout'
    return { failure: timedOut ? `no response within ${timeoutMs / 1_000} s` : `no response (${result.code})`, ms }
  }

  #isUnreachable(code: string): void {
    if (!this.#reachable) return
    this.#reachable = false
    this.#options.onUnreachable(code)
  }

  async #post({ id, body }: LocalEvent): Promise<{ status: number } | { code: string }> {
    const { url, secret, signal } = this.#options
    const late = AbortSignal.timeout(timeoutMs)
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Millrace-Webhooks/1.0',
      ...signedHeaders(id, body, secret),
    }
    try {
      const init = { method: 'POST', headers, body, redirect: 'manual' } as const
      const response = await fetch(url, { ...init, signal: AbortSignal.any([signal, late]) })
      // The status is the answer, also if the body breaks.
      await response.body?.cancel().catch(() => {})
      return { status: response.status }
    } catch (failure) {
      return { code: late.aborted ? 'timeout' : codeOf(failure) }
    }
  }
}

/** Returns the code of a failed connection. A name with several addresses has one code per address. */
function codeOf(failure: unknown): string {
  const { cause } = failure as { cause?: { code?: string; message?: string; errors?: { code?: string }[] } }
  return cause?.code ?? cause?.errors?.[0]?.code ?? cause?.message ?? (failure as Error).message
}
