import type { Db } from '#sql/db.ts'
import type { FlowJob } from '#sql/work/flow-jobs.ts'
import * as unblocking from '#sql/work/unblocking.ts'

/** Maximum number of bytes of a result that is passed on. */
export const mostResultBytes = 8 * 1_024

/** Maximum number of bytes of all results that a job receives. */
const mostBytes = 128 * 1_024

/** Returns the JSON that a server returned, if it can be passed on. */
export function readResult(body: string): string | null {
  if (Buffer.byteLength(body) > mostResultBytes) return null
  try {
    return JSON.stringify(JSON.parse(body))
  } catch {
    return null
  }
}

/** Adds the member `flow` to the body of starting jobs that want the results of their predecessors. */
export async function addResults(
  tx: Db,
  start: readonly FlowJob[],
  jobs: ReadonlyMap<string, readonly FlowJob[]>,
): Promise<void> {
  const wanting = start.filter(({ with_results }) => with_results)
  if (wanting.length === 0) return
  const bodies = await unblocking.listBodies(
    tx,
    wanting.map(({ job_id }) => job_id),
  )
  const own = new Map(bodies.map(({ id, body }) => [id, body]))
  await unblocking.setBodies(
    tx,
    wanting.map((job) => ({ id: job.job_id, body: withFlow(own.get(job.job_id) ?? null, job, jobs) })),
  )
}

function withFlow(body: string | null, job: FlowJob, jobs: ReadonlyMap<string, readonly FlowJob[]>): string {
  const before = new Set(job.after)
  let left = mostBytes
  const results = (jobs.get(job.flow_id) ?? [])
    .filter(({ name }) => before.has(name))
    .map(({ name, state, response_status, result }) => {
      left -= result === null ? 0 : Buffer.byteLength(result)
      return [name, { state, response_status, result: result === null || left < 0 ? null : JSON.parse(result) }] as const
    })
  const flow = { id: job.flow_id, job: job.name, results: Object.fromEntries(results) }
  return JSON.stringify({ ...(body === null ? {} : JSON.parse(body)), flow })
}
