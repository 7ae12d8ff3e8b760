import { counter, watchedGauge } from '#lib/telemetry/metrics.ts'
import { type Arrival, Holder, type Turn } from './slot-holder.ts'

/** Shares of organisations in a pool whose jobs wait for external servers. */
export interface SlotShare {
  /**
   * Maximum part of a worker process’s slots for the jobs of one organisation, at least one slot. The part applies to
   * each process, so it also applies to all processes together.
   */
  perOrganisation: number
  tasks?: readonly string[]
  /**
   * Tasks without an organisation that also wait for external servers. All jobs of one task together have one such
   * part.
   */
  ofNobody?: readonly string[]
}

interface ShareParts {
  pool: string
  slots: number
  share: SlotShare
  /** Makes the first `count` of these jobs due if they are still waiting. Returns their IDs. */
  makeDue(ids: readonly number[], count: number): Promise<readonly number[]>
}

/**
 * Maximum time in milliseconds that a job waits in its slot for its organisation’s turn. The job returns earlier if
 * others need the slot.
 */
const mostInPlaceMs = 10_000

/**
 * Minimum interval between returned jobs in milliseconds. Without it, a backlog would circulate as fast as Postgres
 * allows.
 */
const paceMs = 25

const gatherMs = 25

/**
 * Delay in milliseconds after which an organisation with free slots calls its waiting jobs again. Another process can
 * have fetched them.
 */
const againMs = 1_000

const looked = 20

const putBacks = counter(
  'millrace_share_put_backs_total',
  'Jobs that returned to their queue because their organisation uses its share of the slots.',
  ['pool'],
)
const atLimit = watchedGauge(
  'millrace_share_organisations',
  'Organisations with jobs that are waiting for their share.',
  ['pool'],
)

/**
 * Shares one pool’s slots among organisations. An organisation that uses its whole share gets no further slot, even if
 * slots are free, because blocked jobs cannot be stopped when others need the slots. Its further jobs wait in unused
 * slots, and then in the queue, until their turn.
 */
export class SlotShares {
  readonly #parts: ShareParts
  readonly #most: number
  readonly #kept: number
  readonly #holders = new Map<string, Holder>()
  #busy = 0
  #lastLeaves = 0
  #isClosed = false
  #gathering: NodeJS.Timeout | undefined
  readonly #freed = new Map<Holder, number>()
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

  /**
   * Returns the turn of a fetched job when it can run, or the delay in milliseconds until the job must be fetched
   * again.
   */
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

  /** Waits until a job can return to the queue, unless its turn comes first. One job returns at a time. */
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

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#gathering)
    for (const timer of this.#again.values()) clearTimeout(timer)
    for (const holder of this.#holders.values()) holder.evictAll()
    this.#unwatch()
  }

  /** Returns the owner of a job’s share: its organisation or its task. Returns undefined if the job has no share. */
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

  /** Removes an owner without running or waiting jobs. Another owner with the same name can exist by now. */
  #remove(holder: Holder): void {
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

  /**
   * Returns jobs that wait in slots which others may need next. Starts with the organisation that has the most jobs.
   */
  #makeRoom(): void {
    for (let over = this.#busy - this.#parts.slots + this.#kept; over > 0; over--) {
      const [largest] = [...this.#holders.values()].sort((a, b) => b.waiting - a.waiting)
      if (!largest?.evict()) return
    }
  }

  #ended(holder: Holder, begun: number): void {
    holder.ended(begun)
    const next = holder.next()
    next?.begin(this.#begin(holder))
    // A job in the queue is called only for a slot that no fetched job takes.
    if (!next && holder.line.length > 0 && !this.#isClosed) this.#gather(holder)
    this.#remove(holder)
  }

  #putBack(holder: Holder, { id, priority }: Arrival): number {
    this.#busy--
    putBacks.inc({ pool: this.#parts.pool })
    return this.#isClosed ? 0 : holder.joinLine(id, priority, this.#most)
  }

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
   * Calls an organisation’s waiting jobs for each freed or spare slot. Removes jobs that no longer exist or were
   * already fetched.
   */
  async #call(holder: Holder, freed: number): Promise<void> {
    let left = Math.max(freed, this.#most - holder.running)
    while (left > 0 && holder.line.length > 0 && !this.#isClosed) {
      const ids = holder.line.slice(0, looked + left).map(({ id }) => id)
      const called = await this.#parts.makeDue(ids, left).catch(() => null)
      // While Postgres is unavailable, jobs are fetched when they are due or called later.
      if (!called) break
      left -= called.length
      const last = left > 0 ? ids.length : Math.max(...called.map((id) => ids.indexOf(id))) + 1
      for (const id of ids.slice(0, last)) holder.leaveLine(id)
    }
    this.#callAgain(holder)
    this.#remove(holder)
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
