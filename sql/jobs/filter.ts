import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { sql } from '../db.ts'
import { jobsTable, type Queue, tasksTable } from './graphile-schema.ts'

/**
 * The state of a job. `paused`: its task is paused. `discarded`: it failed and was discarded. `rejected`: its input
 * could not be processed.
 */
export const State = z.enum([
  'waiting',
  'scheduled',
  'paused',
  'running',
  'failed',
  'done',
  'rejected',
  'cancelled',
  'discarded',
])

export type State = z.infer<typeof State>

export const Filter = z.object({
  pool: z.string().optional(),
  task: z.string().optional(),
  /** `open`: waiting, scheduled or paused. */
  state: z.union([State, z.literal('open')]).optional(),
  org: Id.optional(),
  before: z.date().optional(),
  after: z.date().optional(),
  /** Part of the job’s ID, of the ID of its run, request or subject, of its payload or its error. */
  search: z.string().min(1).max(200).optional(),
  fingerprint: z.string().optional(),
})

export type Filter = z.infer<typeof Filter>

const and = (conditions: ReturnType<typeof sql.fragment>[]) => sql.join(conditions, sql.fragment` and `)

const pausedTasks = (queue: Queue) => sql.fragment`(
  select t.id from jobs.pauses as p join ${tasksTable(queue)} as t on t.identifier = p.task where p.pool = ${queue.pool})`

export const stateOf = (queue: Queue) => sql.fragment`case
  when q.locked_at is not null then 'running'
  when q.attempts >= q.max_attempts then 'failed'
  when jobs.parked(q.run_at) or q.task_id in ${pausedTasks(queue)} then 'paused'
  when q.run_at > now() then 'scheduled'
  else 'waiting' end`

function inState(queue: Queue, state: State | 'open') {
  const unpaused = sql.fragment`q.is_available and not jobs.parked(q.run_at) and q.task_id not in ${pausedTasks(queue)}`
  switch (state) {
    case 'waiting':
      return sql.fragment`${unpaused} and q.run_at <= now()`
    case 'scheduled':
      return sql.fragment`${unpaused} and q.run_at > now()`
    case 'paused':
      return sql.fragment`q.is_available and (jobs.parked(q.run_at) or q.task_id in ${pausedTasks(queue)})`
    case 'open':
      return sql.fragment`q.is_available`
    case 'running':
      return sql.fragment`q.locked_at is not null`
    case 'failed':
      return sql.fragment`not q.is_available and q.locked_at is null`
    default:
      return sql.fragment`false`
  }
}

function numberIn(search = ''): number | null {
  const digits = /^(?:[a-z-]+:)?(\d{1,15})$/.exec(search)?.[1]
  return digits === undefined ? null : Number(digits)
}

const isId = (text: string) => Id.safeParse(text).success

const subjectIs = (queue: Queue, id: string) => sql.fragment`
  q.id in (select job_id from jobs.runs where subject = ${id} and pool = ${queue.pool})`

export function matchesJob(queue: Queue, filter: Filter) {
  const { task, state, org, before, after, search, fingerprint } = filter
  const conditions = [sql.fragment`true`]
  const number = numberIn(search)
  if (filter.pool !== undefined && filter.pool !== queue.pool) return sql.fragment`false`
  if (task) conditions.push(sql.fragment`q.task_id = (select id from ${tasksTable(queue)} where identifier = ${task})`)
  if (state) conditions.push(inState(queue, state))
  if (before) conditions.push(sql.fragment`q.created_at < ${before.toISOString()}`)
  if (after) conditions.push(sql.fragment`q.created_at >= ${after.toISOString()}`)
  if (fingerprint) {
    conditions.push(sql.fragment`q.id in (
      select job_id from jobs.failures where fingerprint = ${fingerprint} and pool = ${queue.pool})`)
  }
  // Searching the text first avoids parsing every payload.
  if (org) conditions.push(sql.fragment`strpos(q.payload::text, ${org}) > 0 and q.payload ->> 'org' = ${org}`)
  if (search) {
    conditions.push(sql.fragment`(${number === null ? sql.fragment`false` : sql.fragment`q.id = ${number}`}
      or strpos(q.payload::text, ${search}) > 0 or strpos(q.last_error, ${search}) > 0
      or ${isId(search) ? subjectIs(queue, search) : sql.fragment`false`})`)
  }
  return and(conditions)
}

export function matchesRun(queues: readonly Queue[], filter: Filter) {
  const { pool, task, state, org, before, after, search, fingerprint } = filter
  // Uses counts, because Postgres would first read the complete queue to execute `exists`.
  const gone = queues.map(
    (queue) => sql.fragment`(r.pool <> ${queue.pool}
      or (select count(*) from (select from ${jobsTable(queue)} as q where q.id = r.job_id limit 1) as still) = 0)`,
  )
  const left = sql.fragment`(r.state <> 'failed' or r.discarded_at is not null or (${and(gone)}))`
  const conditions = [sql.fragment`r.finished_at is not null`]
  if (pool) conditions.push(sql.fragment`r.pool = ${pool}`)
  if (task) conditions.push(sql.fragment`r.task = ${task}`)
  if (state === 'discarded') conditions.push(sql.fragment`r.state = 'failed' and r.discarded_at is not null`)
  else if (state) conditions.push(sql.fragment`r.state = ${state} and r.discarded_at is null`)
  if (org) conditions.push(sql.fragment`r.org_id = ${org}`)
  if (before) conditions.push(sql.fragment`r.created_at < ${before.toISOString()}`)
  if (after) conditions.push(sql.fragment`r.created_at >= ${after.toISOString()}`)
  if (fingerprint) {
    conditions.push(sql.fragment`r.id in (select run_id from jobs.failures where fingerprint = ${fingerprint})`)
  }
  if (search) {
    const number = numberIn(search)
    conditions.push(
      isId(search)
        ? sql.fragment`(r.id = ${search} or r.subject = ${search} or r.request_id = ${search})`
        : sql.fragment`(${number === null ? sql.fragment`false` : sql.fragment`r.job_id = ${number}`}
          or strpos(r.request_id, ${search}) > 0 or strpos(r.error, ${search}) > 0)`,
    )
  }
  return and([...conditions, left])
}
