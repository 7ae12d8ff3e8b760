import type { QuerySqlToken } from 'slonik'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { held } from '../account/moves.ts'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

/** A pause as it holds: of a task, or of a whole pool when `task` is empty. */
export const Pause = z.object({
  pool: z.string(),
  task: z.string(),
  reason: z.string().nullable(),
  paused_by: z.string(),
  paused_at: z.date(),
})

/** A pause as it holds. */
export type Pause = z.infer<typeof Pause>

/** What an operator did. */
export const Action = z.object({
  id: z.string(),
  at: z.date(),
  actor: z.string(),
  action: z.string(),
  target: z.string(),
  count: z.number(),
  /** Why, if the operator said so. */
  reason: z.string().nullable(),
})

/** What an operator did. */
export type Action = z.infer<typeof Action>

/** What operators did. */
export const table = defineTable('jobs', 'actions', Action, { retention: days('ACTION_DAYS', 'at') })

/** All pauses, newest first. */
export async function pauses(db: Db): Promise<readonly Pause[]> {
  return await db.any(sql.type(Pause)`
    select pool, task, reason, paused_by, paused_at from jobs.pauses order by paused_at desc, pool, task`)
}

/** All hosts that are drained, or being so. */
export async function drains(db: Db): Promise<readonly string[]> {
  return await db.anyFirst(sql.type(z.object({ host: z.string() }))`select host from jobs.drains order by host`)
}

/** The pauses, drains, closed and moving organisations that a host's workers must follow, in one query; of those closed for how many milliseconds. */
export async function current(
  db: Db,
  host: string,
): Promise<{
  pauses: { pool: string; task: string }[]
  draining: boolean
  closing: [string, number][]
  moving: string[]
}> {
  const Current = z.object({
    pauses: z.array(z.object({ pool: z.string(), task: z.string() })),
    draining: z.boolean(),
    closing: z.array(z.tuple([z.string(), z.number()])),
    moving: z.array(z.string()),
  })
  return await db.one(sql.type(Current)`
    select coalesce((select json_agg(json_build_object('pool', pool, 'task', task) order by pool, task) from jobs.pauses), '[]')
      as pauses, exists (select from jobs.drains where host = ${host}) as draining,
      coalesce((select json_agg(json_build_array(org_id, floor(extract(epoch from now() - created_at) * 1000)))
        from account.closures where state in ('waiting', 'running')), '[]') as closing,
      coalesce((select json_agg(org_id) from (${held}) as held), '[]') as moving`)
}

const changed = async (db: Db, query: QuerySqlToken) => (await db.query(query)).rowCount > 0

/** Pauses a task, or a pool when `task` is empty; false when it was paused already. */
export async function pause(
  tx: Db,
  { pool, task, reason, actor }: { pool: string; task: string; reason: string | undefined; actor: string },
): Promise<boolean> {
  return await changed(
    tx,
    sql.typeAlias('void')`
    insert into jobs.pauses (pool, task, reason, paused_by) values (${pool}, ${task}, ${reason ?? null}, ${actor})
    on conflict do nothing`,
  )
}

/** Ends a pause; false when there was none. */
export async function resume(tx: Db, { pool, task }: { pool: string; task: string }): Promise<boolean> {
  return await changed(tx, sql.typeAlias('void')`delete from jobs.pauses where pool = ${pool} and task = ${task}`)
}

/** Has a host's workers fetch nothing; false when that was so already. */
export async function drain(tx: Db, host: string, actor: string): Promise<boolean> {
  return await changed(
    tx,
    sql.typeAlias('void')`
    insert into jobs.drains (host, drained_by) values (${host}, ${actor}) on conflict do nothing`,
  )
}

/** Lets a host's workers fetch again; false when they did. */
export async function undrain(tx: Db, host: string): Promise<boolean> {
  return await changed(tx, sql.typeAlias('void')`delete from jobs.drains where host = ${host}`)
}

/** Notes what an operator did, in the transaction that does it; returns the note's id. */
export async function note(
  tx: Db,
  did: { actor: string; action: string; target: string; count: number; reason?: string | undefined },
): Promise<string> {
  const id = newId()
  await tx.query(sql.typeAlias('void')`
    insert into jobs.actions (id, actor, action, target, count, reason)
    values (${id}, ${did.actor}, ${did.action}, ${did.target}, ${did.count}, ${did.reason ?? null})`)
  return id
}

/** Adds to the count of a note, as an action on many goes on. */
export async function addToNote(tx: Db, id: string, count: number): Promise<void> {
  await tx.query(sql.typeAlias('void')`update jobs.actions set count = count + ${count} where id = ${id}`)
}

/** What operators did, newest first; of those after the note with id `before`. */
export async function actions(
  db: Db,
  { limit, before }: { limit: number; before?: string },
): Promise<readonly Action[]> {
  return await db.any(sql.type(Action)`
    select id, at, actor, action, target, count, reason from jobs.actions
    where ${before ?? null}::uuid is null or id < ${before ?? null}::uuid order by id desc limit ${limit}`)
}
