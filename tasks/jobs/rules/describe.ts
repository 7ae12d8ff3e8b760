import { maskSecrets, maskText } from '#lib/mask.ts'
import * as orgs from '#sql/account/orgs.ts'
import type { Db } from '#sql/db.ts'
import type { State } from '#sql/jobs/filter.ts'
import * as job from '#sql/jobs/job.ts'
import { type PoolName, poolSchema } from '../../pools.ts'
import { type Envelope, readEnvelope } from '../../queue/task.ts'
import { parseName, UnknownNameError } from './names.ts'
import { createOutline } from './outline.ts'

/** All data about one job. Secrets are masked. Strings in jobs of organisations are omitted. */
export interface JobDescription {
  name: string
  pool: string
  task: string
  state: State
  run_id: string | null
  org_id: string | null
  org_name: string | null
  subject: string | null
  request_id: string | null
  trace: string | null
  payload: unknown
  key: string | null
  priority: number | null
  attempt: number
  max_attempts: number | null
  progress: number | null
  error: string | null
  result: unknown
  worker: { host: string; pid: number; state: string } | null
  cancel_requested_at: Date | null
  created_at: Date
  due_at: Date | null
  started_at: Date | null
  finished_at: Date | null
  /** Newest first. For untracked jobs, only failed attempts are recorded. */
  attempts: readonly job.JobAttempt[]
}

/** Returns a job by its name, from its queue or its record. Throws `UnknownNameError` if the job does not exist. */
export async function describeJob(db: Db, name: string): Promise<JobDescription> {
  const ref = parseName(name)
  const named = 'run' in ref ? await job.findRun(db, ref.run) : null
  const place = 'run' in ref ? named && { pool: named.pool, jobId: named.job_id } : ref
  const queue = place && { pool: place.pool, schema: poolSchema(place.pool as PoolName) }
  const found = queue && place?.jobId ? await job.findRow(db, queue, place.jobId) : null
  const envelope = found && readEnvelope(found.envelope)
  // If another job took over the key, the row belongs to that job.
  const row = found && (!named || envelope?.run === named.id) ? found : null
  const run = named ?? (await runOf(db, row, envelope?.run, ref))
  if (!row && !run) {
    throw new UnknownNameError(
      `The job ${name} does not exist. It may have finished: untracked jobs leave no record when they are done.`,
    )
  }
  return await present(db, row, run)
}

async function runOf(db: Db, row: job.QueueRow | null, runId: string | undefined, ref: ReturnType<typeof parseName>) {
  if (row) return runId ? await job.findRun(db, runId) : null
  return 'run' in ref ? null : await job.findRunOfJob(db, ref.pool, ref.jobId)
}

async function present(db: Db, row: job.QueueRow | null, run: job.WholeRun | null): Promise<JobDescription> {
  const envelope = readEnvelope(row?.envelope ?? run?.envelope)
  const orgId = run ? run.org_id : (envelope.org ?? null)
  const common = {
    org_name: (orgId !== null && (await orgs.find(db, orgId))?.name) || null,
    trace: envelope.trace ?? null,
    payload: shown(orgId, envelope.payload ?? null),
    attempts: await attemptsOf(db, row, run),
  }
  if (!run) return { ...common, ...ofRow(row as job.QueueRow, envelope) }
  const { priority, key, max_attempts, worker, due_at, ...rest } = row ? ofRow(row, envelope) : inNoQueue
  const inQueue = { priority, key, max_attempts, worker, due_at }
  return {
    ...common,
    ...ofRun(run),
    ...inQueue,
    ...(row && { name: rest.name, state: row.state, error: masked(row.error ?? run.error) }),
  }
}

const inNoQueue = { name: '', priority: null, key: null, max_attempts: null, worker: null, due_at: null }

async function attemptsOf(
  db: Db,
  row: job.QueueRow | null,
  run: job.WholeRun | null,
): Promise<JobDescription['attempts']> {
  const attempts = run ? await job.attemptsOf(db, run.id) : row ? await job.failuresOf(db, row.pool, row.job_id) : []
  return attempts.map((attempt) => ({ ...attempt, error: masked(attempt.error) }))
}

const masked = (error: string | null) => error && maskText(error)

/**
 * Returns a job’s value for operators. For jobs of organisations, strings are replaced by their length, because they
 * are customer data.
 */
const shown = (orgId: string | null, value: unknown): unknown =>
  orgId === null ? maskSecrets(value) : createOutline(value)

type Part = Omit<JobDescription, 'org_name' | 'trace' | 'payload' | 'attempts'>

const ofRow = (row: job.QueueRow, envelope: Envelope): Part => ({
  name: `${row.pool}:${row.job_id}`,
  pool: row.pool,
  task: row.task,
  state: row.state,
  run_id: null,
  org_id: envelope.org ?? null,
  subject: null,
  request_id: envelope.request_id ?? null,
  key: row.key,
  priority: row.priority,
  attempt: row.attempts,
  max_attempts: row.max_attempts,
  progress: null,
  error: masked(row.error),
  result: null,
  worker: row.worker,
  cancel_requested_at: null,
  created_at: row.created_at,
  due_at: row.due_at,
  started_at: row.locked_at,
  finished_at: null,
})

const ofRun = (run: job.WholeRun): Part => ({
  name: run.id,
  pool: run.pool,
  task: run.task,
  state: run.discarded_at ? 'discarded' : run.state,
  run_id: run.id,
  org_id: run.org_id,
  subject: run.subject,
  request_id: run.request_id,
  key: null,
  priority: null,
  attempt: run.attempt,
  max_attempts: null,
  progress: run.progress,
  error: masked(run.error),
  result: shown(run.org_id, run.result ?? null),
  worker: null,
  cancel_requested_at: run.cancel_requested_at,
  created_at: run.created_at,
  due_at: null,
  started_at: run.started_at,
  finished_at: run.finished_at,
})
