import type { Db } from '#sql/db.ts'
import * as requests from '#sql/intake/requests.ts'
import type { Ended } from '#sql/work/turns.ts'

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
