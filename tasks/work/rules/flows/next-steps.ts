import type { FlowJob } from '#sql/work/flow-jobs.ts'

export interface NextSteps {
  /** All jobs. Those to skip have the state `skipped`. */
  jobs: readonly FlowJob[]
  /** Jobs whose predecessors have all ended. */
  start: FlowJob[]
  /** Jobs that do not run, because a predecessor has failed. */
  skip: FlowJob[]
  /** Number of predecessors that have not ended, by ID of the waiting job. */
  waiting: Map<string, number>
  /** True if all jobs have ended. */
  hasEnded: boolean
}

const isFinal = ({ state }: FlowJob): boolean => state !== 'blocked' && state !== 'open'

const isFailure = (job: FlowJob): boolean => isFinal(job) && job.state !== 'completed'

/** Decides which jobs of a flow can start, and which are skipped. A skipped job counts as failed for those after it. */
export function findNextSteps(jobs: readonly FlowJob[]): NextSteps {
  const byName = new Map(jobs.map((job) => [job.name, { ...job }]))
  const before = ({ after }: FlowJob) => after.flatMap((name) => byName.get(name) ?? [])
  const skip: FlowJob[] = []
  for (let found = true; found; ) {
    found = false
    for (const job of byName.values()) {
      if (job.state !== 'blocked' || job.on_failure === 'run' || !before(job).some(isFailure)) continue
      job.state = 'skipped'
      skip.push(job)
      found = true
    }
  }
  const blocked = [...byName.values()].filter(({ state }) => state === 'blocked')
  const open = new Map(blocked.map((job) => [job, before(job).filter((one) => !isFinal(one)).length]))
  const start = blocked.filter((job) => open.get(job) === 0)
  return {
    jobs: [...byName.values()],
    start,
    skip,
    waiting: new Map(blocked.flatMap((job) => (open.get(job) === 0 ? [] : [[job.job_id, open.get(job) as number]]))),
    hasEnded: [...byName.values()].every(isFinal),
  }
}

/** Returns the state of a flow whose jobs have all ended. */
export const getEndState = (jobs: readonly FlowJob[], isCancelled: boolean): 'completed' | 'failed' | 'cancelled' => {
  if (isCancelled) return 'cancelled'
  return jobs.every(({ state }) => state === 'completed') ? 'completed' : 'failed'
}
