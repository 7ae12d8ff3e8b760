import { hash } from 'node:crypto'
import { z } from 'zod'
import { canonicalJson } from '#lib/canonical.ts'
import { config } from '#lib/config.ts'
import { Problem } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import { advisoryLockSpaces } from '../advisory-locks.ts'
import { type Db, sql } from '../db.ts'
import { everything, type Page } from '../filters.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

/** Retention in days. A trigger prevents earlier deletion. */
const keptDays = 400

/**
 * Values before and after a change. The caller selects them from an allowlist without secrets and without URLs that
 * contain a secret.
 */
const Values = z.record(z.string(), z.json()).nullable()

/** Append-only rows of all changes in an organisation. */
export const table = defineTable(
  'account',
  'audit',
  z.object({
    id: Id,
    org_id: Id,
    number: z.number(),
    created_at: z.date(),
    actor_kind: z.enum(['key', 'user', 'operator', 'system']),
    actor_id: z.string().nullable(),
    actor_name: z.string(),
    action: z.string(),
    target: z.string().nullable(),
    request_id: z.string().nullable(),
    network: z.string().nullable(),
    before: Values,
    after: Values,
    previous_hash: z.string(),
    hash: z.string(),
  }),
  { retention: days(keptDays, 'created_at', { batch: 1_000 }) },
)

export type Entry = z.infer<typeof table.Row>

export interface Actor {
  kind: Entry['actor_kind']
  id: string | null
  name: string
}

export interface Act {
  orgId: string
  actor: Actor
  action: string
  target?: string | undefined
  requestId?: string | undefined
  network?: string | undefined
  before?: Entry['before'] | undefined
  after?: Entry['after'] | undefined
}

export const firstHash = '0'.repeat(64)

const Last = table.Row.pick({ number: true, hash: true, created_at: true })

/**
 * Adds a row in the transaction of the act. Locks the audit log of the organisation until the transaction ends, so
 * append as the last step. The chain follows the order of commits. An act that changes nothing adds no row. Throws
 * `TooManyActsError` above the hourly limit for keys and members, except for acts that remove something.
 */
export async function append(tx: Db, act: Act): Promise<void> {
  if (changesNothing(act)) return
  const { orgId, actor } = act
  await hold(tx, orgId)
  if (isLimited(act)) await demandRoom(tx, act)
  const last = await tx.one(sql.type(Last)`
    select coalesce(a.number, 0) as number, coalesce(a.hash, ${firstHash}) as hash,
      date_trunc('milliseconds', clock_timestamp()) as created_at
    from (select) as one left join lateral (
      select number, hash from account.audit where org_id = ${orgId} order by number desc limit 1) as a on true`)
  const entry = {
    id: newId(),
    org_id: orgId,
    number: last.number + 1,
    created_at: last.created_at,
    actor_kind: actor.kind,
    actor_id: actor.id,
    actor_name: actor.name,
    action: act.action,
    target: act.target ?? null,
    request_id: act.requestId ?? null,
    network: act.network ?? null,
    before: act.before ?? null,
    after: act.after ?? null,
    previous_hash: last.hash,
  }
  const { before, after, ...columns } = entry
  await tx.query(sql.typeAlias('void')`
    ${table.insert({ ...columns, ...(before && { before }), ...(after && { after }), hash: hashEntry(entry) })}`)
}

const changesNothing = ({ before, after }: Act): boolean =>
  Boolean(before && after && canonicalJson(before) === canonicalJson(after))

/**
 * Acts without a limit. Most of them end something, so keys and members can be removed even after the limit is reached.
 */
const unlimited =
  /^(session|organisation|support|contents)\.|\.(revoked|removed|deleted|ended|disconnected|paused|cancelled|withdrawn)$/

const isLimited = ({ actor, action }: Act): boolean =>
  (actor.kind === 'key' || actor.kind === 'user') && !unlimited.test(action)

