export interface Seats {
  /**
   * Reserves a seat and returns a function that releases it. Returns `null` if all seats are in use, or the
   * organisation has reached its share or `mostOwn`.
   */
  take(orgId: string, mostOwn?: number): (() => void) | null
}

/**
 * Creates `most` seats. An organisation can use up to `share` seats, even if others are free, so that new requests
 * start immediately.
 */
export function createSeats(share: number, most = Number.POSITIVE_INFINITY): Seats {
  const held = new Map<string, number>()
  let taken = 0
  return {
    take(orgId, mostOwn = share) {
      const own = held.get(orgId) ?? 0
      if (own >= Math.min(mostOwn, share) || taken >= most) return null
      taken++
      held.set(orgId, own + 1)
      return () => {
        taken--
        const left = (held.get(orgId) ?? 1) - 1
        if (left > 0) held.set(orgId, left)
        else held.delete(orgId)
      }
    },
  }
}
