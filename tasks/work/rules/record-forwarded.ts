import type { Db } from '#sql/db.ts'
import * as requests from '#sql/intake/requests.ts'
import type { Ended } from '#sql/work/turns.ts'

/** Marks the received webhooks of jobs that run again. */
export async function recordReplayed(tx: Db, jobs: readonly Pick<Ended, 'origin_kind' | 'origin_id'>[]): Promise<void> {
  const ids = jobs.flatMap(({ origin_kind, origin_id }) => (origin_kind === 'source' && origin_id ? [origin_id] : []))
  await requests.setJobStatuses(
    tx,
    [...new Set(ids)].map((id) => ({ id, status: 'pending' })),
  )
}

/** Stores the status of ended jobs at the received webhooks that they forward. */
export async function recordForwarded(tx: Db, ended: readonly Ended[]): Promise<void> {
  const statuses = new Map<string, requests.JobStatus>()
  for (const { origin_kind, origin_id, status } of ended)
    if (origin_kind === 'source' && origin_id !== null) statuses.set(origin_id, status as requests.JobStatus)
  await requests.setJobStatuses(
    tx,
    [...statuses].map(([id, status]) => ({ id, status })),
  )
}