/** Fraction of the limit that keys can use. The rest is for members. */
const shareOfKeys = 0.8

const Used = z.object({ all: z.number(), keys: z.number() })

/** Throws if the limited acts of the last hour have reached the limit. For a key, only acts of keys count. */
async function demandRoom(tx: Db, { orgId, actor }: Act): Promise<void> {
  const most = config.AUDIT_ROWS_PER_HOUR
  const used = await tx.one(sql.type(Used)`
    select count(*) as all, count(*) filter (where actor_kind = 'key') as keys from (
      select actor_kind from account.audit
      where org_id = ${orgId} and created_at > now() - interval '1 hour' and actor_kind in ('key', 'user')
        and action !~ ${unlimited.source} limit ${most}) as limited`)
  if (used.all >= most || (actor.kind === 'key' && used.keys >= most * shareOfKeys)) throw new TooManyActsError()
}

export class TooManyActsError extends Problem {
  constructor() {
    const message = `This organisation has reached its limit of ${config.AUDIT_ROWS_PER_HOUR} changes per hour. Try again later.`
    super(429, 'rate_limited', message, { retryAfter: 300 })
  }
}

async function hold(tx: Db, orgId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    select from pg_advisory_xact_lock(${advisoryLockSpaces.audit}, hashtext(${orgId}))`)
}

const lookedThrough = 500

/** Adds a row unless a row of the last `minutes` has the same actor, action and target. For frequent acts. */
export async function appendUnlessRecent(tx: Db, act: Act & { target: string }, minutes: number): Promise<void> {
  const { orgId, actor, action, target } = act
  await hold(tx, orgId)
  const said = await tx.exists(sql.type(table.Row.pick({ id: true }))`
    select id from (
      select id, created_at, actor_kind, actor_id, action, target from account.audit
      where org_id = ${orgId} order by number desc limit ${lookedThrough}) as latest
    where created_at > now() - ${minutes} * interval '1 minute' and actor_kind = ${actor.kind}
      and actor_id is not distinct from ${actor.id} and action = ${action} and target = ${target}`)
  if (!said) await append(tx, act)
}

/** Returns the SHA-256 of the previous hash, a line feed, and the rest of the row as canonical JSON. */
export function hashEntry({ previous_hash, created_at, ...rest }: Omit<Entry, 'hash'>): string {
  return hash('sha256', `${previous_hash}\n${canonicalJson({ ...rest, created_at: created_at.toISOString() })}`, 'hex')
}

export const filters = {
  action: table.equals('action'),
  actor: table.equals('actor_id'),
  target: table.equals('target'),
  since: (at: string) => sql.fragment`created_at >= ${at}::timestamptz`,
}

/**
 * Returns rows of an organisation, newest first, before the row `before`. With `until`, the search starts at a row that
 * is an hour later, so it does not read all newer rows. No act takes an hour to get its number.
 */
export async function list(
  db: Db,
  orgId: string,
  { where, until, before, limit }: Page<typeof filters, number> & { until?: string | undefined },
): Promise<readonly Entry[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from account.audit
    where org_id = ${orgId} and ${where} and ${until === undefined ? everything : isEarlier(orgId, until)}
      and ${before === undefined ? everything : sql.fragment`number < ${before}`}
    order by number desc limit ${limit}`)
}

const isEarlier = (orgId: string, until: string) => sql.fragment`
  created_at < ${until}::timestamptz and number < coalesce((
    select later.number from account.audit as later
    where later.org_id = ${orgId} and later.created_at >= ${until}::timestamptz + interval '1 hour'
    order by later.created_at, later.number limit 1), 9223372036854775807)`

/** Returns rows of an organisation in the order of the chain, after the row `after`. */
export async function listChain(db: Db, orgId: string, after: number, limit: number): Promise<readonly Entry[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from account.audit where org_id = ${orgId} and number > ${after} order by number limit ${limit}`)
}
