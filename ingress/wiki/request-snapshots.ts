import type { Plan } from '#sql/account/plans.ts'
import { lockStoredBytes, storageLimit } from '#sql/account/usage/storage.ts'
import type { Db } from '#sql/db.ts'
import type { Snapshot } from '#sql/wiki/snapshots.ts'
import { mostBytes, requestSnapshots } from '#tasks/wiki/capture.ts'
import { problem } from '../http/problem-kinds.ts'

export const planExceeded = problem(400, 'plan_limit_exceeded', 'A snapshot might exceed the plan’s storage.')

/** Requests snapshots. Throws `planExceeded` if their maximum size exceeds the plan. */
export async function requestSnapshotsWithinPlan(
  tx: Db,
  orgId: string,
  plan: Plan,
  sourceIds: readonly string[],
): Promise<Snapshot[]> {
  if (sourceIds.length === 0) return []
  const stored = await lockStoredBytes(tx, orgId)
  const max = await storageLimit(tx, orgId, plan.storage_bytes)
  const [left, wanted] = [Math.max(0, max - stored), sourceIds.length * mostBytes]
  if (left >= wanted) return await requestSnapshots(tx, orgId, sourceIds)
  const what = sourceIds.length === 1 ? 'A snapshot' : `${sourceIds.length} snapshots`
  throw planExceeded(`${what} may need ${wanted} bytes, but your plan's storage has ${left} bytes left.`, {
    limit: 'storage_bytes',
    max,
  })
}
