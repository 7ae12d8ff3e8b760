import { counter, watchedGauge } from '#lib/telemetry/metrics.ts'
import { type Arrival, Holder, type Turn } from './slot-holder.ts'

/** How organisations share a pool whose jobs wait for servers that are not ours. */
export interface SlotShare {
  /**
   * Part of the slots of a worker process that the jobs of one organisation hold at most, and at least one. It holds in each
   * process: of all processes together an organisation has the same part.
   */
  perOrganisation: number
  /** Tasks that it is for; all of the pool's where none are given. */
  tasks?: readonly string[]
  /** Tasks of no organisation that wait for servers of others, too: the jobs of each have such a part together. */
  ofNobody?: readonly string[]
}

/** What the shares of a pool know and can do. */
interface ShareParts {
  pool: string
  slots: number
  share: SlotShare
  /** Makes the first `count` of these jobs due that still wait, and returns which those were. */
  makeDue(ids: readonly number[], count: number): Promise<readonly number[]>
}

/** Milliseconds that a job waits in its slot at most for its organisation's turn; where others need the slot, it goes back sooner. */
const mostInPlaceMs = 10_000

/** Milliseconds between two jobs that go back: what keeps a backlog from going round as fast as Postgres can. */
const paceMs = 25

/** Milliseconds within which freed slots are told together. */
const gatherMs = 25

/** Milliseconds after which an organisation with slots to spare has its line called again: another process may have got what was called. */
const againMs = 1_000

/** Jobs of which it is looked which still waits, when a slot is freed. */
const looked = 20

const putBacks = counter(
  'millrace_share_put_backs_total',
  'Jobs that went back to their queue as their organisation holds its share of the slots.',
  ['pool'],
)
const atLimit = watchedGauge('millrace_share_organisations', 'Organisations with jobs that wait for their share.', [
  'pool',
])

/**
 * Shares one pool's slots among organisations. An organisation that holds its share gets no further slot, whether others want it
 * now or not: what hangs cannot be stopped when they come. Its further jobs wait in slots that nobody needs, and beyond those in
 * the queue, from where they are called when their turn has come.
 */
export class SlotShares {
  readonly #parts: ShareParts
  /** Slots of one organisation at most, and slots in which no job waits for its turn. */
  readonly #most: number
  readonly #kept: number
  readonly #holders = new Map<string, Holder>()
  /** Jobs that run or wait for their turn, without those that are about to go back. */
  #busy = 0
  /** When the last of those is to go. */
  #lastLeaves = 0
  #isClosed = false
  #gathering: NodeJS.Timeout | undefined
  readonly #freed = new Map<Holder, number>()
  /** Those whose line is called again after a while. */
  readonly #again = new Map<Holder, NodeJS.Timeout>()
  readonly #unwatch: () => void

  constructor(parts: ShareParts) {
    const { slots, share, pool } = parts
    this.#parts = parts
    this.#most = Math.max(1, Math.floor(slots * share.perOrganisation))
    this.#kept = Math.max(1, Math.floor(slots / 4))
    putBacks.inc({ pool }, 0)
    this.#unwatch = atLimit.watch(() => [
      { labels: { pool }, value: [...this.#holders.values()].filter((holder) => holder.isWaiting).length },
    ])
  }

