import type { ClaimedRow, Database } from './database.ts'

/** Duration of a claim. If a relay is killed, its rows wait this long. */
export const claimMs = 15_000

/**
 * Millrace stores an idempotency key for 24 hours. An attempt whose result is unknown is not repeated after this time,
 * because the repetition could be accepted a second time.
 */
const repeatableHours = 23

/** Larger bodies are read when they are sent, so that few of them are in memory. */
export const inlineBytes = 64 * 1024

/** Maximum number of rows of one key per claim. */
const runLength = 20

/** Rows without a key are claimed in the order of their due time. */
const plain = `
  select o.seq, o.uncertain_since from millrace.outbox as o
  where o.state = 'waiting' and o.key is null and o.due_at <= now() and o.operation <> all ($2)
  order by o.due_at, o.seq limit $1 for update skip locked`

/** The first row of each key after the cursor. The search jumps from key to key in the index. */
const heads = `
  (select o.key, o.seq, o.due_at, 1 as n from millrace.outbox as o
   where o.state = 'waiting' and o.key is not null and o.key > $5 order by o.key, o.seq limit 1)
  union all
  select next.key, next.seq, next.due_at, heads.n + 1 from heads cross join lateral (
    select o.key, o.seq, o.due_at from millrace.outbox as o
    where o.state = 'waiting' and o.key is not null and o.key > heads.key order by o.key, o.seq limit 1) as next
  where heads.n < $1 * 4`

/**
 * The next rows of these keys in their order, up to the first that cannot be claimed. Another relay can claim a part of
 * them in the meantime, so `whole` keeps only rows whose predecessors are all locked.
 */
const keyed = `
  ready as materialized (
    select h.key from heads as h
    where h.due_at <= now() and not ($7 and exists (
      select from millrace.outbox as f where f.state = 'failed' and f.key = h.key and f.seq < h.seq))
    order by h.key limit $1),
  runs as materialized (
    select r.seq, r.rank from ready cross join lateral (
      select o.seq, row_number() over next as rank,
        bool_and(o.due_at <= now() and o.operation <> all ($2)) over next as free
      from (select w.seq, w.due_at, w.operation from millrace.outbox as w
            where w.state = 'waiting' and w.key = ready.key order by w.seq limit ${runLength}) as o
      window next as (order by o.seq)) as r
    where r.free order by r.rank, r.seq limit $1),
  locked as materialized (
    select o.seq, o.key, o.uncertain_since from millrace.outbox as o
    where o.seq = any (array(select seq from runs)) and o.state = 'waiting' and o.due_at <= now()
    order by o.key, o.seq for update skip locked),
  whole as (
    select l.seq, l.uncertain_since
    from (select *, row_number() over (partition by key order by seq) as place from locked) as l
    join runs using (seq) where l.place = runs.rank)`

const claimSql = `
with recursive heads as (${heads}), plain as materialized (${plain}), ${keyed},
chosen as (select * from plain union all select * from whole),
claimed as (
  update millrace.outbox as o set claim = $4, due_at = now() + $3 * interval '1 millisecond',
    attempts = o.attempts + 1, uncertain_since = coalesce(o.uncertain_since, now())
  from chosen as c where o.seq = c.seq
  returning o.seq, o.id, o.operation, o.params, case when o.bytes <= $6 then o.body::text end as body, o.bytes, o.key,
    o.attempts, c.uncertain_since as uncertain_before,
    coalesce(c.uncertain_since < now() - interval '${repeatableHours} hours', false) as stale)
select p.cursor, c.* from (
  select case
    when (select count(*) from ready) >= $1 then (select max(key) from ready)
    when (select count(*) from heads) >= $1 * 4 then (select max(key) from heads)
    else '' end as cursor) as p
left join claimed as c on true`

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
    const values = [limit, without, claimMs, this.#claim, from, inlineBytes, this.#strict]
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
