import type { Db } from '#sql/db.ts'
import * as turns from '#sql/work/turns.ts'
import { emitMany } from '../../webhooks/rules/emit.ts'
import { refillPlaces } from './admit-jobs.ts'
import { toEndEvents } from './end-events.ts'

/**
 * Ends jobs in the caller’s transaction. Every job that is completed, failed or cancelled passes this function: it
 * writes the state, emits the event and gives its place to the next job of its concurrency key. Jobs that have ended
 * already are skipped. Returns the jobs that ended now.
 */
export async function endJobs(tx: Db, ends: readonly turns.End[]): Promise<readonly turns.Ended[]> {
  if (ends.length === 0) return []
  const ended = await turns.endMany(tx, ends)
  await emitMany(tx, toEndEvents(ended))
  await refillPlaces(tx, ended)
  return ended
}
