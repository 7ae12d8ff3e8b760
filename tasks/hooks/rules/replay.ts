import type { Db } from '#sql/db.ts'
import * as messages from '#sql/hooks/messages.ts'
import * as deliveries from '#sql/webhooks/deliveries.ts'
import type { Endpoint } from '#sql/webhooks/endpoints.ts'
import { addKeptDeliveries } from '../../webhooks/rules/record-events.ts'
import { enqueueEndpoints } from '../../webhooks/rules/wake-endpoints.ts'
import { receives } from './accept-messages.ts'

/** Number of messages per request, so that the statement ends in time. Payloads can be large. */
const atOnce = 1_000

/** Sends a message to an endpoint again, or for the first time. */
export async function resend(tx: Db, endpoint: Endpoint, messageId: string): Promise<void> {
  const id = await messages.findDelivery(tx, messageId, endpoint.id)
  if (id === null) await addKeptDeliveries(tx, endpoint, [messageId])
  else await deliveries.replay(tx, endpoint.id, id)
  await enqueueEndpoints(tx, [endpoint])
}

interface Period {
  since: string
  until: string
}

/**
 * Sends messages of a period that an endpoint should receive and has never received, oldest first. Returns the number
 * of messages and the start of the next call. Null if no messages are left.
 */
export async function replayMissing(
  tx: Db,
  appId: string,
  endpoint: Endpoint,
  { since, until }: Period,
): Promise<{ replayed: number; next: Date | null }> {
  const read = await messages.listMissed(tx, { appId, endpointId: endpoint.id, since, until, limit: atOnce })
  const missed = read.filter(({ type, data, channels }) =>
    receives(endpoint, { type, payload: data, channels: channels ?? [] }),
  )
  const ids = missed.map(({ id }) => id)
  const replayed = await addKeptDeliveries(tx, endpoint, ids)
  if (replayed > 0) await enqueueEndpoints(tx, [endpoint])
  return { replayed, next: read.length === atOnce ? (read.at(-1)?.created_at ?? null) : null }
}
