import type { Ending } from './breaker.ts'

/** How requests to a server have ended since this process began. */
export interface Health {
  requests: number
  failures: number
  lastOkAt: Date | null
  lastFailedAt: Date | null
  /** Of the last failure; null where there was no answer. */
  lastStatus: number | null
  /** Notes that a request is sent; returns what is to be told, once, how it ended. */
  enter(): (ending?: Ending, status?: number) => void
}

/** Begins with a server that was not asked yet. */
export function createHealth(): Health {
  const health: Health = {
    requests: 0,
    failures: 0,
    lastOkAt: null,
    lastFailedAt: null,
    lastStatus: null,
    enter() {
      let over = false
      health.requests++
      return (ending, status) => {
        if (over || ending === undefined) return
        over = true
        const refuses = status !== undefined && status >= 400 && status !== 400 && status !== 422
        if (ending === 'worked' && !refuses) {
          health.lastOkAt = new Date()
          return
        }
        health.failures++
        health.lastFailedAt = new Date()
        health.lastStatus = status ?? null
      }
    },
  }
  return health
}
