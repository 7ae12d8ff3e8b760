import type { Database } from './database.ts'

const [tickMs, pruneMs, promoteMs] = [5_000, 60_000, 100]

const pruneGroup = 1_000

interface Counts {
  waiting: number
  scheduled: number
  failed: number
  lagSeconds: number
}

export interface HousekeeperOptions {
  id: string
  name: string
  keepSentHours: number
}

/** Regular work of a relay: reports that it runs, reads the lag, and deletes old rows of `millrace.sent`. */
export class Housekeeper {
  readonly #database: Database
  readonly #options: HousekeeperOptions
  #tickedAt = Number.NEGATIVE_INFINITY
  #prunedAt = Number.NEGATIVE_INFINITY
  #promotedAt = Number.NEGATIVE_INFINITY
  counts: Counts = { waiting: 0, scheduled: 0, failed: 0, lagSeconds: 0 }

  constructor(database: Database, options: HousekeeperOptions) {
    this.#database = database
    this.#options = options
  }

  get isPromotionDue(): boolean {
    if (performance.now() - this.#promotedAt < promoteMs) return false
    this.#promotedAt = performance.now()
    return true
  }

  /** Does what is due. Returns true if the counts are new. */
  async tick(problem: string | undefined): Promise<boolean> {
    if (performance.now() - this.#tickedAt < tickMs) return false
    this.#tickedAt = performance.now()
    await this.#database.query('seen', seenSql, [this.#options.id, this.#options.name, problem ?? null])
    const { rows } = await this.#database.query('lag', 'select waiting, scheduled, failed, seconds from millrace.lag')
    const { waiting, scheduled, failed, seconds } = rows[0]
    this.counts = {
      waiting: Number(waiting),
      scheduled: Number(scheduled),
      failed: Number(failed),
      lagSeconds: Number(seconds),
    }
    if (performance.now() - this.#prunedAt > pruneMs) await this.#prune()
    return true
  }

  async leave(): Promise<void> {
    await this.#database.query('leave', 'delete from millrace.relays where id = $1', [this.#options.id])
  }

  async #prune(): Promise<void> {
    await this.#database.query('prune_relays', `delete from millrace.relays where seen_at < now() - interval '1 hour'`)
    const { rowCount } = await this.#database.query('prune', pruneSql, [this.#options.keepSentHours])
    // A full group is followed by the next one at the next tick.
    if ((rowCount ?? 0) < pruneGroup) this.#prunedAt = performance.now()
  }
}

const seenSql = `
insert into millrace.relays (id, name, problem) values ($1, $2, $3)
on conflict (id) do update set seen_at = now(), problem = excluded.problem`

const pruneSql = `
delete from millrace.sent where id = any (array(
  select id from millrace.sent where sent_at < now() - $1 * interval '1 hour'
  order by sent_at limit ${pruneGroup} for update skip locked))`
