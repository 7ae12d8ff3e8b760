import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'
import { actionTypes } from './actions.ts'

export const table = defineTable(
  'automation',
  'runs',
  z.object({
    id: Id,
    org_id: Id,
    rule_id: Id,
    event_id: Id,
    event_type: z.string(),
    sandbox: z.boolean(),
    /** Number of rules whose actions led to the event. */
    depth: z.number(),
    status: z.enum(['waiting', 'done', 'failed', 'limited', 'loop_stopped']),
    result_type: z.enum(actionTypes).nullable(),
    /** Event of the notify area, job or message that the action created. */
    result_id: Id.nullable(),
    error_code: z.string().nullable(),
    error_message: z.string().nullable(),
    /** Number of times that somebody has retried the run. */
    retries: z.number(),
    created_at: z.date(),
    ended_at: z.date().nullable(),
  }),
  {
    retention: days('WEBHOOK_LOG_DAYS', 'created_at', { which: 'ended', where: sql.fragment`old.status <> 'waiting'` }),
  },
)

export const Run = table.Row

export type Run = z.infer<typeof Run>

export type NewRun = Pick<Run, 'id' | 'org_id' | 'rule_id' | 'event_id' | 'event_type' | 'sandbox'>

export async function insertMany(tx: Db, runs: readonly NewRun[]): Promise<void> {
  if (runs.length === 0) return
  await tx.query(sql.typeAlias('void')`${table.insertMany(runs)} on conflict (rule_id, event_id) do nothing`)
}

const Depth = z.object({ object_id: Id, org_id: Id, depth: z.number() })

/**
 * Returns how many rules led to an object, by organisation and object. The object is the result of a rule’s action, or
 * a message of a workflow that a rule has started. Objects that do not come from rules are missing.
 */
export async function findDepths(db: Db, objectIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (objectIds.length === 0) return new Map()
  const ids = sql.array([...objectIds], 'uuid')
  const found = await db.any(sql.type(Depth)`
    select result_id as object_id, org_id, depth from automation.runs where result_id = any(${ids})
    union all
    select s.message_id, r.org_id, r.depth from notify.run_steps as s
    join notify.runs as n on n.id = s.run_id
    join automation.runs as r on r.result_id = n.event_id
    where s.message_id = any(${ids})`)
  const deepest = new Map<string, number>()
  for (const { object_id, org_id, depth } of found) {
    const name = `${org_id} ${object_id}`
    deepest.set(name, Math.max(deepest.get(name) ?? 0, depth))
  }
  return deepest
}

const Waiting = Run.extend({
  /** Null if the event was deleted. */
  data: z.record(z.string(), z.unknown()).nullable(),
  event_created_at: z.date().nullable(),
})

export type WaitingRun = z.infer<typeof Waiting>

/** Returns waiting runs with their events. */
export async function listWaiting(db: Db, ids: readonly string[]): Promise<readonly WaitingRun[]> {
  return await db.any(sql.type(Waiting)`
    select ${table.columns('r')}, e.data, e.created_at as event_created_at
    from automation.runs as r left join webhooks.events as e on e.id = r.event_id
    where r.id = any(${sql.array([...ids], 'uuid')}) and r.status = 'waiting' order by r.id`)
}

/** Locks waiting runs until the transaction ends. Returns their IDs. */
export async function lockWaiting(tx: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const locked = await tx.anyFirst(sql.type(Run.pick({ id: true }))`
    select id from automation.runs
    where id = any(${sql.array([...ids], 'uuid')}) and status = 'waiting' order by id for update`)
  return new Set(locked)
}

export type EndedRun = Pick<
  Run,
  'id' | 'status' | 'depth' | 'result_type' | 'result_id' | 'error_code' | 'error_message'
>

export async function endMany(tx: Db, ended: readonly EndedRun[]): Promise<void> {
  if (ended.length === 0) return
  await tx.query(sql.typeAlias('void')`
    update automation.runs as r set status = w.status, depth = w.depth, result_type = w.result_type, result_id = w.result_id,
      error_code = w.error_code, error_message = w.error_message, ended_at = now()
    from ${sql.unnest(
      ended.map(({ id, status, depth, result_type, result_id, error_code, error_message }) => [
        ...[id, status, depth, result_type, result_id, error_code, error_message],
      ]),
      ['uuid', 'text', 'int4', 'text', 'uuid', 'text', 'text'],
    )} as w (id, status, depth, result_type, result_id, error_code, error_message)
    where r.id = w.id and r.status = 'waiting'`)
}

/** Ends waiting runs as failed, because no attempt is left. */
export async function giveUp(tx: Db, ids: readonly string[], message: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update automation.runs
    set status = 'failed', error_code = 'given_up', error_message = ${message}, result_id = null, ended_at = now()
    where id = any(${sql.array([...ids], 'uuid')}) and status = 'waiting'`)
}

/** Makes runs wait again that ended because no attempt was left. */
export async function revive(tx: Db, ids: readonly string[]): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update automation.runs set status = 'waiting', error_code = null, error_message = null, ended_at = null
    where id = any(${sql.array([...ids], 'uuid')}) and status = 'failed' and error_code = 'given_up'`)
}

/** Makes a failed or limited run wait again. Returns null if the run has another status. */
export async function retry(tx: Db, orgId: string, id: string): Promise<Run | null> {
  return await tx.maybeOne(sql.type(Run)`
    update automation.runs
    set status = 'waiting', error_code = null, error_message = null, ended_at = null, retries = retries + 1
    where org_id = ${orgId} and id = ${id} and status in ('failed', 'limited') returning ${table.columns()}`)
}

const Shown = Run.extend({ rule_name: z.string() })

export type ShownRun = z.infer<typeof Shown>

const shown = sql.fragment`
  select ${table.columns('r')}, u.name as rule_name
  from automation.runs as r join automation.rules as u on u.id = r.rule_id`

export const filters = {
  rule_id: table.equals('rule_id', 'r'),
  status: table.equals('status', 'r'),
  event_id: table.equals('event_id', 'r'),
  event_type: table.equals('event_type', 'r'),
}

export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly ShownRun[]> {
  return await db.any(sql.type(Shown)`
    ${shown} where r.org_id = ${orgId} and ${where} and ${isOlder(before, ['r', 'id'])}
    order by r.id desc limit ${limit}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<ShownRun | null> {
  return await db.maybeOne(sql.type(Shown)`${shown} where r.org_id = ${orgId} and r.id = ${id}`)
}
