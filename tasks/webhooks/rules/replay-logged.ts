import type { Db } from '#sql/db.ts'
import * as deliveries from '#sql/webhooks/deliveries.ts'
import { wake } from '../deliver.ts'

/** Deliveries that one request has made again at most: one statement, done in time. */
export const maxReplayed = 10_000

/**
 * Has deliveries to an endpoint since an instant made again, the oldest first. Answers how many, and from which instant on the next
 * request goes on; null when none is left.
 */
export async function replayLogged(
  tx: Db,
  endpoint: { id: string; org_id: string },
  { since, status }: { since: string; status: 'failed' | 'all' },
): Promise<{ replayed: number; next: Date | null }> {
  const statuses: deliveries.Status[] = status === 'failed' ? ['failed'] : ['failed', 'delivered']
  const found = await deliveries.replaySince(tx, endpoint.id, { since, statuses, limit: maxReplayed })
  if (found.length > 0) await wake(tx, [endpoint])
  return { replayed: found.length, next: found.length === maxReplayed ? (found.at(-1) ?? null) : null }
}
