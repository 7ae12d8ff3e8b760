import type { Db } from '#sql/db.ts'
import * as engagements from '#sql/email/engagements.ts'
import * as messages from '#sql/email/messages.ts'
import { type EmittedEvent, emitMany } from '../../../webhooks/rules/emit.ts'
import { engagementData } from '../event-data.ts'

/** Number of different links of a message within one batch from which the requests count as those of a scanner. */
const manyLinks = 3

/**
 * Stores opens and clicks, and sends an event for the first open of a message and the first click of each link.
 * Machines have their own events.
 */
export async function recordEngagements(tx: Db, given: readonly engagements.GivenEngagement[]): Promise<void> {
  if (given.length === 0) return
  const recorded = await engagements.record(tx, markScans(given))
  const first = recorded.filter(({ is_first }) => is_first)
  const found = await messages.findMany(tx, [...new Set(first.map(({ message_id }) => message_id))])
  await emitMany(
    tx,
    first.flatMap((one): EmittedEvent[] => {
      const message = found.get(one.message_id)
      if (!message) return []
      const { url, ...data } = engagementData(message, one)
      return one.kind === 'open'
        ? [{ orgId: one.org_id, type: 'email.opened', data }]
        : [{ orgId: one.org_id, type: 'email.clicked', data: { ...data, url } }]
    }),
  )
}

function markScans(given: readonly engagements.GivenEngagement[]): engagements.GivenEngagement[] {
  const clicks = given.filter(({ kind, machine }) => kind === 'click' && !machine)
  const scanned = new Set(
    [...Map.groupBy(clicks, ({ message_id }) => message_id)].flatMap(([id, all]) =>
      new Set(all.map(({ url }) => url)).size >= manyLinks ? [id] : [],
    ),
  )
  return given.map((one) =>
    one.kind === 'click' && !one.machine && scanned.has(one.message_id)
      ? { ...one, machine: true, reason: 'many_links' }
      : one,
  )
}
