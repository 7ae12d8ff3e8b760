import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { type Filter, matchesJob, matchesRun, State, stateOf } from './filter.ts'
import { jobsTable, type Queue, tasksTable } from './graphile-schema.ts'

/** A job in a list. Every command and web page accepts its `name`. */
export const JobSummary = z.object({
  name: z.string(),
  pool: z.string(),
  task: z.string(),
  state: State,
  job_id: z.number().nullable(),
  run_id: Id.nullable(),
  org_id: z.string().nullable(),
  request_id: z.string().nullable(),
  priority: z.number().nullable(),
  attempts: z.number(),
  max_attempts: z.number().nullable(),
  progress: z.number().nullable(),
  error: z.string().nullable(),
  host: z.string().nullable(),
  created_at: z.date(),
  /** Due time. For a paused job, the time at which it would be due without the pause. */
  due_at: z.date().nullable(),
  started_at: z.date().nullable(),
  finished_at: z.date().nullable(),
})

export type JobSummary = z.infer<typeof JobSummary>

/** Position in a list: the last ID of each queue, and the last ID of the runs that have left their queues. */
const Cursor = z.object({ jobs: z.record(z.string(), z.int()), runs: Id.nullable() })

export interface Page {
  jobs: JobSummary[]
  next: string | null
}

const queueStates: readonly Filter['state'][] = [
  undefined,
  'open',
  'waiting',
  'scheduled',
  'paused',
  'running',
  'failed',
]
const endedStates: readonly Filter['state'][] = [undefined, 'failed', 'done', 'rejected', 'cancelled', 'discarded']

const errorLength = 400

function queueRows(queue: Queue, filter: Filter, after: number | undefined, limit: number) {
  return sql.fragment`
    select ${queue.pool} || ':' || q.id as name, ${queue.pool} as pool, t.identifier as task, ${stateOf(queue)} as state,
      q.id as job_id, r.id as run_id, q.payload ->> 'org' as org_id, q.payload ->> 'request_id' as request_id,
      q.priority::integer as priority, q.attempts::integer as attempts, q.max_attempts::integer as max_attempts,
      r.progress::float8 as progress, left(q.last_error, ${errorLength}) as error, w.host, q.created_at,
      jobs.unpark(q.run_at) as due_at, q.locked_at as started_at, null::timestamptz as finished_at
    from (select * from ${jobsTable(queue)} as q
      where ${matchesJob(queue, filter)} ${after === undefined ? sql.fragment`` : sql.fragment`and q.id < ${after}`}
      order by q.id desc limit ${limit}) as q
    join ${tasksTable(queue)} as t on t.id = q.task_id
    left join jobs.runs as r on r.id = (q.payload ->> 'run')::uuid
    left join jobs.workers as w on w.locked_by = q.locked_by`
}

function endedRows(queues: readonly Queue[], filter: Filter, after: string | null, limit: number) {
  return sql.fragment`
    select r.id::text as name, r.pool, r.task, case when r.discarded_at is null then r.state else 'discarded' end as state,
      r.job_id, r.id as run_id, r.org_id::text, r.request_id, null::integer as priority, r.attempt as attempts,
      null::integer as max_attempts, r.progress::float8, left(r.error, ${errorLength}) as error, null::text as host,
      r.created_at, null::timestamptz as due_at, r.started_at, r.finished_at
    from (select * from jobs.runs as r
      where ${matchesRun(queues, filter)} ${after === null ? sql.fragment`` : sql.fragment`and r.id < ${after}`}
      order by r.id desc limit ${limit}) as r`
}

export async function list(
  db: Db,
  queues: readonly Queue[],
  filter: Filter,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<Page> {
  const from = cursor === undefined ? { jobs: {}, runs: null } : readCursor(cursor)
  const meant = queues.filter(({ pool }) => filter.pool === undefined || filter.pool === pool)
  const sources = queueStates.includes(filter.state)
    ? meant.map((queue) => queueRows(queue, filter, from.jobs[queue.pool], limit + 1))
    : []
  if (endedStates.includes(filter.state)) sources.push(endedRows(meant, filter, from.runs, limit + 1))
  if (sources.length === 0) return { jobs: [], next: null }
  const branches = sources.map((source) => sql.fragment`(${source})`)
  const rows = await db.any(sql.type(JobSummary)`${sql.join(branches, sql.fragment` union all `)}`)
  const merged = merge(rows)
  const jobs = merged.slice(0, limit)
  return { jobs, next: merged.length > limit ? writeCursor(from, jobs) : null }
}

/** Merges the sources, newest first. Keeps the order of each source, because its cursor depends on the order. */
function merge(rows: readonly JobSummary[]): JobSummary[] {
  const shown = new Set(rows.flatMap((row) => (inQueue(row) && row.run_id ? [row.run_id] : [])))
  // A job that ends during the query can appear both in its queue and among the ended runs.
  const once = rows.filter((row) => inQueue(row) || !shown.has(row.run_id ?? ''))
  const sources = [...Map.groupBy(once, (row) => (inQueue(row) ? row.pool : '')).values()]
  for (const source of sources) source.sort(byKey)
  const merged: JobSummary[] = []
  for (;;) {
    const [next] = sources.filter(({ length }) => length > 0).sort((a, b) => age(b) - age(a))
    if (!next) return merged
    merged.push(next.shift() as JobSummary)
  }
}

const inQueue = (row: JobSummary) => row.name !== row.run_id
const age = (source: JobSummary[]) => source[0]?.created_at.getTime() ?? 0
const byKey = (a: JobSummary, b: JobSummary) =>
  inQueue(a) ? (b.job_id ?? 0) - (a.job_id ?? 0) : (a.run_id ?? '') < (b.run_id ?? '') ? 1 : -1

function writeCursor(from: z.infer<typeof Cursor>, page: JobSummary[]): string {
  const next = { jobs: { ...from.jobs }, runs: from.runs }
  for (const row of page) {
    if (inQueue(row)) next.jobs[row.pool] = row.job_id as number
    else next.runs = row.run_id
  }
  return Buffer.from(JSON.stringify(next)).toString('base64url')
}

function readCursor(text: string): z.infer<typeof Cursor> {
  try {
    return Cursor.parse(JSON.parse(Buffer.from(text, 'base64url').toString()))
  } catch {
    throw new BadCursorError('The cursor is not valid. Use the cursor of the previous page.')
  }
}

export class BadCursorError extends Error {
  override name = 'BadCursorError'
}

export async function count(db: Db, queue: Queue, filter: Filter): Promise<{ count: number; last: number }> {
  return await db.one(sql.type(z.object({ count: z.number(), last: z.number() }))`
    select count(*) as count, coalesce(max(q.id), 0) as last from ${jobsTable(queue)} as q where ${matchesJob(queue, filter)}`)
}

export async function idsBetween(
  db: Db,
  queue: Queue,
  filter: Filter,
  { after, last, limit }: { after: number; last: number; limit: number },
): Promise<readonly number[]> {
  return await db.anyFirst(sql.type(z.object({ id: z.number() }))`
    select q.id from ${jobsTable(queue)} as q
    where q.id > ${after} and q.id <= ${last} and ${matchesJob(queue, filter)} order by q.id limit ${limit}`)
}