  /** Returns the turn of a fetched job when it may run, or after how many milliseconds it is to be fetched again. */
  async enter(job: Arrival): Promise<Turn | number> {
    this.#busy++
    const name = this.#holds(job)
    const holder = name === undefined ? undefined : this.#holderOf(name)
    holder?.leaveLine(job.id)
    if (!holder || holder.running < this.#most) {
      this.#makeRoom()
      return this.#begin(holder)
    }
    if (this.#isClosed) return this.#putBack(holder, job)
    const begins = this.#hasRoom ? await holder.wait(job, mostInPlaceMs) : await this.#leave(holder, job)
    return begins ?? this.#putBack(holder, job)
  }

  /** Waits until a job may go back, one after the other, unless its turn comes before. */
  async #leave(holder: Holder, job: Arrival): Promise<Turn | undefined> {
    const now = performance.now()
    this.#lastLeaves = Math.max(now, this.#lastLeaves + paceMs)
    this.#busy--
    try {
      return await holder.wait(job, this.#lastLeaves - now, true)
    } finally {
      this.#busy++
    }
  }

  /** Sends back what waits in slots, and lets nothing wait there any more. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#gathering)
    for (const timer of this.#again.values()) clearTimeout(timer)
    for (const holder of this.#holders.values()) holder.evictAll()
    this.#unwatch()
  }

  /** Whose share a job is of: its organisation's, or its task's; undefined for one that is of none. */
  #holds({ task, org }: Arrival): string | undefined {
    const { tasks, ofNobody } = this.#parts.share
    if (org === undefined) return ofNobody?.includes(task) ? task : undefined
    return !tasks || tasks.includes(task) ? org : undefined
  }

  get #hasRoom(): boolean {
    return this.#busy <= this.#parts.slots - this.#kept
  }

  #holderOf(org: string): Holder {
    const holder = this.#holders.get(org) ?? new Holder(org)
    this.#holders.set(org, holder)
    return holder
  }

  /** Forgets one that holds nothing and waits for nothing; there may be another of its name by now. */
  #forget(holder: Holder): void {
    if (holder.isIdle && this.#holders.get(holder.org) === holder) this.#holders.delete(holder.org)
  }

  #begin(holder: Holder | undefined): Turn {
    const begun = holder?.begin()
    return {
      end: () => {
        this.#busy--
        if (holder && begun !== undefined) this.#ended(holder, begun)
      },
    }
  }

  /** Sends jobs back that wait in slots which others may need next, of the organisation that has most of them first. */
  #makeRoom(): void {
    for (let over = this.#busy - this.#parts.slots + this.#kept; over > 0; over--) {
      const [largest] = [...this.#holders.values()].sort((a, b) => b.waiting - a.waiting)
      if (!largest?.evict()) return
    }
  }

  #ended(holder: Holder, begun: number): void {
    holder.ended(begun)
    holder.next()?.begin(this.#begin(holder))
    if (holder.line.length > 0 && !this.#isClosed) this.#gather(holder)
    this.#forget(holder)
  }

  #putBack(holder: Holder, { id, priority }: Arrival): number {
    this.#busy--
    putBacks.inc({ pool: this.#parts.pool })
    return this.#isClosed ? 0 : holder.joinLine(id, priority, this.#most)
  }

  /** Has jobs of an organisation that wait in the queue fetched, as many as it has slots freed. */
  #gather(holder: Holder): void {
    this.#freed.set(holder, (this.#freed.get(holder) ?? 0) + 1)
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined
      const freed = [...this.#freed]
      this.#freed.clear()
      for (const [each, count] of freed) void this.#call(each, count)
    }, gatherMs)
  }

  /**
   * Calls jobs out of the line of an organisation, for each slot that it was freed or has to spare; those that are gone, or come by
   * themselves, leave it.
   */
  async #call(holder: Holder, freed: number): Promise<void> {
    let left = Math.max(freed, this.#most - holder.running)
    while (left > 0 && holder.line.length > 0 && !this.#isClosed) {
      const ids = holder.line.slice(0, looked + left).map(({ id }) => id)
      const called = await this.#parts.makeDue(ids, left).catch(() => null)
      // While Postgres is away they come by their time, or are called later.
      if (!called) break
      left -= called.length
      const last = left > 0 ? ids.length : Math.max(...called.map((id) => ids.indexOf(id))) + 1
      for (const id of ids.slice(0, last)) holder.leaveLine(id)
    }
    this.#callAgain(holder)
    this.#forget(holder)
  }

  #callAgain(holder: Holder): void {
    if (this.#isClosed || this.#again.has(holder) || holder.line.length === 0 || holder.running >= this.#most) return
    const again = () => {
      this.#again.delete(holder)
      if (holder.running < this.#most) void this.#call(holder, 0)
    }
    this.#again.set(holder, setTimeout(again, againMs))
  }
}
