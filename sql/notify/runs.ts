import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { byKey } from '../by-key.ts'
import { type Db, sql } from '../db.ts'
import { everything, isOlder, type Page } from '../filters.ts'
import { defineTable } from '../table.ts'
import { Event } from './events.ts'

const Recipient = z.object({
  email: z.object({ to: z.string(), isContact: z.boolean(), from: z.string().nullish() }).optional(),
  push_app_id: Id.optional(),
  from_domains: z.array(z.string()).optional(),
  app_lock: Id.optional(),
})

export const State = z.enum(['waiting', 'completed', 'stopped', 'cancelled', 'failed'])

export const table = defineTable(
  'notify',
  'runs',
  z.object({
    id: Id,
    org_id: Id,
    workflow_id: Id,
    workflow: z.string(),
    version: z.number(),
    event_id: Id,
    user_id: Id,
    key_id: Id.nullable(),
    person_id: Id.nullable(),
    recipient: Recipient,
    edition: z.number(),
    digest_key: z.string().nullable(),
    gathering: z.boolean(),
    state: State,
    reason: z.string().nullable(),
    step: z.number(),
    begun: z.boolean(),
    due_at: z.date(),
    created_at: z.date(),
    ended_at: z.date().nullable(),
  }),
)

export const Run = table.Row

export type Run = z.infer<typeof Run>

export type NewRun = Omit<
  Run,
  'gathering' | 'state' | 'reason' | 'step' | 'begun' | 'due_at' | 'created_at' | 'ended_at'
>

export const DueRun = Run.extend(
  Event.pick({
    ...{ subject: true, product_key: true, type: true, title: true, body: true, data: true, url: true },
  }).shape,
)

export type DueRun = z.infer<typeof DueRun>

export async function insertMany(tx: Db, runs: readonly NewRun[]): Promise<void> {
  if (runs.length > 0) await tx.query(sql.typeAlias('void')`${table.insertMany(runs)}`)
}

const CollectingRun = Run.pick({ id: true, workflow_id: true, user_id: true, digest_key: true }).extend({
  is_new: z.boolean(),
})

export type Gathering = z.infer<typeof CollectingRun>

/**
 * Returns the runs of different workflows, people and keys that events join. Creates missing runs. The runs are locked
 * until the transaction ends.
 */
export async function joinMany(tx: Db, runs: readonly NewRun[]): Promise<readonly Gathering[]> {
  if (runs.length === 0) return []
  const orderOf = ({ workflow_id, user_id, digest_key }: NewRun) => `${workflow_id} ${user_id} ${digest_key}`
  // In a fixed order, so that transactions with the same windows cannot deadlock.
  const sorted = runs.map((run) => ({ ...run, gathering: true })).sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
  return await tx.any(sql.type(CollectingRun)`
    ${table.insertMany(sorted)}
    on conflict (workflow_id, user_id, digest_key) where gathering do update set org_id = excluded.org_id
    returning id, workflow_id, user_id, digest_key, xmax = 0 as is_new`)
}

/** Returns the runs whose next step is due, locked until the transaction ends. */
export async function lockDue(tx: Db, ids: readonly string[]): Promise<readonly DueRun[]> {
  return await tx.any(sql.type(DueRun)`
    select ${table.columns('r')}, e.subject, e.product_key, e.type, e.title, e.body, e.data, e.url
    from notify.runs as r join notify.events as e on e.id = r.event_id
    where r.id = any(${sql.array([...ids], 'uuid')}) and r.state = 'waiting' and r.due_at <= now() + interval '1 second'
    order by r.id for update of r`)
}

/** Returns a run that waits at the step `number`, which has started. Null if the run has continued or ended. */
export async function findFetching(db: Db, id: string, number: number): Promise<DueRun | null> {
  return await db.maybeOne(sql.type(DueRun)`
    select ${table.columns('r')}, e.subject, e.product_key, e.type, e.title, e.body, e.data, e.url
    from notify.runs as r join notify.events as e on e.id = r.event_id
    where r.id = ${id} and r.state = 'waiting' and r.step = ${number} and r.begun`)
}

