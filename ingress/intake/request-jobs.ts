import type { Db } from '#sql/db.ts'
import { whereOf } from '#sql/filters.ts'
import * as jobs from '#sql/work/jobs.ts'

/** Number of jobs of a request that are shown. */
const maxJobs = 20

/** Returns the newest jobs that forward a request. */
export async function listJobs(db: Db, orgId: string, requestId: string): Promise<readonly jobs.Listed[]> {
  const where = whereOf(jobs.filters, { origin_id: requestId, origin_kind: 'source' })
  return await jobs.list(db, orgId, { where, before: undefined, limit: maxJobs })
}

export const listJobIds = async (db: Db, orgId: string, requestId: string): Promise<string[]> =>
  (await listJobs(db, orgId, requestId)).map(({ id }) => id)
