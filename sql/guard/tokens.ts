import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { hashSecret, randomText } from '#lib/tokens.ts'
import { allIn, byKey } from '../by-key.ts'
import { type Db, sql } from '../db.ts'
import { hours } from '../retention.ts'
import { defineTable, getColumns } from '../table.ts'
import { tiers } from './sites.ts'

/** Tier of the solved challenge, or `noscript` if the visitor got the token by waiting. */
export const TokenTier = z.enum(['noscript', ...tiers])

/** Time to live of a token in seconds: enough to fill in a form. */
export const tokenSeconds = 300

/** Tokens, each valid for one action and one use. `hash` is the hash of the token. */
export const table = defineTable(
  'guard',
  'tokens',
  z.object({
    hash: z.string(),
    org_id: Id,
    site_id: Id,
    challenge_id: Id.nullable(),
    action: z.string(),
    tier: TokenTier,
    hostname: z.string().nullable(),
    solve_ms: z.number(),
    issued_at: z.date(),
    expires_at: z.date(),
    used_at: z.date().nullable(),
    replays: z.number(),
  }),
  {
    retention: hours(26, 'issued_at', {
      following: sql.fragment`came as (
        select site_id, date_trunc('hour', issued_at, 'UTC') as hour, tier, 'verified' as outcome, 1 as count from gone
        where used_at is not null
        union all
        select site_id, date_trunc('hour', issued_at, 'UTC'), tier, 'replayed', replays from gone where replays > 0
      ), counted as (
        insert into guard.hourly as h (site_id, hour, tier, outcome, count)
        select c.site_id, hour, tier, outcome, sum(c.count) from came as c join guard.sites as s on s.id = c.site_id
        group by c.site_id, hour, tier, outcome order by c.site_id, hour, tier, outcome
        on conflict (site_id, hour, tier, outcome, bucket) do update set count = h.count + excluded.count)`,
    }),
  },
)

type Row = z.infer<typeof table.Row>

export type NewToken = Omit<Row, 'hash' | 'issued_at' | 'expires_at' | 'used_at' | 'replays'>

/** A token as issued. It is not stored anywhere else. */
export interface IssuedToken {
  token: string
  expires_at: Date
}

const InsertedToken = table.Row.pick({ hash: true, expires_at: true })

/** Creates a token for each request, in the same order. */
export async function createMany(tx: Db, wanted: readonly NewToken[]): Promise<IssuedToken[]> {
  if (wanted.length === 0) return []
  const made = wanted.map((row) => ({ row, token: randomText() }))
  const rows = made.map(({ row, token }) => ({ ...row, hash: hashSecret(token) }))
  const inserted = await tx.any(sql.prepared('guard.make_tokens', InsertedToken)`
    insert into guard.tokens (hash, org_id, site_id, challenge_id, action, tier, hostname, solve_ms, issued_at, expires_at)
    select hash, org_id, site_id, challenge_id, action, tier, hostname, solve_ms, clock_timestamp(),
      clock_timestamp() + make_interval(secs => ${tokenSeconds}::float8)
    from json_populate_recordset(null::guard.tokens, ${JSON.stringify(rows)}::json)
    returning hash, expires_at`)
  const ends = new Map(inserted.map(({ hash, expires_at }) => [hash, expires_at]))
  return made.map(({ token }, i) => ({ token, expires_at: ends.get(rows[i]?.hash ?? '') as Date }))
}

const TokenFacts = table.Row.omit({ challenge_id: true, expires_at: true, used_at: true, replays: true }).extend({
  spent: z.boolean(),
  expired: z.boolean(),
})

export type Facts = z.infer<typeof TokenFacts>

/** Returns tokens of existing sites by hash, locked in a fixed order until the transaction ends. */
export async function lockMany(tx: Db, hashes: readonly string[]): Promise<ReadonlyMap<string, Facts>> {
  const rows = await tx.any(sql.prepared('guard.lock_tokens', TokenFacts)`
    select ${getColumns(TokenFacts.omit({ spent: true, expired: true }), 't')}, t.used_at is not null as spent,
      t.expires_at <= clock_timestamp() as expired
    from guard.tokens as t
    where t.hash = any(${sql.array([...new Set(hashes)], 'text')})
      and exists (select from guard.sites as s where s.id = t.site_id)
    order by t.hash for update of t`)
  return new Map(rows.map((row) => [row.hash, row]))
}

/** Uses a valid token of an organisation, or of one of its sites. Returns null if there is no such token. */
export async function spend(
  db: Db,
  hash: string,
  { orgId, siteId }: { orgId: string; siteId: string | undefined },
): Promise<Facts | null> {
  return await db.maybeOne(sql.prepared('guard.spend_token', TokenFacts)`
    update guard.tokens as t set used_at = clock_timestamp()
    where t.hash = ${hash} and t.org_id = ${orgId} and t.site_id = coalesce(${siteId ?? null}::uuid, t.site_id)
      and t.used_at is null and t.expires_at > clock_timestamp()
      and exists (select from guard.sites as s where s.id = t.site_id)
    returning ${getColumns(TokenFacts.omit({ spent: true, expired: true }), 't')}, false as spent, false as expired`)
}

export async function markManyUsed(tx: Db, hashes: readonly string[]): Promise<void> {
  if (hashes.length === 0) return
  await tx.query(sql.prepared('guard.spend_tokens', z.object({}))`
    update guard.tokens set used_at = clock_timestamp() where hash = any(${sql.array([...hashes], 'text')})`)
}

/** Counts replays of tokens that the caller has locked, one per hash. */
export async function countReplays(tx: Db, hashes: readonly string[]): Promise<void> {
  if (hashes.length === 0) return
  await tx.query(sql.prepared('guard.count_replays', z.object({}))`
    update guard.tokens as t set replays = t.replays + r.count
    from (select hash, count(*)::integer from unnest(${sql.array([...hashes], 'text')}) as hash group by hash) as r (hash, count)
    where ${byKey('t.hash', 'r.hash', allIn(hashes, 'text'))}`)
}
