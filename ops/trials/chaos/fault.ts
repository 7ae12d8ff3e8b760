import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { type Db, sql } from '#sql/db.ts'
import { jobsTable } from '#sql/jobs/graphile-schema.ts'
import { queues } from '#tasks/pools.ts'
import type { Actor } from './actor.ts'
import type { Random } from './random.ts'
import type { Stage } from './stage.ts'

export interface FaultContext {
  stage: Stage
  random: Random
  /** Time in milliseconds that a process is down, and that a worker is frozen. */
  away: number
  freeze: number
  /** Returns the time at which an item was last accepted over HTTP, by `performance.now()`. */
  acceptedAt(): number
}

export interface FaultResult {
  recovery: number
  broken: string[]
  /** True if the fault lasted longer than viewers can be protected from it. */
  outlasted?: boolean
}

export interface Fault {
  name: string
  what: string
  /** Maximum time in milliseconds until everything works as before. Not set for faults of fixed duration. */
  limit?: (stage: Stage) => number
  impossible?: (stage: Stage) => string | undefined
  /** Set if no viewer of a live channel may notice the fault. */
  unseen?: true
  strike(arena: FaultContext): Promise<FaultResult>
}

const timeoutMs = 60_000

/** Polls `ask` until its result is not `undefined`. An exception counts as `undefined`. */
export async function waitUntil<T>(
  what: string,
  ask: () => Promise<T | undefined> | T | undefined,
  every = 20,
): Promise<T> {
  const end = performance.now() + timeoutMs
  while (performance.now() < end) {
    const answer = await Promise.resolve()
      .then(ask)
      .catch(() => undefined)
    if (answer !== undefined) return answer
    await pause(every)
  }
  throw new Error(`Timed out after ${timeoutMs / 1000} s. Expected: ${what}.`)
}

/** Calls `work` with a worker that runs a tracked job and is not used by another fault. */
export async function withBusyWorker<T>(
  arena: FaultContext,
  work: (worker: Actor, pid: number) => Promise<T>,
): Promise<T> {
  const { stage, random } = arena
  const [worker, pid] = await waitUntil('a worker is busy', async () => {
    for (const worker of random.shuffled(stage.workers.filter(({ taken }) => !taken))) {
      const { pid } = worker
      if (pid !== undefined && (await listHeldAttempts(stage.db, pid)).length > 0 && !worker.taken)
        return [worker, pid] as const
    }
  })
  worker.taken = true
  try {
    return await work(worker, pid)
  } finally {
    worker.taken = false
  }
}

const RunningAttempt = z.object({ run_id: z.string(), attempt: z.number() })

export async function listHeldAttempts(db: Db, pid: number): Promise<readonly z.infer<typeof RunningAttempt>[]> {
  return await db.any(sql.type(RunningAttempt)`
    select a.run_id, a.attempt from jobs.attempts as a join jobs.workers as w on w.locked_by = a.worker
    where a.ended_at is null and w.pid = ${pid} and w.state = 'alive'`)
}

export async function stopBusyWorker(
  { stage }: FaultContext,
  pid: number,
): Promise<readonly z.infer<typeof RunningAttempt>[]> {
  return await waitUntil('a worker stopped during its work', async () => {
    process.kill(pid, 'SIGSTOP')
    const attempts = await waitUntil('the database responds', () => listHeldAttempts(stage.db, pid))
    if (attempts.length > 0) return attempts
    process.kill(pid, 'SIGCONT')
    return undefined
  })
}

const LeftOver = z.object({ runs: z.number(), jobs: z.number() })

/** True if other attempts have taken over or finished all of these, and no lost worker holds a job. */
export async function areTakenOver(
  db: Db,
  attempts: readonly z.infer<typeof RunningAttempt>[],
): Promise<true | undefined> {
  const jobs = queues.map(
    (queue) => sql.fragment`
    select j.id from ${jobsTable(queue)} as j
    join jobs.workers as w on w.locked_by = j.locked_by and w.state = 'lost'`,
  )
  const left = await db.one(sql.type(LeftOver)`
    select (select count(*)::integer from json_to_recordset(${JSON.stringify(attempts)}::json) as h (run_id uuid, attempt integer)
        join jobs.runs as r on r.id = h.run_id where r.finished_at is null and r.attempt <= h.attempt) as runs,
      (select count(*)::integer from (${sql.join(jobs, sql.fragment` union all `)}) as held) as jobs`)
  return left.runs + left.jobs === 0 ? true : undefined
}

export async function measureNextAccepted({ acceptedAt }: FaultContext): Promise<number> {
  const begun = performance.now()
  await waitUntil('an item is accepted', () => acceptedAt() > begun || undefined, 5)
  return performance.now() - begun
}

export async function measureNextEffect({ stage: { db } }: FaultContext): Promise<number> {
  const begun = performance.now()
  const last = () =>
    db.oneFirst(sql.type(z.object({ last: z.number() }))`select coalesce(max(id), 0) as last from chaos.effects`)
  const before = await waitUntil('the database responds', last)
  await waitUntil('a job has an effect', async () => (await last()) > before || undefined)
  return performance.now() - begun
}
