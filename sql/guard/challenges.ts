import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { allIn, byKey } from '../by-key.ts'
import { type Db, sql } from '../db.ts'
import { hours } from '../retention.ts'
import { defineTable, getColumns } from '../table.ts'
import { Tier } from './sites.ts'

/**
 * `scrypt`: find numbers whose output begins with given bytes. `sha256`: find counters whose hash begins with zero
 * bits.
 */
export const Alg = z.enum(['scrypt', 'sha256'])

export const table = defineTable(
  'guard',
  'challenges',
  z.object({
    id: Id,
    org_id: Id,
    site_id: Id,
    action: z.string(),
    alg: Alg,
    tier: Tier,
    nonce: z.string(),
    answer_hash: z.string().nullable(),
    bits: z.number().nullable(),
    network: z.string(),
    origin: z.string().nullable(),
    assessment_id: Id.nullable(),
    issued_at: z.date(),
    expires_at: z.date(),
    attempted_at: z.date().nullable(),
    outcome: z.enum(['solved', 'failed']).nullable(),
  }),
  {
    retention: hours(26, 'id', {
      following: sql.fragment`came as (
        select site_id, date_trunc('hour', issued_at, 'UTC') as hour, tier, 'issued' as outcome, 0 as bucket from gone
        union all
        select site_id, date_trunc('hour', issued_at, 'UTC'), tier, outcome,
          case when outcome = 'solved' then guard.bucket(attempted_at - issued_at) else 0 end
        from gone where outcome is not null
      ), counted as (
        insert into guard.hourly as h (site_id, hour, tier, outcome, bucket, count)
        select c.site_id, hour, tier, outcome, bucket, count(*) from came as c join guard.sites as s on s.id = c.site_id
        group by c.site_id, hour, tier, outcome, bucket order by c.site_id, hour, tier, outcome, bucket
        on conflict (site_id, hour, tier, outcome, bucket) do update set count = h.count + excluded.count)`,
    }),
  },
)

type Row = z.infer<typeof table.Row>

/**
 * A challenge to issue. If `scrypt` is requested and a puzzle is in stock, the challenge gets that puzzle. Otherwise it
 * gets `nonce` and `bits` if `sha256` is allowed.
 */
export interface ChallengeRequest
  extends Pick<Row, 'id' | 'org_id' | 'site_id' | 'action' | 'tier' | 'network' | 'origin' | 'assessment_id'> {
  scrypt: boolean
  sha256: boolean
  nonce: string
  bits: number
  seconds: number
}

const IssuedChallenge = table.Row.pick({
  id: true,
  action: true,
  alg: true,
  tier: true,
  nonce: true,
  bits: true,
  issued_at: true,
  expires_at: true,
}).extend({ checks: z.string().nullable(), ks: z.string().nullable() })

export type IssuedChallenge = z.infer<typeof IssuedChallenge>

/**
 * Takes a puzzle and issues it in one statement, so that no puzzle is issued twice or lost in a crash. Returns `null`
 * if no suitable puzzle is in stock.
 */
export async function issueChallenge(db: Db, w: ChallengeRequest): Promise<IssuedChallenge | null> {
  return await db.maybeOne(sql.prepared('guard.issue', IssuedChallenge)`
    with taken as (
      delete from guard.stock where id = (
        select id from guard.stock where ${w.scrypt}::boolean order by id limit 1 for update skip locked)
      returning nonce, checks, ks, answer_hash
    ), made as (
      insert into guard.challenges
        (id, org_id, site_id, action, alg, tier, nonce, answer_hash, bits, network, origin, assessment_id, expires_at)
      select ${w.id}::uuid, ${w.org_id}::uuid, ${w.site_id}::uuid, ${w.action},
        case when t.nonce is null then 'sha256' else 'scrypt' end, ${w.tier}, coalesce(t.nonce, ${w.nonce}), t.answer_hash,
        case when t.nonce is null then ${w.bits}::smallint end, ${w.network}, ${w.origin}, ${w.assessment_id}::uuid,
        now() + make_interval(secs => ${w.seconds}::float8)
      from (select) as one left join taken as t on true
      where t.nonce is not null or ${w.sha256}::boolean
      returning id, action, alg, tier, nonce, bits, issued_at, expires_at
    )
    select made.*, taken.checks, taken.ks from made left join taken on true`)
}

const ChallengeState = table.Row.omit({
  issued_at: true,
  expires_at: true,
  attempted_at: true,
  assessment_id: true,
}).extend({
  spent: z.boolean(),
  expired: z.boolean(),
  elapsed_ms: z.number(),
})

export type ChallengeState = z.infer<typeof ChallengeState>

/** Returns challenges by ID, locked in a fixed order until the transaction ends. */
export async function lockMany(tx: Db, ids: readonly string[]): Promise<ReadonlyMap<string, ChallengeState>> {
  const rows = await tx.any(sql.prepared('guard.lock_challenges', ChallengeState)`
    select ${getColumns(ChallengeState.omit({ spent: true, expired: true, elapsed_ms: true }))}, attempted_at is not null as spent,
      expires_at <= clock_timestamp() as expired,
      floor(extract(epoch from clock_timestamp() - issued_at) * 1000)::integer as elapsed_ms
    from guard.challenges where id = any(${sql.array([...new Set(ids)], 'uuid')}) order by id for update`)
  return new Map(rows.map((row) => [row.id, row]))
}

export async function markManyUsed(
  tx: Db,
  settled: readonly { id: string; outcome: NonNullable<Row['outcome']> }[],
): Promise<void> {
  if (settled.length === 0) return
  await tx.query(sql.prepared('guard.settle_challenges', z.object({}))`
    update guard.challenges as c set attempted_at = clock_timestamp(), outcome = s.outcome
    from ${sql.unnest(
      settled.map(({ id, outcome }) => [id, outcome]),
      ['uuid', 'text'],
    )} as s (id, outcome)
    where ${byKey(
      'c.id',
      's.id',
      allIn(
        settled.map(({ id }) => id),
        'uuid',
      ),
    )}`)
}
