import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { Claimer } from './claims.ts'
import { answerMs, type ClaimedRow, type OutboxPool, openDatabase, within } from './database.ts'
import { Dispatcher } from './dispatcher.ts'
import { Housekeeper } from './housekeeper.ts'
import { Counters, type OutboxMetrics } from './metrics.ts'
import { checkOptions, type RelayOptions } from './options.ts'
import { Sender } from './sender.ts'
import { Settler } from './settler.ts'
import { checkSchema } from './version.ts'
import { WakeUp } from './wake-up.ts'

const maxClaim = 64

/** Interval of polls while rows come, and time without rows after which the relay sleeps. */
const [pollMs, restlessMs] = [10, 1_000]

/** Longest sleep. It finds rows whose notification was lost, scheduled rows, and rows of a killed relay. */
const sleepMs = 1_000

const stopMs = 10_000

export interface Relay {
  /** Stops claiming, waits for the requests that are being sent, and returns all other rows. */
  stop(): Promise<void>
  metrics(): OutboxMetrics
}

/**
 * Sends the rows of the outbox until you call `stop`. Throws if the outbox is not installed in the database, or has
 * another version. `pool` needs three connections.
 */
export async function startRelay(pool: OutboxPool, options: RelayOptions = {}): Promise<Relay> {
  checkOptions(options, pool.options?.max)
  const sender = await Sender.create(options)
  await checkSchema(pool)
  const relay = new RunningRelay(pool, sender, options)
  relay.start()
  return relay
}

class RunningRelay implements Relay {
  readonly #options: RelayOptions
  readonly #counters = new Counters()
  readonly #claimer: Claimer
  readonly #settler: Settler
  readonly #dispatcher: Dispatcher
  readonly #housekeeper: Housekeeper
  readonly #wakeUp: WakeUp | undefined
  readonly #pool: OutboxPool
  #stopping = false
  #nudge: (() => void) | undefined
  #nudged = false
  #lastWork = performance.now()
  #databaseProblem: string | undefined
  #reporting: Promise<void> | undefined
  #reportFailed = false
  #done: Promise<void> = Promise.resolve()

  constructor(pool: OutboxPool, sender: Sender, options: RelayOptions) {
    const { concurrency = 32, strict = false, keepSentHours = 24, session = true } = options
    const { databaseTimeoutMs = answerMs } = options
    const claim = randomUUID()
    const database = openDatabase(pool, session, databaseTimeoutMs)
    this.#pool = pool
    this.#options = options
    this.#claimer = new Claimer(database, claim, strict)
    this.#settler = new Settler({
      ...{ pool: database, claim, keepsSent: keepSentHours > 0 },
      onAccepted: (operation, seconds) => this.#counters.accept(operation, seconds),
      onFailure: (error) => this.#report(error),
    })
    this.#dispatcher = new Dispatcher({
      ...{ claimer: this.#claimer, settler: this.#settler, sender, counters: this.#counters, concurrency, strict },
      onRoom: () => this.#wake(),
      onProblem: (problem) => this.#log('warn', problem),
    })
    this.#housekeeper = new Housekeeper(database, {
      ...{ id: claim, name: `${hostname()}:${process.pid}`, keepSentHours },
    })
    if (session) this.#wakeUp = new WakeUp(pool, databaseTimeoutMs, () => this.#wake())
  }

  start(): void {
    this.#pool.on('error', this.#ignore)
    this.#done = this.#run()
  }

  async stop(): Promise<void> {
    this.#stopping = true
    this.#wake()
    await this.#done
    await within(this.#reporting ?? Promise.resolve(), stopMs).catch(() => {})
    await this.#dispatcher.stop(stopMs)
    await this.#settler.drain(stopMs)
    await this.#housekeeper.leave().catch(() => {})
    this.#wakeUp?.close()
    this.#pool.off('error', this.#ignore)
  }

  metrics(): OutboxMetrics {
    const { accepted, refused, retried, latency } = this.#counters
    return {
      ...{ accepted, refused, retried, latency, inFlight: this.#dispatcher.held, problem: this.#problem },
      ...this.#housekeeper.counts,
    }
  }

  /** Without a listener, the error of an idle connection would end the process. The next query reports it. */
  readonly #ignore = (): void => {}

  get #problem(): string | undefined {
    return this.#databaseProblem ?? this.#dispatcher.problem
  }

  async #run(): Promise<void> {
    for (let failures = 0; !this.#stopping; ) {
      try {
        await this.#wakeUp?.keepConnected()
        await this.#tidy()
        await this.#pause(await this.#step())
        failures = 0
        this.#recover()
      } catch (error) {
        this.#report(error)
        await this.#pause(Math.min(5_000, 50 * 2 ** failures++))
      }
    }
  }

  /** Claims and starts rows. Returns the milliseconds until the next step. */
  async #step(): Promise<number> {
    const room = Math.min(maxClaim, this.#dispatcher.room)
    if (room === 0) return 100
    if (this.#dispatcher.pausedMs > 0) return Math.min(sleepMs, this.#dispatcher.pausedMs)
    const rows = await this.#claimer.claim({ limit: room, without: this.#dispatcher.closed })
    this.#start(rows)
    if (rows.length >= room) return 0
    if (rows.length > 0 || performance.now() - this.#lastWork < restlessMs) {
      await this.#wakeUp?.startPolling()
      return pollMs
    }
    if (!this.#wakeUp) return Math.min(250, (performance.now() - this.#lastWork) / 10)
    if (performance.now() - this.#lastWork < restlessMs * 2) {
      // Enqueuers that did not notify, because they saw the lock, have one more second to commit.
      await this.#wakeUp.stopPolling()
      return pollMs * 2
    }
    return sleepMs
  }

  #start(rows: ClaimedRow[]): void {
    if (rows.length === 0) return
    this.#lastWork = performance.now()
    this.#dispatcher.add(rows)
  }

  async #tidy(): Promise<void> {
    await this.#dispatcher.extend()
    this.#reporting ??= this.#reportState().finally(() => {
      this.#reporting = undefined
    })
    if (this.#housekeeper.isPromotionDue && (await this.#claimer.promote()) > 0) this.#lastWork = performance.now()
  }

  /** Runs beside the loop, because it reads the whole outbox. */
  async #reportState(): Promise<void> {
    try {
      if (await this.#housekeeper.tick(this.#problem)) this.#options.onMetrics?.(this.metrics())
      this.#reportFailed = false
    } catch (error) {
      const isKnown = this.#reportFailed || this.#databaseProblem !== undefined
      this.#reportFailed = true
      if (!isKnown) this.#log('error', `The state of the outbox cannot be reported: ${(error as Error).message}`)
    }
  }

  async #pause(ms: number): Promise<void> {
    if (this.#nudged || this.#stopping || ms === 0) {
      this.#nudged = false
      return
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#nudge = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#nudge = undefined
    this.#nudged = false
  }

  #wake(): void {
    this.#nudged = true
    this.#nudge?.()
  }

  #report(error: unknown): void {
    const problem = `The database of the outbox failed: ${(error as Error).message}`
    if (this.#databaseProblem === undefined) this.#log('error', problem)
    this.#databaseProblem = problem
  }

  #recover(): void {
    if (this.#databaseProblem === undefined) return
    this.#databaseProblem = undefined
    this.#log('info', 'The database of the outbox works again.')
  }

  #log(level: 'info' | 'warn' | 'error', message: string): void {
    this.#options.onLog?.({ level, message })
  }
}
