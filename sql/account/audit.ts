import { hash } from 'node:crypto'
import { z } from 'zod'
import { canonical } from '#lib/canonical.ts'
import { config } from '#lib/config.ts'
import { Problem } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import { lockSpaces } from '../advisory-locks.ts'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

/** Days for which the audit log is kept; a trigger refuses to delete sooner. */
const keptDays = 400

/** Values before and after a change, by an allow-list of who appends: never a secret, never a URL that carries one. */
const Values = z.record(z.string(), z.json()).nullable()

/** Who did what to an organisation: rows are only added. */
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

/** A row of `account.audit`. */
export type Entry = z.infer<typeof table.Row>

/** Who acts: a key, a user of the dashboard, an operator, or the platform itself. */
export interface Actor {
  kind: Entry['actor_kind']
  id: string | null
  name: string
}

/** What is told of an act; `action` is `<resource>.<verb>`, as `key.created`. */
export interface Act {
  orgId: string
  actor: Actor
  action: string
  /** The id or name of what it was done to. */
  target?: string | undefined
  requestId?: string | undefined
  network?: string | undefined
  before?: Entry['before'] | undefined
  after?: Entry['after'] | undefined
}

/** The hash before the first row of an organisation. */
export const firstHash = '0'.repeat(64)

const Last = table.Row.pick({ number: true, hash: true, created_at: true })

/**
 * Adds a row in the transaction of the act, which holds the organisation's audit log until it ends: append last. The chain's
 * order is that of the commits. An act that changed nothing adds none. Throws `TooManyActs` for keys and members beyond what an
 * organisation may note in an hour, except when they take something away.
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
    ${table.insert({ ...columns, ...(before && { before }), ...(after && { after }), hash: hashOf(entry) })}`)
}

/** True if the values after a change are those before it. */
const changesNothing = ({ before, after }: Act): boolean =>
  Boolean(before && after && canonical(before) === canonical(after))

/** Acts that always pass, most of them because they end something: whatever fills the log, keys and people can be removed. */
const unlimited =
  /^(session|organisation|support|contents)\.|\.(revoked|removed|deleted|ended|disconnected|paused|cancelled|withdrawn)$/

/** Limited are acts of keys and members, but for those that always pass. */
const isLimited = ({ actor, action }: Act): boolean =>
  (actor.kind === 'key' || actor.kind === 'user') && !unlimited.test(action)

/** The share of an organisation's limit that its keys can use up: the rest is for its members. */
const shareOfKeys = 0.8

const Used = z.object({ all: z.number(), keys: z.number() })

/** Throws when limited acts have as many rows of the last hour as they may have: all of them, or those of keys for a key. */
async function demandRoom(tx: Db, { orgId, actor }: Act): Promise<void> {
  const most = config.AUDIT_ROWS_PER_HOUR
  const used = await tx.one(sql.type(Used)`
    select count(*) as all, count(*) filter (where actor_kind = 'key') as keys from (
      select actor_kind from account.audit
      where org_id = ${orgId} and created_at > now() - interval '1 hour' and actor_kind in ('key', 'user')
        and action !~ ${unlimited.source} limit ${most}) as limited`)
  if (used.all >= most || (actor.kind === 'key' && used.keys >= most * shareOfKeys)) throw new TooManyActs()
}

/** Too much was changed in an organisation within an hour. */
export class TooManyActs extends Problem {
  constructor() {
    const message = `This organisation has reached its limit of ${config.AUDIT_ROWS_PER_HOUR} changes per hour. Try again later.`
    super(429, 'rate_limited', message, { retryAfter: 300 })
  }
}

/** Holds an organisation's audit log until the transaction ends. */
async function hold(tx: Db, orgId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    select from pg_advisory_xact_lock(${lockSpaces.audit}, hashtext(${orgId}))`)
}

/** Rows that are looked through for one that says the same. */
const lookedThrough = 500

/** Adds a row, unless one of the last rows says of the same actor, action and target within `minutes`: for what is often repeated. */
export async function appendUnlessSaid(tx: Db, act: Act & { target: string }, minutes: number): Promise<void> {
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

/** The hash of a row as it is answered: SHA-256 of the row before's hash, a line feed, and the rest as canonical JSON. */
export function hashOf({ previous_hash, created_at, ...rest }: Omit<Entry, 'hash'>): string {
  return hash('sha256', `${previous_hash}\n${canonical({ ...rest, created_at: created_at.toISOString() })}`, 'hex')
}

/** What the log is filtered by. */
export interface Filter {
  action?: string | undefined
  actor?: string | undefined
  target?: string | undefined
  since?: string | undefined
  until?: string | undefined
}

/**
 * Rows of an organisation, newest first, before the one with number `before`. Those until an instant begin by the time of a row
 * that is an hour later: no act takes as long from its instant to its number, so the rows since are not walked through.
 */
export async function list(
  db: Db,
  orgId: string,
  { action, actor, target, since, until, before, limit }: Filter & { before: number | undefined; limit: number },
): Promise<readonly Entry[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from account.audit
    where org_id = ${orgId} and (${before ?? null}::bigint is null or number < ${before ?? null})
      and (${action ?? null}::text is null or action = ${action ?? null})
      and (${actor ?? null}::text is null or actor_id = ${actor ?? null})
      and (${target ?? null}::text is null or target = ${target ?? null})
      and (${since ?? null}::timestamptz is null or created_at >= ${since ?? null}::timestamptz)
      and (${until ?? null}::timestamptz is null or created_at < ${until ?? null}::timestamptz and number < coalesce((
        select later.number from account.audit as later
        where later.org_id = ${orgId} and later.created_at >= ${until ?? null}::timestamptz + interval '1 hour'
        order by later.created_at, later.number limit 1), 9223372036854775807))
    order by number desc limit ${limit}`)
}

/** Rows of an organisation in the order of the chain, after the one with number `after`. */
export async function listChain(db: Db, orgId: string, after: number, limit: number): Promise<readonly Entry[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from account.audit where org_id = ${orgId} and number > ${after} order by number limit ${limit}`)
}
