import { newId } from '#lib/ids.ts'
import { log } from '#lib/log.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import type { Reply } from '#sql/email/attempts.ts'
import type { Claimed } from '#sql/email/claims.ts'
import type { IpPool } from '#sql/email/deliveries.ts'
import { insertAttempts, type NewAttempt, settle, strike } from '#sql/email/settle.ts'
import { recordOutcomes } from '#tasks/email/record-outcomes.ts'
import { noteOutcome } from '../gauges.ts'
import type { Peer } from '../smtp/session.ts'
import type { Verdict } from './verdict.ts'

/** What an attempt has come to. */
export interface Result {
  message: Claimed
  /** The connection that it was taken for; null for what is locked in the caller's transaction. */
  connection: string | null
  verdict: Verdict
  /** No attempt was made: the message was over before. */
  untried?: boolean
  pool: IpPool
  localAddress: string | null
  /** Where the next attempt leaves from; null for any address. */
  next: string | null
  peer?: Peer | undefined
  tls?: NewAttempt['tls']
  replies: readonly Reply[]
  startedAt: Date
}

/** Results in one transaction at most. */
const most = 200

/** Tries of a batch that the database does not take, and milliseconds between them. */
const tries = 5
const againMs = 300

/**
 * Writes results in groups: those that come while one transaction runs go into the next one. So many connections share one commit,
 * and no result waits for longer than a transaction takes.
 */
export class OutcomeWriter {
  readonly #db: DatabasePool
  #waiting: { result: Result; done: () => void; failed: (error: Error) => void }[] = []
  #writing = false

  constructor(db: DatabasePool) {
    this.#db = db
  }

  /** Writes a result; resolves when it is committed. */
  write(result: Result): Promise<void> {
    return new Promise((done, failed) => {
      this.#waiting.push({ result, done, failed })
      if (!this.#writing) {
        this.#writing = true
        // Once all that this tick brings is there.
        setImmediate(() => void this.#work())
      }
    })
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, most)
      try {
        await this.#commit(group.map(({ result }) => result))
        for (const { done } of group) done()
      } catch (error) {
        for (const { failed } of group) failed(error as Error)
      }
    }
    this.#writing = false
  }

  async #commit(results: readonly Result[]): Promise<void> {
    for (let n = 1; ; n++) {
      try {
        await this.#db.transaction((tx) => writeResults(tx, results))
        return
      } catch (error) {
        // What was sent must not be forgotten for a hiccup: it would be sent again.
        if (n === tries) throw error
        log.warn({ err: (error as Error).message }, 'outcomes of mail could not be written yet')
        await new Promise((resolve) => setTimeout(resolve, againMs * n))
      }
    }
  }
}

/** Writes results in the caller's transaction; of those whose lease was lost nothing. */
export async function writeResults(tx: Db, results: readonly Result[]): Promise<void> {
  const settled = await settle(
    tx,
    results.map(({ message, connection, verdict, next, untried }) => ({
      message_id: message.id,
      leased_by: connection,
      attempts: message.attempts + (untried ? 0 : 1),
      retry_ms: verdict.retryMs,
      local_address: next,
    })),
  )
  const written = results.filter(({ message }) => settled.has(message.id))
  await insertAttempts(tx, written.filter(({ untried }) => !untried).map(attemptOf))
  await countStrikes(tx, written)
  await recordOutcomes(
    tx,
    written.map(({ verdict }) => verdict.outcome),
  )
  for (const { pool, verdict } of written) noteOutcome(pool, verdict.attempt, verdict.outcome.replyClass)
}

/** Suppresses the addresses for which it is not the first refusal of its kind. */
async function countStrikes(tx: Db, results: readonly Result[]): Promise<void> {
  const struck = results.filter(({ verdict, message }) => verdict.strikes && !message.sandbox)
  for (const within of new Set(struck.map(({ verdict }) => verdict.strikes?.withinMs ?? 0))) {
    const same = struck.filter(({ verdict }) => verdict.strikes?.withinMs === within)
    const rows = await strike(tx, same.map(strikeOf), within)
    const counts = new Map(rows.map(({ strikes, ...of }) => [JSON.stringify(of), strikes]))
    for (const result of same) {
      const { verdict } = result
      const count = counts.get(JSON.stringify(strikeOf(result))) ?? 0
      if (count >= (verdict.strikes?.strikes ?? Number.POSITIVE_INFINITY)) verdict.outcome.suppress = 'bounce'
    }
  }
}

const strikeOf = ({ message, verdict }: Result) => ({
  org_id: message.org_id,
  email: message.to_email,
  reply_class: verdict.outcome.replyClass ?? '',
})

const attemptOf = (result: Result): NewAttempt => ({
  id: newId(),
  org_id: result.message.org_id,
  message_id: result.message.id,
  number: result.message.attempts + 1,
  outcome: result.verdict.attempt,
  reply_class: result.verdict.outcome.replyClass ?? null,
  mx_host: result.peer?.host ?? null,
  mx_address: result.peer?.address ?? null,
  pool: result.pool,
  local_address: result.localAddress || null,
  tls: result.tls ?? null,
  replies: [...result.replies],
  started_at: result.startedAt.toISOString(),
  ended_at: new Date().toISOString(),
})
