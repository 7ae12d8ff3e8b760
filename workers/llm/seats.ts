/** Places for work that may hang, of which none has more than its share. */
export interface Seats {
  /** Takes one for an organisation, and returns what gives it back; null while it holds its share, or as many as it may for this. */
  take(orgId: string, most?: number): (() => void) | null
}

/** Makes seats, of which an organisation holds `share` at most, whether others want them or not: who comes is served at once. */
export function createSeats(share: number): Seats {
  const held = new Map<string, number>()
  return {
    take(orgId, most = share) {
      const own = held.get(orgId) ?? 0
      if (own >= Math.min(most, share)) return null
      held.set(orgId, own + 1)
      return () => {
        const left = (held.get(orgId) ?? 1) - 1
        if (left > 0) held.set(orgId, left)
        else held.delete(orgId)
      }
    },
  }
}
