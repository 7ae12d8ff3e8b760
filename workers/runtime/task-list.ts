import type { JobHelpers, TaskList } from 'graphile-worker'
import type { PoolName, Tools } from '#tasks/pools.ts'
import type { AnyTask, Envelope } from '#tasks/queue/task.ts'
import { JobRun } from './job-run.ts'
import type { PoolContext } from './pool-context.ts'
import { runJob } from './run-job.ts'

/** Names of tools that `JobRun` would hide. There must be none. */
type HiddenTool = { [P in PoolName]: keyof Tools[P] & keyof JobRun }[PoolName]

/** Returns the functions that the queue library calls with each fetched job of a pool, by the name of the task. */
export function taskList(tasks: AnyTask[], context: PoolContext): TaskList {
  // The pool’s tools are set once on the class instead of on each run. This code runs 30,000 times per second.
  class PoolJobRun extends JobRun {}
  Object.assign(PoolJobRun.prototype, context.tools satisfies Record<HiddenTool, never>)
  return Object.fromEntries(
    tasks.map((task) => {
      const statistics = context.history.statistics(context.pool, task.name)
      const work = (column: unknown, { job }: JobHelpers) =>
        runJob(new PoolJobRun(context, task, unwrap(column), job, statistics))
      return [task.name, work]
    }),
  )
}

/**
 * Reads the envelope without a schema. Only `enqueue` and the clock write it, and this code runs 30,000 times per
 * second.
 */
function unwrap(column: unknown): Envelope {
  const envelope = column as Envelope & { _cron?: unknown }
  return envelope._cron ? { payload: {} } : envelope
}
