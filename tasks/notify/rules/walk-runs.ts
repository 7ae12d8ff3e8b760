import { Later } from '#lib/errors.ts'
import { isHeld } from '#sql/account/move/moves.ts'
import type { Db } from '#sql/db.ts'
import { Channel } from '#sql/notify/preferences.ts'
import * as fetches from '#sql/notify/run-fetches.ts'
import * as trace from '#sql/notify/run-steps.ts'
import * as runs from '#sql/notify/runs.ts'
import { emitEndedRuns } from './end-runs.ts'
import { passThrottles } from './pass-throttles.ts'
import { readStepContext } from './step-ground.ts'
import { type ChannelMessage, type SubmitResult, submitToChannel } from './tell-channel.ts'
import { type RunWalk, startWalk } from './walk.ts'

/**
 * Delay in milliseconds for steps of an organisation that moves to another cell. The steps move with the organisation,
 * or run if it stays.
 */
const heldMs = 10_000

export interface WalkedRuns {
  /** Runs that wait for a time. */
  parked: readonly runs.DueRun[]
  /** Runs that wait for the response of a customer’s server. */
  fetching: readonly runs.DueRun[]
}

/** Runs the due steps of runs, as far as possible now. Returns the runs that continue to wait. */
export async function walkRuns(tx: Db, runIds: readonly string[]): Promise<WalkedRuns> {
  const due = await runs.lockDue(tx, runIds)
  if (due.length === 0) return { parked: [], fetching: [] }
  for (const orgId of new Set(due.map(({ org_id }) => org_id)))
    if (await isHeld(tx, orgId)) throw new Later(heldMs, 'The organisation is being moved.')
  const groundFor = await readStepContext(tx, due)
  const now = new Date()
  const walks = due.map((run) => startWalk(run, groundFor(run), now))
  let open: readonly RunWalk[] = walks
  while (open.length > 0) open = await tellAll(tx, open, now)
  const ends = walks.map((one) => one.end())
  await runs.saveProgress(
    tx,
    ends.map(({ run }) => run),
  )
  await trace.recordMany(
    tx,
    ends.flatMap((one) => one.trace),
  )
  await emitEndedRuns(
    tx,
    ends.map(({ run }) => run).filter(({ state }) => state !== 'waiting'),
  )
  const fetching = ends.flatMap(({ run, fetching }) => (fetching === undefined ? [] : [{ run, name: fetching }]))
  await fetches.insertMany(
    tx,
    fetching.map(({ run: { id, step, org_id }, name }) => ({ run_id: id, number: step, org_id, name })),
  )
  const waiting = ends.filter(({ run, fetching }) => run.state === 'waiting' && fetching === undefined)
  return { parked: waiting.map(({ run }) => run), fetching: fetching.map(({ run }) => run) }
}

/**
 * Runs the next message or throttle of each run, all messages of a channel together. Returns the runs that had one.
 */
async function tellAll(tx: Db, walks: readonly RunWalk[], now: Date): Promise<readonly RunWalk[]> {
  const reached = walks.flatMap((one) => {
    const next = one.next()
    return next ? [{ one, next }] : []
  })
  const telling = reached.flatMap(({ one, next }) => ('said' in next ? [{ one, next }] : []))
  const checks = reached.flatMap(({ one, next }) => ('said' in next ? [] : [{ one, next }]))
  const passed = await passThrottles(
    tx,
    checks.map(({ next }) => next),
    now,
  )
  for (const [i, { one, next }] of checks.entries()) one.throttled(next, passed[i] as boolean)
  // In a fixed order, so that transactions that lock rows of several channels cannot deadlock.
  for (const channel of Channel.options) {
    const those = telling.filter(({ next }) => next.step.channel === channel)
    if (those.length === 0) continue
    const told = await submitToChannel(
      tx,
      channel,
      those.map(({ next }): ChannelMessage => next),
    )
    for (const [i, { one, next }] of those.entries()) one.told(next, told[i] as SubmitResult)
  }
  return reached.map(({ one }) => one)
}
