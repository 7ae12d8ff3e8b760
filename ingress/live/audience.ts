/** Milliseconds for which a session counts as watching after a request. */
const watchingMs = 10_000

/** When each was seen last; the longest ago is the first. */
type LastSeenTimes = Map<string, number>

/** The sessions that watch channels through this process; it holds those of the last seconds alone. */
export class Audience {
  readonly #sessions = new Map<string, LastSeenTimes>()
  readonly #channels: LastSeenTimes = new Map()

  /** Sessions that are held, of all channels. */
  get size(): number {
    return [...this.#sessions.values()].reduce((sum, { size }) => sum + size, 0)
  }

  /** Notes a request. */
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

  /** How many sessions watch a channel now. */
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
