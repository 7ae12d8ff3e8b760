import type { RequestResult } from './breaker.ts'

export interface Health {
  requests: number
  failures: number
  lastOkAt: Date | null
  lastFailedAt: Date | null
  lastStatus: number | null
  enter(): (ending?: RequestResult, status?: number) => void
}

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
