import { log } from '#lib/log.ts'
import * as secrets from '#sql/account/keys/secrets.ts'
import type { DatabasePool } from '#sql/db.ts'

const writeEveryMs = 60_000

/** Records when secrets of keys were last used. */
export class KeyUses {
  readonly #db: DatabasePool
  readonly #used = new Map<string, Date>()
  #writtenAt = Date.now()

  constructor(db: DatabasePool) {
    this.#db = db
  }

  note(secretId: string): void {
    const now = Date.now()
    if (!this.#used.has(secretId)) this.#used.set(secretId, new Date(now))
    if (now - this.#writtenAt <= writeEveryMs) return
    this.#writtenAt = now
    void this.flush()
  }

  async flush(): Promise<void> {
    const uses = new Map(this.#used)
    this.#used.clear()
    await secrets
      .touchAll(this.#db, uses)
      .catch((err) => log.warn({ err }, 'the last use of keys could not be recorded'))
  }
}
