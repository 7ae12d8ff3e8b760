import type { Db } from '#sql/db.ts'
import type { Endpoint } from '#sql/webhooks/endpoints.ts'
import * as events from '#sql/webhooks/events.ts'
import { wake } from '../deliver.ts'
import { deliverKept } from './record-events.ts'
import { wants } from './wants.ts'

/** Events that one catch-up looks at: one statement, done in time. */
const atOnce = 5_000

/**
 * Has an endpoint told of kept events since an instant that it asks for and was never told of, the oldest first. Answers how many,
 * and from which instant on the next one looks; null when all were looked at.
 */
export async function catchUp(
  tx: Db,
  endpoint: Endpoint,
  since: string,
): Promise<{ replayed: number; next: Date | null }> {
  const { id, org_id } = endpoint
  const read = await events.listMissed(tx, { endpointId: id, orgId: org_id, since, limit: atOnce })
  const missed = read.filter((event) => wants(endpoint, { orgId: event.org_id, type: event.type, data: event.data }))
  const told = await deliverKept(
    tx,
    endpoint,
    missed.map((event) => event.id),
  )
  if (told > 0 && endpoint.paused_at === null) await wake(tx, [endpoint])
  return { replayed: told, next: read.length === atOnce ? (read.at(-1)?.created_at ?? null) : null }
}
