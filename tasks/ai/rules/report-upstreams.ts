import { describe } from '#lib/errors.ts'
import { runEvery } from '#lib/every.ts'
import { log } from '#lib/log.ts'
import * as upstreams from '#sql/ai/upstreams.ts'
import type { DatabasePool } from '#sql/db.ts'

/** Interval between status reports in milliseconds. Shorter than the time after which a worker counts as gone. */
const reportMs = 15_000

/**
 * Reports the status of a worker’s upstream servers, which `read` returns. Returns a function that stops the reports.
 */
export async function reportUpstreams(
  db: DatabasePool,
  workerId: string,
  read: () => readonly upstreams.KnownUpstream[],
): Promise<() => Promise<void>> {
  if (read().length === 0) return async () => {}
  const report = () => upstreams.saveStatus(db, workerId, read())
  const failed = (error: Error) => log.debug({ err: describe(error) }, 'could not write the status of upstream servers')
  await report().catch(failed)
  const reporting = runEvery(reportMs, report, failed).unref()
  return async () => {
    await reporting.stop()
    await upstreams.removeOfWorker(db, workerId).catch(failed)
  }
}
