import type { ClaimedRow, Database } from './database.ts'

/** Duration of a claim. If a relay is killed, its rows wait this long. */
export const claimMs = 15_000

/** Larger bodies are read when they are sent, so that few of them are in memory. */
export const inlineBytes = 64 * 1024

const claimSql = 'select * from millrace.claim_rows($1, $2, $3, $4, $5, $6, $7)'

export interface Claim {
  limit: number
  /** Operations of which no row is claimed. */
  without: readonly string[]
}

/** Claims rows for one relay. The keys take turns: each claim continues after the last key of the one before. */
export class Claimer {
  readonly #pool: Database
  readonly #claim: string
  readonly #strict: boolean
  #cursor = ''

  constructor(pool: Database, claim: string, strict: boolean) {
    this.#pool = pool
    this.#claim = claim
    this.#strict = strict
  }

  /** Returns claimed rows in the order of their numbers. The rows of a key follow each other without a gap. */
  async claim({ limit, without }: Claim): Promise<ClaimedRow[]> {
    const asked = performance.now()
    const from = this.#cursor
    const values = [this.#claim, limit, without, claimMs, from, inlineBytes, this.#strict]
    const { rows } = await this.#pool.query('claim', claimSql, values)
    this.#cursor = rows[0]?.cursor ?? ''
    const claimed: ClaimedRow[] = rows.filter(({ seq }) => seq !== null)
    for (const row of claimed) row.until = asked + claimMs
    if (claimed.length === 0 && from !== '') return await this.claim({ limit, without })
    return claimed.sort((a, b) => (BigInt(a.seq) < BigInt(b.seq) ? -1 : 1))
  }

  /** Extends the claims of rows. Marks rows that another relay has claimed in the meantime as expired. */
  async extend(rows: readonly ClaimedRow[]): Promise<void> {
    const asked = performance.now()
    const { rows: kept } = await this.#pool.query(
      'extend',
      `update millrace.outbox set due_at = now() + $3 * interval '1 millisecond'
       where seq = any ($1) and claim = $2 and state = 'waiting' returning seq`,
      [rows.map(({ seq }) => seq), this.#claim, claimMs],
    )
    const owned = new Set(kept.map(({ seq }) => String(seq)))
    for (const row of rows) row.until = owned.has(row.seq) ? asked + claimMs : 0
  }

  /** Makes scheduled rows available whose time has come. Returns their number. */
  async promote(): Promise<number> {
    const { rowCount } = await this.#pool.query(
      'promote',
      `update millrace.outbox set state = 'waiting' where seq = any (array(
         select seq from millrace.outbox where state = 'scheduled' and due_at <= now()
         order by due_at limit 500 for update skip locked))`,
    )
    return rowCount ?? 0
  }

  /** Returns the body of a row that is too large for the claim. Undefined if the row does not exist. */
  async readBody(seq: string): Promise<string | undefined> {
    const { rows } = await this.#pool.query('body', 'select body::text as body from millrace.outbox where seq = $1', [
      seq,
    ])
    return rows[0]?.body
  }
}
