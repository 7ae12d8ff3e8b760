import { z } from 'zod'
import { notClosing } from '../account/closures.ts'
import { lockSpaces } from '../advisory-locks.ts'
import { allOf, byKey } from '../by-key.ts'
import { type Db, sql } from '../db.ts'
import type { IpPool } from './deliveries.ts'
import { Message, table as messages } from './messages.ts'

/** A message taken to be delivered now. */
export const ClaimedMessage = Message.extend({
  /** Attempts before this one. */
  attempts: z.number(),
  /** Milliseconds until it is given up. */
  left_ms: z.number(),
  pinned: z.string().nullable(),
  /** A worker was at it, and is gone: the message may have arrived. */
  lost: z.boolean(),
  /** Workers that went while they made it, as far as is known: of the first it is not. */
  losses: z.number(),
  /** Workers that went while they sent it, after one of `losses`. */
  sending_losses: z.number(),
})

/** A message taken to be delivered now. */
export type ClaimedMessage = z.infer<typeof ClaimedMessage>

/** Which messages are to be taken, and for which connection. */
export interface Claim {
  /** The connection's id. */
  connection: string
  pool: IpPool
  mxSet: string
  /** A domain of the MX set, of whose messages the set may not be known yet. */
  domain: string
  address: string
  /** All addresses of the pool. */
  addresses: readonly string[]
  limit: number
}

/** Levels of turns: an organisation with 2^16 waiting messages has the last one. */
export const lastTurn = 16

/** Connections whose lease holds, looked up once a statement: a call of `email.is_leased` for each message costs more than all else. */
const held = sql.fragment`
  select c.id from email.connections as c join jobs.leaseholders as w on w.id = c.worker_id`

/** Nobody has it, and its organisation may send: what waits of one that is closing waits on. */
const unleased = sql.fragment`(d.leased_by is null or d.leased_by not in (${held}) and not email.is_leased(d.leased_by))
  and ${notClosing('d')}`

/**
 * Due messages under `where`, the lowest turn first: level by level, so that each is one look into the index. Postgres plans each claim
 * anew, as the parameters make the plan for all values look dear: a plan that is kept is one for a table that was empty.
 */
const due = (where: ReturnType<typeof sql.fragment>, limit: number) => sql.fragment`
  select c.* from generate_series(0, ${lastTurn}::integer) as t (turn) cross join lateral (
    select d.message_id, d.turn, d.due_at, d.leased_by from email.deliveries as d
    where ${where} and d.turn = t.turn and d.due_at <= now() and ${unleased}
    order by d.due_at limit ${limit} for update skip locked) as c
  limit ${limit}`

/**
 * Takes due messages for a connection: of lower turns first, so that one organisation's backlog is not in the way of another's
 * mail. A message that is bound to another address of the pool is left to that one, unless it is suspended there. Who takes several
 * must send them in their order, each once the one before is settled: then of those of a connection that was lost, none but the
 * first can have been under way.
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
    select ${messages.columns('m')}, c.attempts, c.left_ms, c.lost, c.losses, c.sending_losses, ${address}::text as pinned
    from claimed as c join email.messages as m on ${byKey('m.id', 'c.message_id', allOf('message_id', 'claimed'))} order by c.turn, c.due_at, m.id`)
}

/** The address that the first due message of an MX set is bound to; null when it is to none. */
export async function firstPinned(db: Db, pool: IpPool, mxSet: string): Promise<string | null> {
  return await db.maybeOneFirst(sql.type(z.object({ local_address: z.string().nullable() }))`
    select d.local_address from email.deliveries as d
    where d.pool = ${pool} and d.mx_set = ${mxSet} and d.due_at <= now() and ${unleased}
    order by d.turn, d.due_at limit 1`)
}

/** Takes due messages of a domain whose MX set is not to be had; they stay locked until the transaction ends. */
export async function lockDomain(
  tx: Db,
  pool: IpPool,
  domain: string,
  limit: number,
): Promise<readonly ClaimedMessage[]> {
  return await lockWhere(
    tx,
    sql.fragment`d.pool = ${pool} and d.to_domain = ${domain} and d.due_at <= now() and ${unleased}`,
    limit,
  )
}

/** The same for messages of any domain whose time is over. */
export async function lockExpired(tx: Db, limit: number): Promise<readonly ClaimedMessage[]> {
  return await lockWhere(tx, sql.fragment`d.give_up_at < now() - interval '1 minute' and ${unleased}`, limit)
}

