import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'
import { Queued } from './turns.ts'

export const table = defineTable(
  'work',
  'keys',
  z.object({
    org_id: Id,
    kind: z.enum(['concurrency', 'rate']),
    key: z.string(),
    most: z.number(),
    paced_until: z.date(),
    used_at: z.date(),
  }),
  {
    retention: days(2, 'used_at', {
      where: sql.fragment`old.paced_until < now() and not exists (
        select from work.jobs as j where old.kind = 'concurrency' and j.org_id = old.org_id
          and j.concurrency_key = old.key and (j.phase = 'held' or j.has_place))`,
    }),
  },
)

export interface NamedKey {
  org_id: string
  key: string
}

/**
 * Locks concurrency keys until the transaction ends. A later statement counts the places that other transactions have
 * taken. `most` replaces the limit of the key.
 */
export async function lockPlaces(tx: Db, keys: readonly (NamedKey & { most: number })[]): Promise<void> {
  const rows = keys.map((key) => ({ ...key, kind: 'concurrency' }))
  await tx.query(sql.typeAlias('void')`
    insert into work.keys (org_id, kind, key, most)
    select org_id, kind, key, most from json_populate_recordset(null::work.keys, ${JSON.stringify(rows)}::json)
    order by org_id, key
    on conflict (org_id, kind, key) do update set most = excluded.most, used_at = now()`)
}

/** Locks keys that exist, with their limit. */
export async function lockKnownPlaces(tx: Db, keys: readonly NamedKey[]): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    with locked as (
      select k.org_id, k.key from work.keys as k
      join json_populate_recordset(null::work.keys, ${JSON.stringify(keys)}::json) as g using (org_id, key)
      where k.kind = 'concurrency' order by k.org_id, k.key for update of k)
    select from locked`)
}

/**
 * Gives the free places of locked keys to the oldest jobs that wait for them. Returns these jobs. The index finds the
 * oldest job, so the cost does not depend on the number of waiting jobs.
 */
export async function fillPlaces(tx: Db, keys: readonly NamedKey[]): Promise<readonly Queued[]> {
  return await tx.any(sql.type(Queued)`
    with free as materialized (
      select k.org_id, k.key, k.most - (
        select count(*) from work.jobs as j
        where j.org_id = k.org_id and j.concurrency_key = k.key and j.has_place) as places
      from work.keys as k
      join json_populate_recordset(null::work.keys, ${JSON.stringify(keys)}::json) as g using (org_id, key)
      where k.kind = 'concurrency'),
    next as materialized (
      select held.id from free cross join lateral (
        select j.id from work.jobs as j
        where j.org_id = free.org_id and j.concurrency_key = free.key and j.phase = 'held'
        order by j.id limit greatest(free.places, 0) for no key update) as held),
    filled as (
      update work.jobs as j set has_place = true from next where j.id = next.id
      returning j.id, j.org_id, j.turn, j.rate_key, j.rate_limit, j.rate_per)
    select * from filled order by id`)
}

const Paced = z.object({ org_id: Id, key: z.string(), wait_ms: z.number() })

/**
 * Reserves `span_ms` milliseconds for jobs of each rate key, after all earlier jobs. Returns the milliseconds until the
 * first of them can start.
 */
export async function reserveSlots(
  tx: Db,
  keys: readonly (NamedKey & { most: number; span_ms: number })[],
): Promise<readonly z.infer<typeof Paced>[]> {
  return await tx.any(sql.type(Paced)`
    insert into work.keys as k (org_id, kind, key, most, paced_until)
    select g.org_id, 'rate', g.key, g.most, clock_timestamp() + g.span_ms * interval '1 ms'
    from json_to_recordset(${JSON.stringify(keys)}::json) as g (org_id uuid, key text, most integer, span_ms float8)
    order by g.org_id, g.key
    on conflict (org_id, kind, key) do update set most = excluded.most, used_at = now(),
      paced_until = greatest(k.paced_until, clock_timestamp()) + (excluded.paced_until - clock_timestamp())
    returning k.org_id, k.key, extract(epoch from k.paced_until - clock_timestamp())::float8 * 1000 as wait_ms`)
}

/** Returns the slot of a cancelled job to its rate key, if it is the last slot, so that later jobs do not wait for it. */
export async function returnSlot(tx: Db, { org_id, key }: NamedKey, spanMs: number): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update work.keys set paced_until = least(paced_until, ${spanMs} * interval '1 ms' + greatest(clock_timestamp(), (
      select max(due_at) from work.jobs where org_id = ${org_id} and rate_key = ${key} and phase = 'paced')))
    where org_id = ${org_id} and kind = 'rate' and key = ${key}`)
}
