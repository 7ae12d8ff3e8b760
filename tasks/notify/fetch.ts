import { Later } from '#lib/errors.ts'
import { isHeld } from '#sql/account/move/moves.ts'
import type { Db } from '#sql/db.ts'
import { flattenSteps } from '#sql/notify/flat-steps.ts'
import * as fetches from '#sql/notify/run-fetches.ts'
import * as runs from '#sql/notify/runs.ts'
import { task } from '../queue/task.ts'
import { callServer } from './rules/call-server.ts'
import { findHindrance } from './rules/hindrance.ts'
import { readStepContext } from './rules/step-ground.ts'
import { enqueueSteps, fetchJob } from './rules/step-jobs.ts'
import { getRunFacts } from './rules/step-text.ts'

/** Delays in milliseconds after each failed attempt but the last. */
const delays = [1_000, 5_000, 25_000]

/** Delay in milliseconds while the organisation moves to another cell. */
const heldMs = 10_000

/**
 * Calls the customer’s server for a run that has reached a `fetch` step. The result and the job of the next step are
 * one transaction. If the worker stops before, the request is repeated with the same `webhook-id`.
 */
export const fetch = task({
  ...fetchJob,
  timeout: 30_000,
  async run({ runId, number }, tools) {
    const { db } = tools
    const key = { run_id: runId, number }
    const waiting = await fetches.find(db, key)
    const run = await runs.findFetching(db, runId, number)
    if (waiting?.status !== 'waiting' || !run) return
    if (await isHeld(db, run.org_id)) throw new Later(heldMs, 'The organisation is being moved.')
    const ground = (await readStepContext(db, [run]))(run)
    const step = flattenSteps(ground.version?.steps ?? [])[number]?.step
    // The next walk of the run finds the same reason, and ends the run.
    if (step?.type !== 'fetch' || findHindrance(run.person_id, ground) !== undefined) return await wake(db, run)
    const outcome = await callServer({ run, number, step, facts: getRunFacts(run, ground) }, tools)
    const delay = delays[waiting.tries]
    if (!outcome.isFinal && delay !== undefined) {
      await fetches.recordTry(db, key, outcome)
      throw new Later(delay, outcome.error ?? 'The server did not respond.')
    }
    await db.transaction(async (tx) => {
      if (await fetches.end(tx, key, outcome)) await wake(tx, run)
    })
  },
  async giveUp({ runId, number }, error, { db }) {
    await db.transaction(async (tx) => {
      const run = await runs.findFetching(tx, runId, number)
      const detail = `All attempts failed: ${error.name}.`
      const failed = { status: 'failed', http_status: null, fields: {}, reason: 'given_up', error: detail } as const
      if (run && (await fetches.end(tx, { run_id: runId, number }, failed))) await wake(tx, run)
    })
  },
})

/** Makes the run continue with the result. */
async function wake(tx: Db, run: runs.DueRun): Promise<void> {
  await runs.makeDue(tx, run.id)
  await enqueueSteps(tx, [run])
}
