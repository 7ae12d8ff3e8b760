import { Problem } from '#lib/errors.ts'

/** How many requests a route has in one process at once: what their bodies take stays bounded. */
export interface AtOnce {
  requests: number
  /** Of one organisation: the rest is kept for others. */
  ofOne: number
}

/** Seconds after which a request that was refused finds a place again, mostly. */
const retryAfter = 2

function tooMany(max: number): Problem {
  const message = 'As many of these requests as are worked on at once are under way; send this again in a moment.'
  return new Problem(429, 'rate_limited', message, { retryAfter, details: { limit: 'at_once', max } })
}

/** Makes the function that gives a request its place, before its body is read; throws 429 when there is none. */
export function createPlaces({ requests, ofOne }: AtOnce): (orgId: string) => Disposable {
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

/** How many requests of one organisation are done at once, and how many wait in its line, for how many milliseconds. */
interface Line {
  ofOne: number
  inLine: number
  waitMs: number
}

/** Makes the function that gives a request its turn after others of its organisation; throws 429 when it would come too late. */
export function createLines({ ofOne, inLine, waitMs }: Line): (orgId: string) => Promise<Disposable> {
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
