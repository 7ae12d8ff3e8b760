import { type Dispatcher, Pool } from 'undici'
import { config } from '#lib/config.ts'
import { unavailable } from '#lib/errors.ts'
import { log } from '#lib/log.ts'

/** How much of this process one other cell may take, in numbers and milliseconds. */
export interface PassageLimits {
  /** Requests that wait for the cell to begin its answer. */
  waiting: number
  /** Requests under way, those whose answers have begun included. */
  streams: number
  timeoutMs: number
}

/** The limits as this process is configured. */
export const passageLimits = (): PassageLimits => ({
  waiting: config.CELL_WAITING,
  streams: config.CELL_STREAMS,
  timeoutMs: config.CELL_TIMEOUT_MS,
})

/** The way to one other cell: connections and places of its own, so that it takes nothing from the way to any other. */
export interface Passage {
  /** Sends one request; rejects with 503 at once while the cell is away or has all its places taken. */
  send(
    request: Omit<Dispatcher.RequestOptions, 'origin'>,
    release: (done: () => void) => void,
  ): Promise<Dispatcher.ResponseData>
  close(): Promise<void>
}

/** Failures in a row after which a cell is taken to be away, and milliseconds until one request tries it again. */
const [maxFailures, tryAgainMs] = [5, 1_000]

const connectMs = 2_000

const away = (cell: string) =>
  unavailable(`The cell that has this is briefly unavailable; the same request may be sent again.`, 2, { cell })

/** Opens the way to a cell's ingress; nothing is connected before the first request. */
export function openPassage(cell: string, url: string, limits: PassageLimits): Passage {
  const pool = new Pool(new URL(url).origin, {
    connections: limits.streams,
    pipelining: 1,
    connect: { timeout: connectMs },
    headersTimeout: limits.timeoutMs,
    // What goes on for long, as event streams do, is ended by its two ends.
    bodyTimeout: 0,
    keepAliveTimeout: 20_000,
  })
  let [waiting, streams, failures, triedAt] = [0, 0, 0, 0]

  function admit(): void {
    if (streams >= limits.streams || waiting >= limits.waiting) throw away(cell)
    if (failures < maxFailures) return
    const now = performance.now()
    if (now - triedAt < tryAgainMs) throw away(cell)
    triedAt = now
  }

  function fail(error: Error): void {
    failures++
    if (failures !== maxFailures) return
    triedAt = performance.now()
    log.warn({ cell, err: error.message }, 'another cell is away')
  }

  function succeed(): void {
    if (failures >= maxFailures) log.warn({ cell }, 'another cell is back')
    failures = 0
  }

  return {
    async send(request, release) {
      admit()
      waiting++
      streams++
      release(() => streams--)
      try {
        const answer = await pool.request(request)
        succeed()
        return answer
      } catch (error) {
        const { signal } = request
        if (signal instanceof AbortSignal && signal.aborted) throw signal.reason
        fail(error as Error)
        throw Object.assign(away(cell), { cause: error })
      } finally {
        waiting--
      }
    },
    close: () => pool.destroy(),
  }
}
