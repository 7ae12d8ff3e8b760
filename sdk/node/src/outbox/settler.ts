import { type ClaimedRow, codeOf, type Database, storable, storableJson } from './database.ts'
import type { Refusal } from './outcomes.ts'

/** Time during which results are collected for one statement. */
const lingerMs = 2

const maxGroup = 500

interface Accepted {
  row: ClaimedRow
  reply: unknown
}

interface Later {
  row: ClaimedRow
  refusal: Refusal | undefined
  afterMs: number
  /** True if no attempt of this claim can have been accepted. */
  certain: boolean
  /** True if the row was sent. Otherwise, the attempt is not counted. */
  tried: boolean
}

interface Refused {
  row: ClaimedRow
  refusal: Refusal
}

export interface SettlerOptions {
  pool: Database
  claim: string
  /** True if accepted rows are recorded in `millrace.sent`. */
  keepsSent: boolean
  /** Called with the operation and the seconds from `enqueue` to the acceptance. */
  onAccepted(operation: string, seconds: number): void
  onFailure(error: unknown): void
}

/** Writes results to the outbox, many per statement. Keeps them until the database has stored them. */
export class Settler {
  readonly #options: SettlerOptions
  #accepted: Accepted[] = []
  #later: Later[] = []
  #refused: Refused[] = []
  #running: Promise<void> | undefined
  #failures = 0

  constructor(options: SettlerOptions) {
    this.#options = options
  }

  accept(row: ClaimedRow, reply: unknown): void {
    this.#accepted.push({ row, reply })
    this.#start()
  }

  refuse(row: ClaimedRow, refusal: Refusal): void {
    this.#refused.push({ row, refusal })
    this.#start()
  }

  retry(row: ClaimedRow, refusal: Refusal, afterMs: number, certain: boolean): void {
    this.#later.push({ row, refusal, afterMs, certain, tried: true })
    this.#start()
  }

  /** Returns rows that were not sent to the outbox. */
  release(rows: readonly ClaimedRow[]): void {
    for (const row of rows) this.#later.push({ row, refusal: undefined, afterMs: 0, certain: true, tried: false })
    this.#start()
  }

  get pending(): number {
    return this.#accepted.length + this.#later.length + this.#refused.length
  }

  /** Resolves when all results are stored, or after `ms` milliseconds. */
  async drain(ms: number): Promise<void> {
    const end = performance.now() + ms
    while ((this.pending > 0 || this.#running) && performance.now() < end) {
      await Promise.race([this.#running ?? delay(5), delay(Math.min(100, ms))])
    }
  }

  #start(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
      if (this.pending > 0) this.#start()
    })
  }

  async #run(): Promise<void> {
    await delay(this.#failures > 0 ? Math.min(2_000, 50 * 2 ** this.#failures) : lingerMs)
    const [accepted, later, refused] = [this.#accepted, this.#later, this.#refused].map((all) =>
      all.splice(0, maxGroup),
    ) as [Accepted[], Later[], Refused[]]
    try {
      // The order matters: while a row is not settled, its claim keeps the next rows of its key waiting.
      while (accepted.length > 0) await this.#storeAccepted(accepted)
      if (refused.length > 0) await this.#storeRefused(refused)
      refused.length = 0
      if (later.length > 0) await this.#storeLater(later)
      this.#failures = 0
    } catch (error) {
      this.#failures++
      this.#accepted.unshift(...accepted)
      this.#refused.unshift(...refused)
      this.#later.unshift(...later)
      this.#options.onFailure(error)
    }
  }

  async #storeAccepted(accepted: Accepted[]): Promise<void> {
    const { pool, keepsSent, onAccepted } = this.#options
    const replies = accepted.map(({ reply }) => storableJson(reply, 64 * 1024))
    const store = (texts: (string | null)[]) =>
      pool.query(keepsSent ? 'record' : 'delete', keepsSent ? recordSql : deleteSql, [
        accepted.map(({ row }) => row.seq),
        texts,
      ])
    // The text of a reply never keeps a row from being settled.
    const { rows } = await store(replies).catch((error) => {
      if (!codeOf(error).startsWith('22')) throw error
      return store(replies.map(() => null))
    })
    accepted.length = 0
    for (const { operation, seconds } of rows) onAccepted(operation, seconds)
  }

  async #storeRefused(refused: readonly Refused[]): Promise<void> {
    const { pool, claim } = this.#options
    await pool.query('refuse', refuseSql, [
      claim,
      JSON.stringify(refused.map(({ row, refusal }) => ({ seq: row.seq, ...stored(refusal) }))),
    ])
  }

  async #storeLater(later: readonly Later[]): Promise<void> {
    const { pool, claim } = this.#options
    const rows = later.map(({ row, refusal, afterMs, certain, tried }) => ({
      seq: row.seq,
      after_ms: Math.round(afterMs),
      certain,
      before: row.uncertain_before,
      tried,
      ...(refusal ? stored(refusal) : {}),
    }))
    await pool.query('later', laterSql, [claim, JSON.stringify(rows)])
  }
}

const stored = ({ status, code, message, details }: Refusal) => ({
  status,
  code: storable(code, 100),
  message: storable(message, 2_000),
  details: JSON.parse(storableJson(details, 16 * 1024) ?? 'null'),
})

const delay = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

const seconds = 'extract(epoch from clock_timestamp() - d.due)::double precision as seconds'

// A row that Millrace has accepted is removed even if another relay has claimed it in the meantime.
const deleteSql = `
with d as (delete from millrace.outbox where seq = any ($1) returning operation, send_at as due)
select d.operation, ${seconds} from d where $2::text[] is not null`

const recordSql = `
with d as (
  delete from millrace.outbox where seq = any ($1)
  returning seq, id, operation, key, attempts, enqueued_at, send_at as due),
kept as (
  insert into millrace.sent (id, operation, key, reply, attempts, enqueued_at)
  select d.id, d.operation, d.key, r.reply::jsonb, d.attempts, d.enqueued_at
  from d join unnest($1::bigint[], $2::text[]) as r (seq, reply) on r.seq = d.seq
  on conflict (id) do nothing)
select d.operation, ${seconds} from d`

const given = `json_to_recordset($2::json) as r (seq bigint, status integer, code text, message text, details jsonb,
  after_ms double precision, certain boolean, before timestamptz, tried boolean)`

const refuseSql = `
update millrace.outbox as o set state = 'failed', failed_at = now(), claim = null,
  status = r.status, code = r.code, message = r.message, details = r.details
from ${given} where o.seq = r.seq and o.claim = $1`

const laterSql = `
update millrace.outbox as o set claim = null, due_at = clock_timestamp() + r.after_ms * interval '1 millisecond',
  uncertain_since = case when r.certain then r.before else o.uncertain_since end,
  attempts = o.attempts - case when r.tried then 0 else 1 end,
  status = case when r.tried then r.status else o.status end,
  code = case when r.tried then r.code else o.code end,
  message = case when r.tried then r.message else o.message end,
  details = case when r.tried then r.details else o.details end
from ${given} where o.seq = r.seq and o.claim = $1`
