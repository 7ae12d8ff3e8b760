import type { Db } from '#sql/db.ts'
import * as flows from '#sql/work/flows.ts'
import * as turns from '#sql/work/turns.ts'
import { emitMany } from '../../webhooks/rules/emit.ts'
import { admitJobs, lockKeys, refillPlaces } from './admit-jobs.ts'
import { toEndEvents } from './end-events.ts'
import { releaseDependents } from './flows/release-dependents.ts'
import { recordForwarded } from './record-forwarded.ts'

/**
 * Ends jobs in the caller’s transaction. Every job that is completed, failed or cancelled passes this function. It
 * writes the state, emits the event and starts the jobs that wait for it. It gives its place to the next job of its
 * concurrency key. Jobs that have ended already are skipped. `returned` are jobs that wait for a further attempt and
 * have left their places too: all keys are locked in one order. Returns the jobs that ended now.
 */
export async function endJobs(
  tx: Db,
  ends: readonly turns.End[],
  returned: readonly { org_id: string; concurrency_key: string | null }[] = [],
): Promise<readonly turns.Ended[]> {
  if (ends.length === 0) {
    await refillPlaces(tx, returned)
    return []
  }
  const ids = ends.map(({ id }) => id)
  const locked = await flows.lockOfJobs(tx, ids)
  const ended = await turns.endMany(tx, ends)
  await emitMany(tx, toEndEvents(ended))
  const results = new Map(ends.map(({ id, result }) => [id, result ?? null]))
  const dependents = await releaseDependents(tx, locked, ended, results)
  const left = [...ended, ...returned]
  if (dependents.length > 0) {
    await lockKeys(tx, [...left, ...dependents])
    await admitJobs(tx, dependents)
  }
  await refillPlaces(tx, left)
  await recordForwarded(tx, ended)
  return ended
}
