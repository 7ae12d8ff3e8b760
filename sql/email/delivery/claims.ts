import { z } from 'zod'
import { notClosing } from '../../account/closures.ts'
import { advisoryLockSpaces } from '../../advisory-locks.ts'
import { allOf, byKey } from '../../by-key.ts'
import { type Db, sql } from '../../db.ts'
import { Message, table as messages } from '../messages.ts'
import { table as connections } from './connections.ts'
import type { PoolKey } from './pool-keys.ts'

export const ClaimedMessage = Message.extend({
  attempts: z.number(),
  /** Time until delivery is given up, in milliseconds. */
  left_ms: z.number(),
  pinned: z.string().nullable(),
  /** Dedicated pool that the organisation has now. Null if it has none. */
  ip_pool: z.string().nullable(),
  /** True if a worker died while it had the message. The message may have been delivered. */
  lost: z.boolean(),
  /** Number of workers that died while they created the message. For the first worker the stage is unknown. */
  losses: z.number(),
  /** Number of workers that died while they sent the message, after one of `losses`. */
  sending_losses: z.number(),
})

export type ClaimedMessage = z.infer<typeof ClaimedMessage>

export interface Claim {
  connection: string
  pool: PoolKey
  mxSet: string
  /** Domain of the MX set. The MX set of its messages may not be known yet. */
  domain: string
  address: string
  addresses: readonly string[]
  limit: number
}

/** Highest level: an organisation with 2^16 waiting messages. */
export const highestTurn = 16

/**
 * Connections with a valid lease. They are looked up once per statement, because calling `email.is_leased` for each
 * message costs more than the rest of the statement.
 */
const held = sql.fragment`
  select c.id from email.connections as c join jobs.leaseholders as w on w.id = c.worker_id`

/**
 * Condition that the message is not leased and that the organisation may send. Messages of a closing organisation wait.
 */
const unleased = sql.fragment`(d.leased_by is null or d.leased_by not in (${held}) and not email.is_leased(d.leased_by))
  and ${notClosing('d')}`

/**
 * Returns due messages, lowest turn first. Each level is one index lookup. The statement is planned for each call,
 * because a cached plan may come from an empty table. The MX set, which is the same in all rows, is part of the order
 * for the index `deliveries_domain`: behind `mx_set is null`, Postgres would sort the complete backlog of the domain.
 */
const due = (where: ReturnType<typeof sql.fragment>, limit: number) => sql.fragment`
  select c.* from generate_series(0, ${highestTurn}::integer) as t (turn) cross join lateral (
    select d.message_id, d.turn, d.due_at, d.leased_by from email.deliveries as d
    where ${where} and d.turn = t.turn and d.due_at <= now() and ${unleased}
    order by d.mx_set, d.due_at limit ${limit} for update skip locked) as c
  limit ${limit}`

/**
 * Leases due messages for a connection, lower turns first, so that a backlog of one organisation does not delay others.
 * If a message is bound to another address of the pool, that address must send it, unless the address is suspended. The
 * caller must send several messages in order, each after the previous message is settled. If the connection is lost,
 * only its first message can have been in progress.
 */
