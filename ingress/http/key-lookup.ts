import { LRUCache } from 'lru-cache'
import { log } from '#lib/log.ts'
import { SingleFlight } from '#lib/single-flight.ts'
import * as secrets from '#sql/account/keys/secrets.ts'
import * as keys from '#sql/account/keys.ts'
import * as moved from '#sql/account/move/moved.ts'
import type { DatabasePool } from '#sql/db.ts'

/** Time to live in milliseconds of a cached key whose organisation is being moved. A move takes little time. */
const movingMs = 300

const most = 10_000

export interface KeyLookupOptions {
  /** Counts a lookup of an unknown key. The returned function takes the count back. Throws 429 after too many. */
  takeUnknown: (ip: string) => () => void
  cells: boolean
  /** Called before a key is cached. From then on, the process receives changes of keys. */
  follow: () => void
}

/** Looks up keys. Each key is read at most once in `ttl` milliseconds, regardless of the number of requests. */
export class KeyLookup {
  readonly #db: DatabasePool
  readonly #ttl: number
  readonly #options: KeyLookupOptions
  readonly #known: LRUCache<string, keys.Caller>
  readonly #holders: LRUCache<string, keys.Caller>
  /** Unknown keys have a separate cache, so that many of them do not remove valid keys from the cache. */
  readonly #unknown: LRUCache<string, true>
  /** Keys that were valid once are looked up even if other clients of the network try unknown keys. */
  readonly #proven = new LRUCache<string, true>({ max: most })
  readonly #left: LRUCache<string, string>
  readonly #lookups = new SingleFlight<keys.Caller | null>()
  /** Number of key changes. Data that was read before a key changed is not cached after the change. */
  #forgotten = 0

  constructor(db: DatabasePool, ttl: number, options: KeyLookupOptions) {
    this.#db = db
    this.#ttl = ttl
    this.#options = options
    this.#known = new LRUCache({ max: most, ttl })
    this.#holders = new LRUCache({ max: most, ttl })
    this.#unknown = new LRUCache({ max: most, ttl })
    this.#left = new LRUCache({ max: most, ttl })
  }

  /** Returns the caller of a key that a client presents. Throws 429 if the network tries many unknown keys. */
  find(hash: string, ip: string): keys.Caller | null | Promise<keys.Caller | null> {
    const caller = this.#known.get(hash)
    if (caller) return caller
    if (this.#unknown.has(hash) || this.#left.has(hash)) return null
    return this.#lookups.share(hash, () =>
      this.#ask(hash, this.#proven.has(hash) ? undefined : this.#options.takeUnknown(ip)),
    )
  }

  async findHolder(keyId: string): Promise<keys.Caller | undefined> {
    const cached = this.#holders.get(keyId)
    if (cached) return cached
    return (await this.#lookups.share(keyId, () => this.#askHolder(keyId))) ?? undefined
  }

  /** Returns the cell that an unknown key has moved to, if it is known. */
  cellOf(hash: string): string | undefined {
    return this.#left.get(hash)
  }

  /** Removes a key and the keys that it created from the cache, or all keys. */
  forget(keyId: string | undefined): void {
    this.#forgotten += 1
    if (keyId === undefined) {
      this.#known.clear()
      this.#holders.clear()
      return
    }
    this.#holders.delete(keyId)
    for (const [hash, { key }] of this.#known.entries()) {
      if (key.id === keyId || key.makers.some(({ id }) => id === keyId)) this.#known.delete(hash)
    }
  }

  async #ask(hash: string, giveBack: (() => void) | undefined): Promise<keys.Caller | null> {
    try {
      this.#options.follow()
      const before = this.#forgotten
      const caller = await keys.findPresented(this.#db, hash)
      if (!caller) {
        if (await this.#noteMissing(hash)) giveBack?.()
        return null
      }
      if (before === this.#forgotten) this.#known.set(hash, caller, this.#ttlOf(caller))
      if (!caller.key.proven && !keys.isExpired(caller)) await beginSecret(this.#db, caller)
      this.#proven.set(hash, true)
      giveBack?.()
      return caller
    } catch (error) {
      giveBack?.()
      throw error
    }
  }

  /** Caches that no key exists here. Returns true if the key has moved to another cell. */
  async #noteMissing(hash: string): Promise<boolean> {
    const cell = this.#options.cells ? await moved.findCell(this.#db, 'key', hash) : null
    if (cell !== null) this.#left.set(hash, cell)
    else {
      this.#unknown.set(hash, true)
      this.#proven.delete(hash)
    }
    return cell !== null
  }

  async #askHolder(keyId: string): Promise<keys.Caller | null> {
    this.#options.follow()
    const before = this.#forgotten
    const caller = await keys.findHolder(this.#db, keyId)
    if (caller && before === this.#forgotten) this.#holders.set(keyId, caller, this.#ttlOf(caller))
    return caller
  }

  /** Requests that wait for the end of a move must not get the state before it from the cache. */
  #ttlOf({ org }: keys.Caller): { ttl: number } {
    return { ttl: org.moving ? Math.min(this.#ttl, movingMs) : this.#ttl }
  }
}

/** If the first use of the key cannot be recorded now, it is recorded at the key’s next lookup. */
async function beginSecret(db: DatabasePool, { key }: keys.Caller): Promise<void> {
  await secrets
    .begin(db, key.secret_id)
    .catch((err) => log.warn({ err }, 'the first use of a secret could not be recorded'))
}