/** Makes a waiting run due immediately. */
export async function makeDue(tx: Db, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update notify.runs set due_at = now() where id = ${id} and state = 'waiting'`)
}

export type RunProgress = Pick<Run, 'id' | 'state' | 'reason' | 'step' | 'begun' | 'due_at'>

/** Stores the progress of runs. Ended runs, and runs whose window has ended, collect no more events. */
export async function saveProgress(tx: Db, runs: readonly RunProgress[]): Promise<void> {
  if (runs.length === 0) return
  const ids = runs.map(({ id }) => id)
  await tx.query(sql.typeAlias('void')`
    update notify.runs as r set state = w.state, reason = w.reason, step = w.step, begun = w.begun, due_at = w.due_at,
      ended_at = case when w.state <> 'waiting' then now() end,
      gathering = r.gathering and w.state = 'waiting' and w.step = 0
    from ${sql.unnest(
      runs.map(({ id, state, reason, step, begun, due_at }) => [id, state, reason, step, begun, due_at.toISOString()]),
      ['uuid', 'text', 'text', 'int4', 'bool', 'timestamptz'],
    )} as w (id, state, reason, step, begun, due_at)
    where ${byKey('r.id', 'w.id', sql.fragment`${sql.array(ids, 'uuid')}`)}`)
}

/** Ends waiting runs of an organisation: one run, or all runs of a workflow. Returns the ended runs. */
export async function endWaiting(
  tx: Db,
  orgId: string,
  which: { id: string } | { workflowId: string },
  { state, reason }: Pick<Run, 'state' | 'reason'>,
): Promise<readonly Run[]> {
  const those = 'id' in which ? sql.fragment`id = ${which.id}` : sql.fragment`workflow_id = ${which.workflowId}`
  return await tx.any(sql.type(Run)`
    update notify.runs set state = ${state}, reason = ${reason}, ended_at = now(), gathering = false
    where org_id = ${orgId} and ${those} and state = 'waiting' returning ${table.columns()}`)
}

/** Ends waiting runs as given up, because no attempt is left. Returns the ended runs. */
export async function giveUp(tx: Db, ids: readonly string[]): Promise<readonly Run[]> {
  return await tx.any(sql.type(Run)`
    update notify.runs set state = 'failed', reason = 'given_up', ended_at = now(), gathering = false
    where id = any(${sql.array([...ids], 'uuid')}) and state = 'waiting' returning ${table.columns()}`)
}

/** Makes runs that were given up wait again. */
export async function retryMany(tx: Db, ids: readonly string[]): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update notify.runs set state = 'waiting', reason = null, ended_at = null
    where id = any(${sql.array([...ids], 'uuid')}) and state = 'failed' and reason = 'given_up'`)
}

const Shown = Run.extend(Event.pick({ subject: true, product_key: true, type: true, title: true }).shape)

export type ShownRun = z.infer<typeof Shown>

const shown = sql.fragment`
  select ${table.columns('r')}, e.subject, e.product_key, e.type, e.title
  from notify.runs as r join notify.events as e on e.id = r.event_id`

export async function find(db: Db, orgId: string, id: string): Promise<ShownRun | null> {
  return await db.maybeOne(sql.type(Shown)`${shown} where r.org_id = ${orgId} and r.id = ${id}`)
}

export const filters = { workflow: table.equals('workflow', 'r'), state: table.equals('state', 'r') }

/** Lists runs, of one person if `userId` is given. */
export async function list(
  db: Db,
  orgId: string,
  { where, userId, before, limit }: Page<typeof filters> & { userId: string | undefined },
): Promise<readonly ShownRun[]> {
  return await db.any(sql.type(Shown)`
    ${shown} where r.org_id = ${orgId} and ${userId === undefined ? everything : sql.fragment`r.user_id = ${userId}`}
      and ${where} and ${isOlder(before, ['r', 'id'])}
    order by r.id desc limit ${limit}`)
}

export async function listWaiting(db: Db, ids: readonly string[]): Promise<readonly Run[]> {
  return await db.any(sql.type(Run)`
    select ${table.columns()} from notify.runs
    where id = any(${sql.array([...ids], 'uuid')}) and state = 'waiting' order by id`)
}
