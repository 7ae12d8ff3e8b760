import { type Claimer, claimMs } from './claims.ts'
import type { ClaimedRow } from './database.ts'
import { type Chain, type Lane, Lanes, toChains } from './lanes.ts'
import type { Counters } from './metrics.ts'
import { type Outcome, unknownResult } from './outcomes.ts'
import type { Sender } from './sender.ts'
import type { Settler } from './settler.ts'

/** Rows are claimed in advance for this many times the number of concurrent requests. */
const ahead = 4

type Later = Extract<Outcome, { kind: 'later' }>

/** True if the response is from Millrace, so that other rows can be sent. */
const isAnswer = (outcome: Outcome): boolean =>
  outcome.kind !== 'later' || (outcome.refusal.status !== null && outcome.pause?.of !== 'relay')

export interface DispatcherOptions {
  claimer: Claimer
  settler: Settler
  sender: Sender
  counters: Counters
  concurrency: number
  strict: boolean
  /** Called when more rows can be claimed. */
  onRoom(): void
  onProblem(problem: string): void
}

/** Sends claimed rows: the rows of a key one after another, all others at the same time, within limits per operation. */
export class Dispatcher {
  readonly #options: DispatcherOptions
  readonly #lanes: Lanes
  readonly #held = new Set<ClaimedRow>()
  readonly #abort = new AbortController()
  #pausedUntil = 0
  /** At the start and after a pause, one row is sent as a test. */
  #testing = true
  #stopping = false
  #extendedAt = performance.now()
  problem: string | undefined

  constructor(options: DispatcherOptions) {
    this.#options = options
    this.#lanes = new Lanes(options.concurrency)
  }

  get held(): number {
    return this.#held.size
  }

  /** Number of rows that can be claimed. */
  get room(): number {
    if (this.#testing) return this.#held.size === 0 ? 1 : 0
    return Math.max(0, this.#options.concurrency * ahead - this.#held.size)
  }

  /** Milliseconds until the end of the pause of all operations, or 0. */
  get pausedMs(): number {
    return Math.max(0, this.#pausedUntil - performance.now())
  }

  /** Operations of which no rows should be claimed. */
  get closed(): string[] {
    return this.#lanes.closed(performance.now())
  }

  add(rows: ClaimedRow[]): void {
    for (const row of rows) {
      this.#held.add(row)
      this.#lanes.of(row.operation).held++
    }
    for (const chain of toChains(rows)) this.#enqueue(chain)
  }

  /** Extends the claims of rows that wait for long. */
  async extend(): Promise<void> {
    if (performance.now() - this.#extendedAt < claimMs / 5) return
    this.#extendedAt = performance.now()
    const soon = performance.now() + claimMs / 2
    const rows = [...this.#held].filter(({ until }) => until < soon)
    if (rows.length > 0) await this.#options.claimer.extend(rows)
  }

  /** Waits for the requests that are being sent. After `ms` milliseconds, aborts them. */
  async stop(ms: number): Promise<void> {
    this.#stopping = true
    for (const lane of this.#lanes.all()) this.#empty(lane)
    const end = performance.now() + ms
    while (this.#held.size > 0) {
      if (performance.now() > end) this.#abort.abort()
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    this.#options.sender.close()
  }

  #enqueue(chain: Chain): void {
    const [first] = chain
    if (!first) return
    const lane = this.#lanes.of(first.operation)
    if (this.#stopping || this.pausedMs > 0 || lane.pausedUntil > performance.now()) {
      this.#release(chain)
      return
    }
    lane.queue.push(chain)
    this.#pump(lane)
  }

  #pump(lane: Lane): void {
    while (lane.active < Math.max(1, Math.floor(lane.limit))) {
      const chain = lane.queue.shift()
      if (!chain) return
      lane.active++
      void this.#sendFirst(lane, chain).finally(() => {
        lane.active--
        this.#pump(lane)
      })
    }
  }

  /** Sends the first row of a chain. The rest of the chain waits for its result. */
  async #sendFirst(lane: Lane, chain: Chain): Promise<void> {
    const [row, ...rest] = chain as [ClaimedRow, ...Chain]
    const goesOn = await this.#sendRow(lane, row)
    this.#let(row)
    if (goesOn) this.#enqueue(rest)
    else this.#release(rest)
    this.#options.onRoom()
  }

  /** Returns true if the next row of the key can be sent. */
  async #sendRow(lane: Lane, row: ClaimedRow): Promise<boolean> {
    const { settler, counters, strict } = this.#options
    if (row.stale) {
      counters.refuse(row.operation)
      settler.refuse(row, unknownResult)
      return !strict
    }
    const outcome = await this.#attempt(row)
    if (outcome === undefined) return false
    if (outcome.kind !== 'later') this.#lanes.speedUp(lane)
    if (isAnswer(outcome)) this.#recover()
    if (outcome.kind === 'accepted') {
      settler.accept(row, outcome.reply)
      return true
    }
    if (outcome.kind === 'refused') {
      counters.refuse(row.operation)
      settler.refuse(row, outcome.refusal)
      return !strict
    }
    counters.retry(row.operation)
    settler.retry(row, outcome.refusal, this.#delayOf(outcome), outcome.certain)
    this.#slowDown(lane, outcome)
    return false
  }

  /** During an outage, a row does not wait longer than all others. So it is sent soon after the end of the outage. */
  #delayOf({ afterMs, pause }: Later): number {
    return this.#testing && pause?.of === 'relay' ? Math.min(afterMs, pause.ms) : afterMs
  }

  /** Returns undefined if the claim has ended, or the body no longer exists. */
  async #attempt(row: ClaimedRow): Promise<Outcome | undefined> {
    const { claimer, sender } = this.#options
    try {
      const large = row.body === null && row.bytes > 0
      const body = large ? await claimer.readBody(row.seq) : row.body
      const isLost = body === undefined || row.until - performance.now() < 1_000
      return isLost ? undefined : await sender.send(row, body, this.#abort.signal)
    } catch {
      // The database did not answer. The claim ends, and the row is claimed again.
      return undefined
    }
  }

  #recover(): void {
    this.#testing = false
    this.problem = undefined
  }

  #slowDown(lane: Lane, { refusal, pause }: Later): void {
    if (!pause) return
    if (pause.of === 'operation') {
      this.#lanes.slowDown(lane, pause.ms, performance.now())
      this.#empty(lane)
      return
    }
    if (this.problem === undefined) this.#options.onProblem(refusal.message)
    this.problem = refusal.message
    this.#testing = true
    this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + pause.ms)
    for (const each of this.#lanes.all()) this.#empty(each)
  }

  #empty(lane: Lane): void {
    for (const chain of lane.queue.splice(0)) this.#release(chain)
  }

  #release(rows: readonly ClaimedRow[]): void {
    if (rows.length === 0) return
    for (const row of rows) this.#let(row)
    this.#options.settler.release(rows)
  }

  #let(row: ClaimedRow): void {
    this.#held.delete(row)
    this.#lanes.of(row.operation).held--
  }
}