export async function claim(db: Db, wanted: Claim): Promise<readonly ClaimedMessage[]> {
  const { connection, pool, mxSet, domain, address, addresses, limit } = wanted
  const free = sql.fragment`(d.local_address is null or d.local_address = ${address}
    or d.local_address <> all(${sql.array([...addresses], 'text')})
    or exists (select from email.mx_sets as s where s.pool = d.pool and s.local_address = d.local_address
      and s.mx_set = ${mxSet} and s.suspended_until > now()))`
  return await db.any(sql.prepared('email.claim', ClaimedMessage)`
    with known as (${due(sql.fragment`d.pool = ${pool} and d.mx_set = ${mxSet} and ${free}`, limit)}),
    fresh as (${due(sql.fragment`d.pool = ${pool} and d.to_domain = ${domain} and d.mx_set is null`, limit)}),
    either as (select * from known union all select * from fresh order by turn, due_at, message_id limit ${limit}),
    chosen as (
      select *, leased_by is not null
        and row_number() over (partition by leased_by order by turn, due_at, message_id) = 1 as lost from either),
    claimed as (
      update email.deliveries as d set leased_by = ${connection}, mx_set = ${mxSet}, local_address = ${address},
        attempts = d.attempts + c.lost::integer,
        losses = d.losses + (c.lost and (d.losses = 0 or d.stage is not distinct from 'making'))::integer,
        sending_losses = d.sending_losses + (c.lost and d.stage is not distinct from 'sending')::integer, stage = null
      from chosen as c where ${byKey('d.message_id', 'c.message_id', allOf('message_id', 'chosen'))}
      returning d.message_id, d.attempts, d.losses, d.sending_losses, d.turn, d.due_at, c.lost,
        (extract(epoch from d.give_up_at - now()) * 1000)::float8 as left_ms)
    select ${messages.columns('m')}, c.attempts, c.left_ms, c.lost, c.losses, c.sending_losses, ${address}::text as pinned,
      (select p.name from email.ip_pools as p where p.assigned_to = m.org_id) as ip_pool
    from claimed as c join email.messages as m on ${byKey('m.id', 'c.message_id', allOf('message_id', 'claimed'))} order by c.turn, c.due_at, m.id`)
}

/** Returns the address to which the first due message is bound. Null if it is not bound. */
export async function findFirstPinned(db: Db, pool: PoolKey, mxSet: string): Promise<string | null> {
  return await db.maybeOneFirst(sql.type(z.object({ local_address: z.string().nullable() }))`
    select d.local_address from email.deliveries as d
    where d.pool = ${pool} and d.mx_set = ${mxSet} and d.due_at <= now() and ${unleased}
    order by d.turn, d.due_at limit 1`)
}

/** Locks a domain until the transaction ends. For a domain whose MX set cannot be looked up. */
export async function lockDomain(
  tx: Db,
  pool: PoolKey,
  domain: string,
  limit: number,
): Promise<readonly ClaimedMessage[]> {
  return await lockWhere(
    tx,
    sql.fragment`d.pool = ${pool} and d.to_domain = ${domain} and d.due_at <= now() and ${unleased}`,
    limit,
  )
}

export async function lockExpired(tx: Db, limit: number): Promise<readonly ClaimedMessage[]> {
  return await lockWhere(tx, sql.fragment`d.give_up_at < now() - interval '1 minute' and ${unleased}`, limit)
}

const lockWhere = (tx: Db, where: ReturnType<typeof sql.fragment>, limit: number) =>
  tx.any(sql.type(ClaimedMessage)`
    select ${messages.columns('m')}, d.attempts, false as lost, d.losses, d.sending_losses, d.local_address as pinned,
      (select p.name from email.ip_pools as p where p.assigned_to = m.org_id) as ip_pool,
      (extract(epoch from d.give_up_at - now()) * 1000)::float8 as left_ms
    from email.deliveries as d join email.messages as m on m.id = d.message_id
    where ${where} order by d.message_id limit ${limit} for update of d skip locked`)

/** Sets the MX set for messages of a domain whose MX set was not known. */
export async function assign(db: Db, pool: PoolKey, domain: string, mxSet: string): Promise<void> {
  await db.query(sql.typeAlias('void')`${assignTo(pool, domain, mxSet)}`)
}

const assignTo = (pool: PoolKey, domain: string, mxSet: string) => sql.fragment`
  update email.deliveries as d set mx_set = ${mxSet}
  where d.pool = ${pool} and d.to_domain = ${domain} and d.mx_set is null and ${unleased}`

/** Moves messages of a domain from the domain’s previous MX set to its current one. */
export async function reassign(db: Db, pool: PoolKey, domain: string, before: string, mxSet: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update email.deliveries as d set mx_set = ${mxSet}
    where d.pool = ${pool} and d.to_domain = ${domain} and d.mx_set = ${before} and ${unleased}`)
}

/** Records the stage of a message, in case the worker dies. */
export async function enterStage(
  db: Db,
  connection: string,
  messageId: string,
  stage: 'making' | 'sending' | null,
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update email.deliveries set stage = ${stage} where message_id = ${messageId} and leased_by = ${connection}`)
}

