import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { Key } from '#sql/account/keys.ts'
import { type Db, isRowFault } from '#sql/db.ts'
import type { EndedRecipient, Recipient } from '#sql/notify/broadcast-people.ts'
import type { Broadcast } from '#sql/notify/broadcasts.ts'
import * as events from '#sql/notify/events.ts'
import * as people from '#sql/notify/people.ts'
import * as users from '#sql/notify/users.ts'
import type { EventRequest } from './draw-up.ts'
import { findHindrance } from './hindrance.ts'
import { recordEvents } from './record-events.ts'
import { recordTestEvents } from './test-events.ts'

/**
 * Records the event of a broadcast for some of its people, in the caller’s transaction. If one person’s event cannot be
 * stored, only this person fails. Returns the outcome of each person.
 */
export async function tellPeople(
  tx: Db,
  broadcast: Broadcast,
  key: Key | null,
  recipients: readonly Recipient[],
): Promise<readonly EndedRecipient[]> {
  if (broadcast.sandbox) return await tellApart(tx, recipients, (inner, some) => tellTest(inner, broadcast, key, some))
  const known = new Map((await people.findMany(tx, recipients)).map((one) => [users.getPersonName(one), one]))
  const standing = { keyIsLive: true, orgIsClosing: false }
  const checked = recipients.map((one) => {
    const person = known.get(users.getPersonName(one))
    return { one, hindrance: findHindrance(one.person_id, { person, ...standing }) }
  })
  const refused = checked.flatMap(({ one, hindrance }) => (hindrance ? [ended(one, 'refused', hindrance)] : []))
  const sound = checked.flatMap(({ one, hindrance }) => (hindrance ? [] : [one]))
  return [...refused, ...(await tellApart(tx, sound, (inner, some) => tellLive(inner, broadcast, key, some)))]
}

type Tell = (tx: Db, some: readonly Recipient[]) => Promise<readonly EndedRecipient[]>

/** Halves the people until the one whose event cannot be stored is separate from the others. */
async function tellApart(tx: Db, some: readonly Recipient[], tell: Tell): Promise<readonly EndedRecipient[]> {
  if (some.length === 0) return []
  try {
    return await tx.transaction((inner) => tell(inner, some))
  } catch (error) {
    if (!isRowFault(error)) throw error
    const [only] = some
    if (some.length === 1 && only) {
      log.error({ err: describe(error), broadcast_id: only.broadcast_id }, 'a person of a broadcast was not notified')
      return [ended(only, 'failed', 'not_storable')]
    }
    const half = Math.ceil(some.length / 2)
    return [...(await tellApart(tx, some.slice(0, half), tell)), ...(await tellApart(tx, some.slice(half), tell))]
  }
}

async function tellLive(tx: Db, broadcast: Broadcast, key: Key | null, some: readonly Recipient[]) {
  const recorded = await recordEvents(tx, some.map(requestOf(broadcast, key)))
  return some.map((one, i) => {
    const { event, deduplicated } = recorded[i] as (typeof recorded)[number]
    if (deduplicated) return ended(one, 'refused', 'duplicate', event.id)
    const unused = reasonUnused(event)
    return unused ? ended(one, 'refused', unused, event.id) : ended(one, 'told', null, event.id)
  })
}

async function tellTest(tx: Db, broadcast: Broadcast, key: Key | null, some: readonly Recipient[]) {
  const kept = await recordTestEvents(tx, some.map(requestOf(broadcast, key)))
  return some.map((one, i) => {
    const { record, deduplicated } = kept[i] as (typeof kept)[number]
    const { id } = record as { id: string }
    return deduplicated ? ended(one, 'refused', 'duplicate', id) : ended(one, 'told', null, id)
  })
}

/** The key of a person in a broadcast. Without an own key, the broadcast’s ID is the key. */
const requestOf =
  (broadcast: Broadcast, key: Key | null) =>
  ({ user_id, subject }: Recipient): EventRequest => {
    const { org_id, key_id, product_key, type, title, body, data, url } = broadcast
    const dedupe_key = broadcast.dedupe_key ?? `broadcast ${broadcast.id}`
    return {
      ...events.fill({ org_id, key_id, product_key, type, title, body, data, url, dedupe_key, user_id }),
      subject: subject === user_id ? null : subject,
      channels: broadcast.channels ?? undefined,
      email: undefined,
      push: undefined,
      fromDomains: key?.locks.from_domains,
      appLock: key?.locks.app_id,
    }
  }

/** Returns why an event uses no channel. Undefined if it uses one, or if a workflow decides. */
function reasonUnused({ channels, chosen_by }: events.Event): string | undefined {
  if (chosen_by === 'workflow' || channels.some(({ used }) => used)) return undefined
  return channels.find(({ reason }) => reason !== 'not_chosen')?.reason ?? 'preference'
}

const ended = (
  { id }: Recipient,
  outcome: EndedRecipient['outcome'],
  reason: string | null,
  event_id: string | null = null,
): EndedRecipient => ({ id, outcome, reason, event_id })
