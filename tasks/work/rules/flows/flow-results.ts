import { replaceNul } from '#lib/outside-text.ts'
import type { Db } from '#sql/db.ts'
import type { FlowJob } from '#sql/work/flow-jobs.ts'
import * as unblocking from '#sql/work/unblocking.ts'
import type { NextSteps } from './next-steps.ts'

/** Maximum number of bytes of a result that is passed on. */
export const mostResultBytes = 8 * 1_024

/** Maximum number of bytes of all results that a job receives. */
const mostBytes = 128 * 1_024

/** Returns the JSON that a server returned, if it can be passed on. */
export function readResult(body: Buffer): string | null {
  if (body.length > mostResultBytes) return null
  try {
    return replaceNul(JSON.stringify(JSON.parse(body.toString())))
  } catch {
    return null
  }
}

/** Adds the member `flow` to the body of starting jobs that want the results of their predecessors. */
export async function addResults(tx: Db, steps: readonly NextSteps[]): Promise<void> {
  const wanting = steps.flatMap(({ start, jobs }) =>
    start.filter(({ with_results }) => with_results).map((job) => ({ job, jobs })),
  )
  if (wanting.length === 0) return
  const bodies = await unblocking.listBodies(
    tx,
    wanting.map(({ job }) => job.job_id),
  )
  const own = new Map(bodies.map(({ id, body }) => [id, body]))
  await unblocking.setBodies(
    tx,
    wanting.map(({ job, jobs }) => ({ id: job.job_id, body: withFlow(own.get(job.job_id) ?? null, job, jobs) })),
  )
}

function withFlow(body: string | null, job: FlowJob, jobs: readonly FlowJob[]): string {
  const before = new Set(job.after)
  let left = mostBytes
  const results = jobs
    .filter(({ name }) => before.has(name))
    .map(({ name, state, response_status, result }) => {
      left -= result === null ? 0 : Buffer.byteLength(result)
      return [
        name,
        { state, response_status, result: result === null || left < 0 ? null : JSON.parse(result) },
      ] as const
    })
  const flow = { id: job.flow_id, job: job.name, results: Object.fromEntries(results) }
  return JSON.stringify({ ...(body === null ? {} : JSON.parse(body)), flow })
}
