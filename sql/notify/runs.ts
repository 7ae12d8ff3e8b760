import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { byKey } from '../by-key.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'
import { Event } from './events.ts'

/** What an event said of where to, and the locks of its key. */
const Recipient = z.object({
  email: z.object({ to: z.string(), isContact: z.boolean(), from: z.string().nullish() }).optional(),
  push_app_id: Id.optional(),
  from_domains: z.array(z.string()).optional(),
  app_lock: Id.optional(),
})

/** How a run stands. */
export const State = z.enum(['waiting', 'completed', 'stopped', 'cancelled', 'failed'])

/** Ways of people through workflows. */
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

/** One way of a person through a version of a workflow. */
export const Run = table.Row

/** The parsed row. */
export type Run = z.infer<typeof Run>

/** A run as it begins. */
export type NewRun = Omit<
  Run,
  'gathering' | 'state' | 'reason' | 'step' | 'begun' | 'due_at' | 'created_at' | 'ended_at'
>

/** A run whose steps are taken, with the event that it began with. */
export const DueRun = Run.extend(
  Event.pick({
    ...{ subject: true, product_key: true, type: true, title: true, body: true, data: true, url: true },
  }).shape,
)

/** The parsed row. */
export type DueRun = z.infer<typeof DueRun>

export async function insertMany(tx: Db, runs: readonly NewRun[]): Promise<void> {
  if (runs.length > 0) await tx.query(sql.typeAlias('void')`${table.insertMany(runs)}`)
}

const Gathering = Run.pick({ id: true, workflow_id: true, user_id: true, digest_key: true }).extend({
  is_new: z.boolean(),
})

/** A run that events join. */
export type Gathering = z.infer<typeof Gathering>

/** The runs of different workflows, people and keys that events join, begun where there is none; locked until the transaction ends. */
export async function gatherMany(tx: Db, runs: readonly NewRun[]): Promise<readonly Gathering[]> {
  if (runs.length === 0) return []
  const orderOf = ({ workflow_id, user_id, digest_key }: NewRun) => `${workflow_id} ${user_id} ${digest_key}`
  // In one order everywhere: two transactions with the same windows wait for each other one way only.
  const sorted = runs.map((run) => ({ ...run, gathering: true })).sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
  return await tx.any(sql.type(Gathering)`
    ${table.insertMany(sorted)}
    on conflict (workflow_id, user_id, digest_key) where gathering do update set org_id = excluded.org_id
    returning id, workflow_id, user_id, digest_key, xmax = 0 as is_new`)
}

/** Those of runs whose next step is due, locked until the transaction ends. */
export async function lockDue(tx: Db, ids: readonly string[]): Promise<readonly DueRun[]> {
  return await tx.any(sql.type(DueRun)`
    select ${table.columns('r')}, e.subject, e.product_key, e.type, e.title, e.body, e.data, e.url
    from notify.runs as r join notify.events as e on e.id = r.event_id
    where r.id = any(${sql.array([...ids], 'uuid')}) and r.state = 'waiting' and r.due_at <= now() + interval '1 second'
    order by r.id for update of r`)
}

/** How far a run has come. */
export type Advanced = Pick<Run, 'id' | 'state' | 'reason' | 'step' | 'begun' | 'due_at'>

/** Records how far runs have come; those that have ended gather nothing more, nor do those whose window is over. */
export async function advanceMany(tx: Db, runs: readonly Advanced[]): Promise<void> {
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

/** Ends runs of an organisation that wait: one, or all of a workflow. Returns them. */
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

/** Ends those of runs that wait as given up: no attempt is left. Returns them. */
export async function giveUp(tx: Db, ids: readonly string[]): Promise<readonly Run[]> {
  return await tx.any(sql.type(Run)`
    update notify.runs set state = 'failed', reason = 'given_up', ended_at = now(), gathering = false
    where id = any(${sql.array([...ids], 'uuid')}) and state = 'waiting' returning ${table.columns()}`)
}

/** Has runs wait again that were given up. */
export async function revive(tx: Db, ids: readonly string[]): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update notify.runs set state = 'waiting', reason = null, ended_at = null
    where id = any(${sql.array([...ids], 'uuid')}) and state = 'failed' and reason = 'given_up'`)
}

const Shown = Run.extend(Event.pick({ subject: true, product_key: true, type: true, title: true }).shape)

/** A run with the event that it began with, as lists have it. */
export type ShownRun = z.infer<typeof Shown>

const shown = sql.fragment`
  select ${table.columns('r')}, e.subject, e.product_key, e.type, e.title
  from notify.runs as r join notify.events as e on e.id = r.event_id`

export async function find(db: Db, orgId: string, id: string): Promise<ShownRun | null> {
  return await db.maybeOne(sql.type(Shown)`${shown} where r.org_id = ${orgId} and r.id = ${id}`)
}

/** What runs are filtered by. */
export interface RunFilter {
  workflow?: string | undefined
  userId?: string | undefined
  state?: Run['state'] | undefined
}

/** Runs of an organisation, newest first, before the one with id `before`. */
export async function list(
  db: Db,
  orgId: string,
  { workflow, userId, state, before, limit }: RunFilter & { before: string | undefined; limit: number },
): Promise<readonly ShownRun[]> {
  const filters = [
    sql.fragment`r.org_id = ${orgId}`,
    ...(workflow === undefined ? [] : [sql.fragment`r.workflow = ${workflow}`]),
    ...(userId === undefined ? [] : [sql.fragment`r.user_id = ${userId}`]),
    ...(state === undefined ? [] : [sql.fragment`r.state = ${state}`]),
    ...(before === undefined ? [] : [sql.fragment`r.id < ${before}`]),
  ]
  return await db.any(sql.type(Shown)`
    ${shown} where ${sql.join(filters, sql.fragment` and `)} order by r.id desc limit ${limit}`)
}

/** Those of runs that wait. */
export async function listWaiting(db: Db, ids: readonly string[]): Promise<readonly Run[]> {
  return await db.any(sql.type(Run)`
    select ${table.columns()} from notify.runs
    where id = any(${sql.array([...ids], 'uuid')}) and state = 'waiting' order by id`)
}
