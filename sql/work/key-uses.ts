import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import type { Page } from '../filters.ts'
import { table } from './keys.ts'

/** Waiting jobs of a key are counted up to this number. */
export const mostCounted = 1_000

const KeyUse = table.Row.pick({ kind: true, key: true, most: true, paced_until: true, used_at: true }).extend({
  /** Jobs that have a place of a concurrency key. 0 for rate keys. */
  running: z.number(),
  /** Jobs that wait for a place of a concurrency key, up to `mostCounted`. 0 for rate keys. */
  waiting: z.number(),
})

export type KeyUse = z.infer<typeof KeyUse>

export const filters = { kind: table.equals('kind') }

/** Kind and key of the last row of a page. */
export const Place = z.tuple([table.Row.shape.kind, z.string()])

export type Place = z.infer<typeof Place>

/** Returns keys by kind and name, with the jobs that use them now. */
export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters, Place>,
): Promise<readonly KeyUse[]> {
  const isAfter = before === undefined ? sql.fragment`true` : sql.fragment`(kind, key) > (${before[0]}, ${before[1]})`
  return await db.any(sql.type(KeyUse)`
    with page as materialized (
      select org_id, kind, key, most, paced_until, used_at from work.keys
      where org_id = ${orgId} and ${where} and ${isAfter} order by kind, key limit ${limit})
    select p.kind, p.key, p.most, p.paced_until, p.used_at,
      (select count(*)::integer from work.jobs as j
        where p.kind = 'concurrency' and j.org_id = p.org_id and j.concurrency_key = p.key and j.has_place) as running,
      (select count(*)::integer from (
        select from work.jobs as j
        where p.kind = 'concurrency' and j.org_id = p.org_id and j.concurrency_key = p.key and j.phase = 'held'
        limit ${mostCounted}) as held) as waiting
    from page as p order by p.kind, p.key`)
}