const lockWhere = (tx: Db, where: ReturnType<typeof sql.fragment>, limit: number) =>
  tx.any(sql.type(ClaimedMessage)`
    select ${messages.columns('m')}, d.attempts, false as lost, d.losses, d.sending_losses, d.local_address as pinned,
      (extract(epoch from d.give_up_at - now()) * 1000)::float8 as left_ms
    from email.deliveries as d join email.messages as m on m.id = d.message_id
    where ${where} order by d.message_id limit ${limit} for update of d skip locked`)

/** Says of the messages of a domain which MX set takes them: of those of which it was not known. */
export async function assign(db: Db, pool: IpPool, domain: string, mxSet: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update email.deliveries as d set mx_set = ${mxSet}
    where d.pool = ${pool} and d.to_domain = ${domain} and d.mx_set is null and ${unleased}`)
}

/** The same for those of a domain that had another MX set before. */
export async function reassign(db: Db, pool: IpPool, domain: string, before: string, mxSet: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update email.deliveries as d set mx_set = ${mxSet}
    where d.pool = ${pool} and d.to_domain = ${domain} and d.mx_set = ${before} and ${unleased}`)
}

/** Says what is done with a message now, or that nothing is: if the worker goes, that is to blame. */
export async function enterStage(
  db: Db,
  connection: string,
  messageId: string,
  stage: 'making' | 'sending' | null,
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update email.deliveries set stage = ${stage} where message_id = ${messageId} and leased_by = ${connection}`)
}

/** Gives messages back that were taken for a connection and not tried. */
export async function release(tx: Db, connection: string, messageIds: readonly string[]): Promise<void> {
  if (messageIds.length === 0) return
  await tx.query(sql.typeAlias('void')`
    update email.deliveries set leased_by = null
    where message_id = any(${sql.array([...messageIds], 'uuid')}) and leased_by = ${connection}`)
}

const Next = z.object({ domain: z.string(), at: z.date() })

/** When a message of an MX set is due next, and of which domain; none that is under a lease. */
export type Next = z.infer<typeof Next>

/** The order of those who take connections to an MX set and decide when it is looked at next, until the transaction ends. */
export async function lockSite(tx: Db, pool: IpPool, mxSet: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    select from pg_advisory_xact_lock(${lockSpaces.mxSet}, hashtext(${pool} || ' ' || ${mxSet}))`)
}

/**
 * When an MX set is to be looked at next, under `lockSite`: when a message is due, and an address of the pool not suspended; null
 * when nothing waits.
 */
export async function nextOf(
  tx: Db,
  pool: IpPool,
  mxSet: string,
  addresses: readonly string[],
  pause: number,
): Promise<Next | null> {
  return await tx.maybeOne(sql.type(Next)`
    with next as (
      select c.to_domain, c.due_at from generate_series(0, ${lastTurn}::integer) as t (turn) cross join lateral (
        select d.to_domain, d.due_at from email.deliveries as d
        where d.pool = ${pool} and d.mx_set = ${mxSet} and d.turn = t.turn and ${unleased}
        order by d.due_at limit 1) as c
      order by c.due_at limit 1)
    select to_domain as domain, greatest(due_at, now() + ${pause} * interval '1 millisecond', (
      select min(coalesce(s.suspended_until, '-infinity'))
      from unnest(${sql.array([...addresses], 'text')}) as a (address)
      left join email.mx_sets as s on s.pool = ${pool} and s.local_address = a.address and s.mx_set = ${mxSet})) as at
    from next`)
}

/** The same for a domain whose MX set is not to be had. */
export async function nextOfDomain(tx: Db, pool: IpPool, domain: string): Promise<Next | null> {
  return await tx.maybeOne(sql.type(Next)`
    select d.to_domain as domain, d.due_at as at from email.deliveries as d
    where d.pool = ${pool} and d.to_domain = ${domain} and ${unleased} order by d.due_at limit 1`)
}

const Backlog = z.object({ domain: z.string(), mx_set: z.string().nullable() })

/** The MX sets, and the domains whose sets are unknown, that messages were due for so many milliseconds ago. */
export async function listWaiting(db: Db, pool: IpPool, forMs: number): Promise<readonly z.infer<typeof Backlog>[]> {
  return await db.any(sql.type(Backlog)`
    select min(d.to_domain) as domain, d.mx_set from email.deliveries as d
    where d.pool = ${pool} and d.due_at < now() - ${forMs} * interval '1 millisecond' and ${unleased}
    group by d.mx_set, case when d.mx_set is null then d.to_domain end`)
}
