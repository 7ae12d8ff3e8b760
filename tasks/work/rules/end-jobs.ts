import type { Db } from '#sql/db.ts'
import * as turns from '#sql/work/turns.ts'
import { emitMany } from '../../webhooks/rules/emit.ts'
import { refillPlaces } from './admit-jobs.ts'
import { toEndEvents } from './end-events.ts'
import { recordForwarded } from './record-forwarded.ts'

/**
 * Ends jobs in the caller’s transaction. Every job that is completed, failed or cancelled passes this function: it
 * writes the state, emits the event and gives its place to the next job of its concurrency key. Jobs that have ended
 * already are skipped. `returned` are jobs that wait for a further attempt and have left their places too: all keys are
 * locked in one order. Returns the jobs that ended now.
 */
export async function endJobs(
  tx: Db,
  ends: readonly turns.End[],
  returned: readonly { org_id: string; concurrency_key: string | null }[] = [],
): Promise<readonly turns.Ended[]> {
  const ended = ends.length === 0 ? [] : await turns.endMany(tx, ends)
  await emitMany(tx, toEndEvents(ended))
  await refillPlaces(tx, [...ended, ...returned])
  await recordForwarded(tx, ended)
  return ended
}
