import type { Db } from '#sql/db.ts'
import { ChatChannel } from '#sql/notify/connections.ts'
import * as copies from '#sql/notify/copies.ts'
import * as digests from '#sql/notify/digests.ts'
import * as events from '#sql/notify/events.ts'
import type * as preferences from '#sql/notify/preferences.ts'
import { enqueueMany } from '../../queue/enqueue.ts'
import { emitMany } from '../../webhooks/rules/emit.ts'
import { sendCopies } from '../send-copies.ts'
import { sendDigest } from '../send-digest.ts'
import { type AddressedEvent, draftEvents, type EventDraft, type EventRequest } from './draw-up.ts'
import { placeInInboxes } from './place-in-inboxes.ts'
import { startRuns } from './start-runs.ts'

/** The recorded event, or the existing event with the same dedupe key. */
export interface RecordedEvent {
  event: events.Event
  deduplicated: boolean
}

/** Records events in bulk: inbox items, copies, and their jobs. */
export async function recordEvents(tx: Db, wanted: readonly EventRequest[]): Promise<readonly RecordedEvent[]> {
  const drafts = await draftEvents(tx, wanted)
  const kept = new Map(
    (
      await events.insertMany(
        tx,
        drafts.map(({ row }) => row),
      )
    ).map((event) => [event.id, event]),
  )
  const isNew = drafts.filter(({ row }) => kept.has(row.id))
  // Runs before the inboxes are locked, because steps of runs lock the run first, and then the person.
  const runs = await startRuns(tx, isNew)
  for (const [id, run_id] of runs) Object.assign(kept.get(id) ?? {}, { run_id })
  await placeInInboxes(
    tx,
    isNew.filter((draft) => uses(draft, 'in_app')).map(({ row }) => row),
  )
  await makeCopies(tx, isNew)
  await emitMany(
    tx,
    isNew.map(({ row }) => presentAccepted(row)),
  )
  const first = await findFirst(
    tx,
    drafts.filter(({ row }) => !kept.has(row.id)),
  )
  return drafts.map(({ row }) => {
    const event = kept.get(row.id)
    return event ? { event, deduplicated: false } : { event: first(row), deduplicated: true }
  })
}

/** Returns the webhook payload of an event. */
export const presentAccepted = ({ id, org_id, user_id, subject, product_key, type, channels }: events.NewEvent) => ({
  orgId: org_id,
  type: 'notify.event.accepted' as const,
  data: {
    id,
    user_id: subject ?? user_id,
    product_key,
    type,
    channels: channels.filter(({ used }) => used).map(({ channel }) => channel),
  },
})

const uses = ({ row }: EventDraft, channel: preferences.Channel) =>
  row.channels.some((one) => one.channel === channel && one.used)

async function makeCopies(tx: Db, drafts: readonly EventDraft[]): Promise<void> {
  const mailed = drafts.filter((draft) => uses(draft, 'email'))
  const windowOf = await openWindows(tx, mailed)
  const rows = [
    ...mailed.map((draft) => mailCopy(draft, windowOf(draft))),
    ...drafts.filter((draft) => uses(draft, 'push')).map(pushCopy),
    ...drafts.flatMap(directCopies),
  ]
  await copies.insertMany(tx, rows)
  const byOrg = [
    ...Map.groupBy(
      rows.filter(({ digest_id }) => digest_id === null),
      ({ org_id }) => org_id,
    ),
  ]
  await enqueueMany(
    tx,
    sendCopies,
    byOrg.map(([, due]) => ({ eventIds: [...new Set(due.map(({ event_id }) => event_id))] })),
    (i) => ({ orgId: byOrg[i]?.[0] as string }),
  )
}

/** Returns the copies of an event outside the inbox, to be sent immediately. */
export const createCopies = (draft: EventDraft): copies.NewCopy[] => [
  ...(uses(draft, 'email') ? [mailCopy(draft, undefined)] : []),
  ...(uses(draft, 'push') ? [pushCopy(draft)] : []),
  ...directCopies(draft),
]

const copyOf = ({ row }: EventDraft, channel: copies.Copy['channel'], recipient: string): copies.NewCopy => ({
  event_id: row.id,
  org_id: row.org_id,
  channel,
  digest_id: null,
  person_id: null,
  recipient,
  recipient_user: null,
  is_contact: false,
  sender: null,
  from_domains: null,
})

/**
 * In a window, a copy for a person in the directory has no email address, because the address may change before the
 * copy is sent.
 */
function mailCopy(draft: EventDraft, digestId: string | undefined): copies.NewCopy {
  const { email, fromDomains } = draft.wanted
  const { to, isContact, from, isKnown } = email as NonNullable<AddressedEvent['email']>
  return {
    ...copyOf(draft, 'email', digestId !== undefined && isKnown ? '' : to),
    digest_id: digestId ?? null,
    person_id: digestId === undefined ? null : (draft.known?.id ?? null),
    is_contact: isContact,
    sender: from ?? null,
    from_domains: fromDomains ? [...fromDomains] : null,
  }
}

function pushCopy(draft: EventDraft): copies.NewCopy {
  const { appId, userId } = draft.wanted.push as NonNullable<AddressedEvent['push']>
  return { ...copyOf(draft, 'push', appId), recipient_user: userId ?? null }
}

/** Returns the copies of an event that only need a phone number or a connection. */
const directCopies = (draft: EventDraft): copies.NewCopy[] => [
  ...(['whatsapp', 'sms'] as const)
    .filter((channel) => uses(draft, channel))
    .map((channel) => copyOf(draft, channel, draft.wanted.phone as string)),
  ...ChatChannel.options
    .filter((channel) => uses(draft, channel))
    .map((channel) => copyOf(draft, channel, draft.wanted.chats?.[channel] as string)),
]

/** Returns the windows of the preferences that collect emails. Each new window gets its job. */
async function openWindows(tx: Db, drafts: readonly EventDraft[]): Promise<(draft: EventDraft) => string | undefined> {
  const wanted = new Map(drafts.flatMap(({ choice: { digest } }) => (digest ? [[digest.id, digest] as const] : [])))
  const opened = await digests.openMany(
    tx,
    [...wanted.values()].map((preference) => ({ ...preference, minutes: preference.digest_minutes as number })),
  )
  const fresh = opened.filter(({ is_new }) => is_new)
  await enqueueMany(
    tx,
    sendDigest,
    fresh.map(({ id }) => ({ digestId: id })),
    (i) => ({ orgId: fresh[i]?.org_id as string, at: fresh[i]?.due_at as Date }),
  )
  const ids = new Map(opened.map((one) => [aboutOf(one), one.id]))
  return ({ choice }) => choice.digest && ids.get(aboutOf(choice.digest))
}

const aboutOf = ({ org_id, user_id, product_key, type }: preferences.PreferenceKey) =>
  JSON.stringify([org_id, user_id, product_key, type])

async function findFirst(tx: Db, drafts: readonly EventDraft[]): Promise<(row: events.NewEvent) => events.Event> {
  const keys = drafts.map(({ row }) => ({ ...row, dedupe_key: row.dedupe_key as string }))
  const found = new Map((await events.findByDedupeKeys(tx, keys)).map((event) => [events.dedupeName(event), event]))
  return (row) => {
    const first = found.get(events.dedupeName(row))
    if (!first) throw new Error('A dedupe key is neither new nor in use.')
    return first
  }
}
