import { Problem } from '#lib/errors.ts'

export interface ConcurrencyLimit {
  requests: number
  ofOne: number
}

const retryAfter = 2

function tooMany(max: number): Problem {
  const message = 'Too many of these requests are in progress. Retry this request in a moment.'
  return new Problem(429, 'rate_limited', message, { retryAfter, details: { limit: 'at_once', max } })
}

/**
 * Creates the function that reserves a place for a request before its body is read. The function throws 429 if no place
 * is available.
 */
export function createConcurrencyLimiter({ requests, ofOne }: ConcurrencyLimit): (orgId: string) => Disposable {
  const taken = new Map<string, number>()
  let all = 0
  return (orgId) => {
    const own = taken.get(orgId) ?? 0
    if (all >= requests || own >= ofOne) throw tooMany(ofOne)
    all++
    taken.set(orgId, own + 1)
    return {
      [Symbol.dispose]() {
        all--
        const left = (taken.get(orgId) ?? 1) - 1
        if (left > 0) taken.set(orgId, left)
        else taken.delete(orgId)
      },
    }
  }
}

interface Line {
  ofOne: number
  inLine: number
  waitMs: number
}

/**
 * Creates the function that waits for earlier requests of the organisation. The function throws 429 if that takes too
 * long.
 */
export function createQueueLimiter({ ofOne, inLine, waitMs }: Line): (orgId: string) => Promise<Disposable> {
  const lines = new Map<string, { running: number; waiting: Set<() => void> }>()

  function end(orgId: string): void {
    const line = lines.get(orgId)
    const [next] = line?.waiting ?? []
    if (next) next()
    else if (line && --line.running === 0) lines.delete(orgId)
  }

  return async (orgId) => {
    const line = lines.get(orgId) ?? { running: 0, waiting: new Set() }
    lines.set(orgId, line)
    if (line.running < ofOne) line.running++
    else if (line.waiting.size >= inLine) throw tooMany(ofOne)
    else {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const come = () => leave(resolve)
      const late = setTimeout(() => leave(() => reject(tooMany(ofOne))), waitMs)
      const leave = (then: () => void) => {
        clearTimeout(late)
        line.waiting.delete(come)
        then()
      }
      line.waiting.add(come)
      await promise
    }
    return { [Symbol.dispose]: () => end(orgId) }
  }
}
