import type { FlowJob } from '#sql/work/flow-jobs.ts'
import type { Flow } from '#sql/work/flows.ts'
import type { EmittedEvent } from '../../../webhooks/rules/emit.ts'

export type Counts = Record<FlowJob['state'], number>

/** Returns the number of jobs in each state. */
export function countJobs(jobs: readonly { state: FlowJob['state']; count?: number }[]): Counts {
  const counts: Counts = { blocked: 0, open: 0, completed: 0, failed: 0, cancelled: 0, skipped: 0 }
  for (const { state, count = 1 } of jobs) counts[state] += count
  return counts
}

/** Returns the event of an ended flow. A cancelled flow has none. */
export function toFlowEvent(flow: Flow, jobs: readonly FlowJob[]): EmittedEvent[] {
  if (flow.state !== 'completed' && flow.state !== 'failed') return []
  const type = flow.state === 'completed' ? ('job.flow.completed' as const) : ('job.flow.failed' as const)
  const { completed, failed, cancelled, skipped } = countJobs(jobs)
  const data = {
    ...{ id: flow.id, name: flow.name },
    jobs: { completed, failed, cancelled, skipped },
    failed_jobs: jobs.filter(({ state }) => state === 'failed').map(({ name }) => name),
    created_at: flow.created_at.toISOString(),
    ended_at: (flow.ended_at ?? new Date()).toISOString(),
  }
  return [{ orgId: flow.org_id, type, data }]
}
