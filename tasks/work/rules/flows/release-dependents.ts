import type { Db } from '#sql/db.ts'
import * as flowJobs from '#sql/work/flow-jobs.ts'
import * as flows from '#sql/work/flows.ts'
import * as turns from '#sql/work/turns.ts'
import * as unblocking from '#sql/work/unblocking.ts'
import { emitMany } from '../../../webhooks/rules/emit.ts'
import { admitJobs } from '../admit-jobs.ts'
import { toFlowEvent } from './flow-events.ts'
import { addResults } from './flow-results.ts'
import { findNextSteps, getEndState, type NextSteps } from './next-steps.ts'

export const skippedBecause = 'A job that this job waits for has failed.'

/**
 * Releases the jobs that wait for these ended jobs, in the transaction that ends them. The caller has locked the flows
 * before the jobs, so that of several jobs that end at the same time, only the last one releases a dependent job.
 * Returns the jobs that the caller must admit.
 */
export async function releaseDependents(
  tx: Db,
  locked: readonly flows.Flow[],
  ended: readonly turns.Ended[],
  results: ReadonlyMap<string, string | null>,
): Promise<readonly unblocking.Unblocked[]> {
  const known = new Set(locked.map(({ id }) => id))
  const ofFlows = ended.filter(({ origin_kind, origin_id }) => origin_kind === 'flow' && known.has(origin_id ?? ''))
  if (ofFlows.length === 0) return []
  await flowJobs.setStates(
    tx,
    ofFlows.map(({ id, status, response_status }) => ({
      ...{ job_id: id, state: status as flowJobs.FlowJob['state'], response_status },
      result: results.get(id) ?? null,
    })),
  )
  return await releaseNext(tx, locked)
}

/** Starts and skips the next jobs of locked flows, and ends the flows whose jobs have all ended. */
export async function advanceFlows(tx: Db, locked: readonly flows.Flow[]): Promise<void> {
  await admitJobs(tx, await releaseNext(tx, locked))
}

async function releaseNext(tx: Db, locked: readonly flows.Flow[]): Promise<readonly unblocking.Unblocked[]> {
  const ids = locked.map(({ id }) => id)
  const jobs = Map.groupBy(await flowJobs.listOfFlows(tx, ids), ({ flow_id }) => flow_id)
  const steps = locked.map((flow) => ({ flow, ...findNextSteps(jobs.get(flow.id) ?? []) }))
  await skipJobs(
    tx,
    steps.flatMap(({ skip }) => skip),
  )
  const released = await releaseJobs(
    tx,
    steps.filter(({ flow }) => flow.cancelled_at === null),
  )
  await unblocking.setBlockedBy(
    tx,
    steps.flatMap(({ waiting }) => [...waiting].map(([id, count]) => ({ id, count }))),
  )
  for (const step of steps) if (step.hasEnded && step.flow.state === 'running') await endFlow(tx, step)
  return released
}

async function skipJobs(tx: Db, skip: readonly flowJobs.FlowJob[]): Promise<void> {
  if (skip.length === 0) return
  await turns.endMany(
    tx,
    skip.map(({ job_id: id }) => ({ id, turn: null, status: 'skipped', attempt: null, error: skippedBecause })),
  )
  await flowJobs.setStates(
    tx,
    skip.map(({ job_id }) => ({ job_id, state: 'skipped' })),
  )
}

/** Returns the released jobs that are due. */
async function releaseJobs(tx: Db, steps: readonly NextSteps[]): Promise<readonly unblocking.Unblocked[]> {
  const start = steps.flatMap((step) => step.start)
  if (start.length === 0) return []
  await flowJobs.setStates(
    tx,
    start.map(({ job_id }) => ({ job_id, state: 'open' })),
  )
  await addResults(tx, steps)
  const startable = await unblocking.unblock(
    tx,
    start.map(({ job_id: id, delay_seconds }) => ({ id, delay_seconds })),
  )
  return startable.filter(({ is_due }) => is_due)
}

async function endFlow(tx: Db, { flow, jobs }: NextSteps & { flow: flows.Flow }): Promise<void> {
  const ended = await flows.end(tx, flow.id, getEndState(jobs, flow.cancelled_at !== null))
  await emitMany(tx, toFlowEvent(ended, jobs))
}
