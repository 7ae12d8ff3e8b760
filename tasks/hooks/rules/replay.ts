import type { Db } from '#sql/db.ts'
import * as messages from '#sql/hooks/messages.ts'
import * as deliveries from '#sql/webhooks/deliveries.ts'
import type { Endpoint } from '#sql/webhooks/endpoints.ts'
import { passesFilters } from '../../webhooks/rules/filters.ts'
import { addKeptDeliveries } from '../../webhooks/rules/record-events.ts'
import { enqueueEndpoints } from '../../webhooks/rules/wake-endpoints.ts'
import { receives } from './accept-messages.ts'

/** Number of messages per statement, so that the statement ends in time. */
const atOnce = 1_000

/** Number of payloads in memory. A payload can have 256 KiB. */
const payloadsAtOnce = 16

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
  let replayed = 0
  let last: messages.Missed | null = null
  for (;;) {
    const period = { appId, endpointId: endpoint.id, since, until, after: last, limit: atOnce }
    const read: readonly messages.Missed[] = await messages.listMissed(tx, period)
    replayed += await addKeptDeliveries(tx, endpoint, await findWanted(tx, endpoint, read))
    last = read.at(-1) ?? last
    // The next call starts after `since`. Otherwise, messages of one moment that do not match would never end.
    const isEnd = read.length < atOnce
    if (!isEnd && last && last.created_at.getTime() <= Date.parse(since)) continue
    if (replayed > 0) await enqueueEndpoints(tx, [endpoint])
    return { replayed, next: isEnd ? null : (last?.created_at ?? null) }
  }
}

/** Returns the IDs of the messages that the endpoint receives, in the same order. */
async function findWanted(tx: Db, endpoint: Endpoint, read: readonly messages.Missed[]): Promise<string[]> {
  const { filters, ...rest } = endpoint
  const named = read.filter(({ type, channels }) =>
    receives({ ...rest, filters: null }, { type, channels: channels ?? [], payload: null }),
  )
  const ids = named.map(({ id }) => id)
  if (filters === null) return ids
  const wanted = new Set<string>()
  for (let at = 0; at < ids.length; at += payloadsAtOnce) {
    const payloads = await messages.listPayloads(tx, ids.slice(at, at + payloadsAtOnce))
    for (const { id, data } of payloads) if (passesFilters(filters, data)) wanted.add(id)
  }
  return ids.filter((id) => wanted.has(id))
}
