/** Milliseconds for which a session counts as watching after a request. */
const watchingMs = 10_000

/** The sessions that watch channels through this process. */
export class Audience {
  readonly #seen = new Map<string, Map<string, number>>()

  /** Notes a request. */
  see(channelId: string, sessionId: string, now = Date.now()): void {
    const sessions = this.#seen.get(channelId) ?? new Map<string, number>()
    // The oldest is the first: counting stops at it.
    sessions.delete(sessionId)
    sessions.set(sessionId, now)
    this.#seen.set(channelId, sessions)
  }

  /** How many sessions watch a channel now. */
  count(channelId: string, now = Date.now()): number {
    const sessions = this.#seen.get(channelId)
    if (!sessions) return 0
    for (const [session, at] of sessions) {
      if (at > now - watchingMs) break
      sessions.delete(session)
    }
    if (sessions.size === 0) this.#seen.delete(channelId)
    return sessions.size
  }
}
