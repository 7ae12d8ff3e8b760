import { Problem } from '#lib/errors.ts'

/** How many requests a route has in one process at once: what their bodies take stays bounded. */
export interface AtOnce {
  requests: number
  /** Of one organisation: the rest is kept for others. */
  ofOne: number
}

/** Seconds after which a request that was refused finds a place again, mostly. */
const retryAfter = 2

/** Makes the function that gives a request its place, before its body is read; throws 429 when there is none. */
export function createPlaces({ requests, ofOne }: AtOnce): (orgId: string) => Disposable {
  const taken = new Map<string, number>()
  let all = 0
  return (orgId) => {
    const own = taken.get(orgId) ?? 0
    if (all >= requests || own >= ofOne) {
      const message = 'As many of these requests as are worked on at once are under way; send this again in a moment.'
      throw new Problem(429, 'rate_limited', message, { retryAfter, details: { limit: 'at_once', max: ofOne } })
    }
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
