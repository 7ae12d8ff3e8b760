/** Time in milliseconds after its last request in which a session counts as watching. */
const watchingMs = 10_000

/** Times of the last request of each session or channel, oldest first. */
type LastSeenTimes = Map<string, number>

/** Counts the sessions that watch channels through this process. Keeps only the sessions of the last seconds. */
export class Audience {
  readonly #sessions = new Map<string, LastSeenTimes>()
  readonly #channels: LastSeenTimes = new Map()

  get size(): number {
    return [...this.#sessions.values()].reduce((sum, { size }) => sum + size, 0)
  }

  see(channelId: string, sessionId: string, now = Date.now()): void {
    const sessions = this.#sessions.get(channelId) ?? new Map()
    this.#sessions.set(channelId, sessions)
    note(sessions, sessionId, now)
    note(this.#channels, channelId, now)
    for (const session of gone(sessions, now)) sessions.delete(session)
    for (const idle of gone(this.#channels, now)) {
      this.#channels.delete(idle)
      this.#sessions.delete(idle)
    }
  }

  count(channelId: string, now = Date.now()): number {
    const sessions = this.#sessions.get(channelId) ?? new Map()
    for (const session of gone(sessions, now)) sessions.delete(session)
    return sessions.size
  }
}

function note(seen: LastSeenTimes, name: string, now: number): void {
  seen.delete(name)
  seen.set(name, now)
}

function* gone(seen: LastSeenTimes, now: number): Generator<string> {
  for (const [name, at] of seen) {
    if (at > now - watchingMs) return
    yield name
  }
}
