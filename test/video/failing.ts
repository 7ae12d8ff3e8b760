import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { until } from '../support/until.ts'
import type { VideoStack } from '../support/video-stack.ts'

/** Waits for what becomes of an asset that fails: its first run of a task, its failure, and the discarding of its files. */
export function failing(stack: VideoStack) {
  const runOf = (assetId: string, task: string) =>
    until(
      () =>
        stack.db.maybeOneFirst(sql.type(z.object({ id: z.string() }))`
          select id from jobs.runs where subject = ${assetId} and task = ${task} order by id limit 1`),
      { timeout: 60_000, what: `${task} is enqueued` },
    )
  const fails = (assetId: string) =>
    until(async () => (await stack.read(assetId)).status === 'failed', { timeout: 30_000, what: 'it fails' })
  const discarded = (assetId: string) =>
    until(() =>
      stack.db
        .exists(sql.type(z.object({ key: z.string() }))`
          select key from jobs_core._private_jobs where key = ${`discard:${assetId}`}`)
        .then((waits) => !waits),
    )
  return { runOf, fails, discarded }
}