/**
 * Ends a connection and releases the messages that it did not try. Locks the MX set first, until the transaction ends.
 * All in one statement, because connections to the same MX set wait for this lock. The final `select` takes the lock even
 * if another worker has already removed the connection.
 */
export async function endConnection(
  tx: Db,
  { id, pool, mxSet, unsent }: { id: string; pool: PoolKey; mxSet: string; unsent: readonly string[] },
): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    with locked as materialized (${lockMxSet(pool, mxSet)}),
    ended as (delete from ${connections.name} using locked where id = ${id}),
    released as (
      update email.deliveries set leased_by = null from locked
      where message_id = any(${sql.array([...unsent], 'uuid')}) and leased_by = ${id})
    select from locked`)
}

const Next = z.object({ domain: z.string(), at: z.date() })

/** Earliest due message without a lease, and its domain. */
export type Next = z.infer<typeof Next>

/** Locks an MX set until the transaction ends, to take connections and to schedule the next job. */
export async function lockSite(tx: Db, pool: PoolKey, mxSet: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`${lockMxSet(pool, mxSet)}`)
}

const lockMxSet = (pool: PoolKey, mxSet: string) => sql.fragment`
  select from pg_advisory_xact_lock(${advisoryLockSpaces.mxSet}, hashtext(${pool} || ' ' || ${mxSet}))`

/**
 * Returns when the next job of an MX set is due, under `lockSite`: when a message is due and an address of the pool is
 * not suspended. Null if no message waits. With a domain, first sets the MX set for its messages without one.
 */
export async function findNext(tx: Db, { pool, mxSet, domain, addresses, pause }: NextQuery): Promise<Next | null> {
  const assigned =
    domain === undefined
      ? sql.fragment`select null, null::timestamptz limit 0`
      : sql.fragment`
    ${assignTo(pool, domain, mxSet)} returning d.to_domain, d.due_at`
  return await tx.maybeOne(sql.type(Next)`
    with assigned (to_domain, due_at) as (${assigned}),
    next as (
      select c.to_domain, c.due_at from generate_series(0, ${highestTurn}::integer) as t (turn) cross join lateral (
        select d.to_domain, d.due_at from email.deliveries as d
        where d.pool = ${pool} and d.mx_set = ${mxSet} and d.turn = t.turn and ${unleased}
        order by d.due_at limit 1) as c
      union all select to_domain, due_at from assigned
      order by due_at limit 1)
    select to_domain as domain, greatest(due_at, now() + ${pause} * interval '1 millisecond', (
      select min(coalesce(s.suspended_until, '-infinity'))
      from unnest(${sql.array([...addresses], 'text')}) as a (address)
      left join email.mx_sets as s on s.pool = ${pool} and s.local_address = a.address and s.mx_set = ${mxSet})) as at
    from next`)
}

interface NextQuery {
  pool: PoolKey
  mxSet: string
  domain?: string | undefined
  addresses: readonly string[]
  /** Minimum delay in milliseconds. */
  pause: number
}

export async function findNextOfDomain(tx: Db, pool: PoolKey, domain: string): Promise<Next | null> {
  return await tx.maybeOne(sql.type(Next)`
    select d.to_domain as domain, d.due_at as at from email.deliveries as d
    where d.pool = ${pool} and d.to_domain = ${domain} and ${unleased} order by d.due_at limit 1`)
}

const Backlog = z.object({ domain: z.string(), mx_set: z.string().nullable() })

/** Returns MX sets, and domains without a known MX set, with messages that have been due for `forMs` milliseconds. */
export async function listWaiting(db: Db, pool: PoolKey, forMs: number): Promise<readonly z.infer<typeof Backlog>[]> {
  return await db.any(sql.type(Backlog)`
    select min(d.to_domain) as domain, d.mx_set from email.deliveries as d
    where d.pool = ${pool} and d.due_at < now() - ${forMs} * interval '1 millisecond' and ${unleased}
    group by d.mx_set, case when d.mx_set is null then d.to_domain end`)
}
