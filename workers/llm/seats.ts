/** Places for work that may hang, of which none has more than its share. */
export interface Seats {
  /**
   * Takes one for an organisation, and returns what gives it back; null while all are taken, or the organisation holds its share, or as
   * many as it may for this.
   */
  take(orgId: string, mostOwn?: number): (() => void) | null
}

/**
 * Makes seats, `most` of them, of which an organisation holds `share` at most, whether others want them or not: who comes is served
 * at once.
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
