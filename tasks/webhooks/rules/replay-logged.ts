import type { Db } from '#sql/db.ts'
import * as deliveries from '#sql/webhooks/deliveries.ts'
import { enqueueEndpoints } from './wake-endpoints.ts'

/** Maximum number of deliveries per request, so that the statement ends in time. */
export const maxReplayed = 10_000

/**
 * Repeats deliveries since a time, oldest first. Returns the number of deliveries and the start of the next request.
 * Null if no deliveries are left.
 */
export async function replayLogged(
  tx: Db,
  endpoint: { id: string; org_id: string },
  { since, until = null, status }: { since: string; until?: string | null; status: 'failed' | 'all' },
): Promise<{ replayed: number; next: Date | null }> {
  const statuses: deliveries.Status[] = status === 'failed' ? ['failed'] : ['failed', 'delivered']
  const found = await deliveries.replaySince(tx, endpoint.id, { since, until, statuses, limit: maxReplayed })
  if (found.length > 0) await enqueueEndpoints(tx, [endpoint])
  return { replayed: found.length, next: found.length === maxReplayed ? (found.at(-1) ?? null) : null }
}
