import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'
import { days } from '../../retention.ts'
import { defineTable } from '../../table.ts'
import type { Source } from './streams.ts'

export type QueuedSource = Exclude<Source, 'audit'>

/** IDs of records that streams have not sent yet. The records themselves stay in their own tables. */
export const table = defineTable(
  'account',
  'log_stream_queue',
  z.object({
    org_id: Id,
    source: z.enum(['events', 'requests']),
    id: Id,
    number: z.number().nullable(),
    created_at: z.date(),
  }),
  { retention: days('LOG_STREAM_DAYS', 'created_at') },
)

export const counters = defineTable(
  'account',
  'log_stream_counters',
  z.object({ org_id: Id, source: z.enum(['events', 'requests']), number: z.number() }),
)

/**
 * Adds records to the queue, in the statement that stores them. `stored` is the name of a query with the columns `id`
 * and `org_id` of the new records. Organisations without such a stream add nothing.
 * Each record looks up one row of an index, because this is part of every request.
 */
export const queueStored = (stored: string, source: QueuedSource, where = sql.fragment`true`): FragmentSqlToken =>
  sql.fragment`
    insert into account.log_stream_queue (org_id, source, id)
    select r.org_id, ${source}, r.id from ${sql.identifier([stored])} as r
    where ${where} and (
      select true from account.log_stream_positions as p where p.org_id = r.org_id and p.source = ${source} limit 1)
    on conflict do nothing`

/**
 * Gives numbers to up to `limit` records that are committed. The counter is locked first, so numbers become visible in
 * their order.
 */
export async function number(tx: Db, orgId: string, source: QueuedSource, limit: number): Promise<number> {
  await tx.query(sql.typeAlias('void')`
    insert into account.log_stream_counters (org_id, source) values (${orgId}, ${source}) on conflict do nothing`)
  await tx.query(sql.typeAlias('void')`
    select from account.log_stream_counters where org_id = ${orgId} and source = ${source} for no key update`)
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    with fresh as (
      select id, row_number() over (order by id) as place from (
        select id from account.log_stream_queue
        where org_id = ${orgId} and source = ${source} and number is null limit ${limit} for update) as waiting
    ), counter as (
      update account.log_stream_counters set number = number + (select count(*) from fresh)
      where org_id = ${orgId} and source = ${source} returning number
    ) update account.log_stream_queue as q set number = c.number - (select count(*) from fresh) + f.place
      from fresh as f, counter as c where q.org_id = ${orgId} and q.source = ${source} and q.id = f.id`)
  return rowCount
}

/** Deletes records that every stream of the organisation has passed. */
export async function removePassed(tx: Db, orgId: string, source: QueuedSource, limit: number): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    delete from account.log_stream_queue where (org_id, source, id) in (
      select org_id, source, id from account.log_stream_queue
      where org_id = ${orgId} and source = ${source} and number <= (
        select min(number) from account.log_stream_positions where org_id = ${orgId} and source = ${source})
      order by number limit ${limit})`)
}

export type Counter = z.infer<typeof counters.Row>

/** Returns counters after the counter `after`, by organisation and source. */
export async function listCounters(db: Db, after: Counter | undefined, limit: number): Promise<readonly Counter[]> {
  const isLater = after
    ? sql.fragment`(org_id, source) > (${after.org_id}::uuid, ${after.source}::text)`
    : sql.fragment`true`
  return await db.any(sql.type(counters.Row)`
    select org_id, source, number from account.log_stream_counters where ${isLater} order by org_id, source limit ${limit}`)
}

/** Deletes a batch of the oldest records of an organisation that are over its limit, or that no stream wants. */
export async function trim(
  db: Db,
  { org_id, source, most, limit }: { org_id: string; source: QueuedSource; most: number; limit: number },
): Promise<number> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    delete from account.log_stream_queue where (org_id, source, id) in (
      select q.org_id, q.source, q.id from account.log_stream_queue as q
      where q.org_id = ${org_id} and q.source = ${source} and (
        not exists (
          select from account.log_stream_positions as p where p.org_id = ${org_id} and p.source = ${source})
        or q.number <= (
          select number from account.log_stream_counters where org_id = ${org_id} and source = ${source}) - ${most})
      limit ${limit})`)
  return rowCount
}
