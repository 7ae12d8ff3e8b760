/** Keeps sessions by key for the next use. Ends sessions that are unused for a while. */
export class IdlePool<T> {
  readonly #end: (thing: T) => Promise<void>
  readonly #idleMs: number
  readonly #all = new Map<string, Entry<T>>()

  constructor(end: (thing: T) => Promise<void>, idleMs = 600_000) {
    this.#end = end
    this.#idleMs = idleMs
  }

  /** Runs `work` with the session of the key. Creates the session if it does not exist. */
  async use<R>(key: string, make: () => T, work: (thing: T) => Promise<R>): Promise<R> {
    const entry = this.#all.get(key) ?? { thing: make(), users: 0 }
    this.#all.set(key, entry)
    clearTimeout(entry.idle)
    entry.users++
    try {
      return await work(entry.thing)
    } finally {
      entry.users--
      if (entry.users === 0) entry.idle = setTimeout(() => void this.#drop(key), this.#idleMs).unref()
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all.keys()].map((key) => this.#drop(key)))
  }

  async #drop(key: string): Promise<void> {
    const entry = this.#all.get(key)
    this.#all.delete(key)
    clearTimeout(entry?.idle)
    if (entry) await this.#end(entry.thing)
  }
}

interface Entry<T> {
  thing: T
  users: number
  idle?: NodeJS.Timeout
}
