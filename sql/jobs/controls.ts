import type { QuerySqlToken } from 'slonik'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { held } from '../account/move/moves.ts'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

/** An active pause of a task, or of a complete pool if `task` is empty. */
export const Pause = z.object({
  pool: z.string(),
  task: z.string(),
  reason: z.string().nullable(),
  paused_by: z.string(),
  paused_at: z.date(),
})

export type Pause = z.infer<typeof Pause>

export const Action = z.object({
  id: z.string(),
  at: z.date(),
  actor: z.string(),
  action: z.string(),
  target: z.string(),
  count: z.number(),
  reason: z.string().nullable(),
})

export type Action = z.infer<typeof Action>

export const table = defineTable('jobs', 'actions', Action, { retention: days('ACTION_DAYS', 'at') })

export async function pauses(db: Db): Promise<readonly Pause[]> {
  return await db.any(sql.type(Pause)`
    select pool, task, reason, paused_by, paused_at from jobs.pauses order by paused_at desc, pool, task`)
}

export async function drains(db: Db): Promise<readonly string[]> {
  return await db.anyFirst(sql.type(z.object({ host: z.string() }))`select host from jobs.drains order by host`)
}

/**
 * Returns the pauses, drains, closed organisations and moving organisations for a host’s workers in one query. Each
 * closed organisation has the time since its closure in milliseconds.
 */
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

/** Pauses a task, or a pool if `task` is empty. Returns false if it was already paused. */
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

export async function resume(tx: Db, { pool, task }: { pool: string; task: string }): Promise<boolean> {
  return await changed(tx, sql.typeAlias('void')`delete from jobs.pauses where pool = ${pool} and task = ${task}`)
}

export async function drain(tx: Db, host: string, actor: string): Promise<boolean> {
  return await changed(
    tx,
    sql.typeAlias('void')`
    insert into jobs.drains (host, drained_by) values (${host}, ${actor}) on conflict do nothing`,
  )
}

export async function undrain(tx: Db, host: string): Promise<boolean> {
  return await changed(tx, sql.typeAlias('void')`delete from jobs.drains where host = ${host}`)
}

/** Records an action in the transaction that performs the action. Returns the ID of the record. */
export async function recordAction(
  tx: Db,
  did: { actor: string; action: string; target: string; count: number; reason?: string | undefined },
): Promise<string> {
  const id = newId()
  await tx.query(sql.typeAlias('void')`
    insert into jobs.actions (id, actor, action, target, count, reason)
    values (${id}, ${did.actor}, ${did.action}, ${did.target}, ${did.count}, ${did.reason ?? null})`)
  return id
}

export async function addToActionCount(tx: Db, id: string, count: number): Promise<void> {
  await tx.query(sql.typeAlias('void')`update jobs.actions set count = count + ${count} where id = ${id}`)
}

/** Returns the actions of operators, newest first, optionally only those older than the record `before`. */
export async function actions(
  db: Db,
  { limit, before }: { limit: number; before?: string },
): Promise<readonly Action[]> {
  return await db.any(sql.type(Action)`
    select id, at, actor, action, target, count, reason from jobs.actions
    where ${before ?? null}::uuid is null or id < ${before ?? null}::uuid order by id desc limit ${limit}`)
}
