import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as copies from '#sql/notify/copies.ts'
import * as digests from '#sql/notify/digests.ts'
import * as events from '#sql/notify/events.ts'
import * as inbox from '#sql/notify/inbox.ts'
import * as preferences from '#sql/notify/preferences.ts'
import * as users from '#sql/notify/users.ts'
import { enqueueMany } from '../../queue/enqueue.ts'
import { emitMany } from '../../webhooks/rules/emit.ts'
import { sendCopies } from '../send-copies.ts'
import { sendDigest } from '../send-digest.ts'
import { type Choice, choose, usesOf } from './choose-channels.ts'

/** An event as it is wanted, with what its copies need. */
export interface EventRequest extends Omit<events.NewEvent, 'id' | 'chosen_by' | 'channels'> {
  /** In place of what the person prefers. */
  channels: readonly preferences.Channel[] | undefined
  email: { to: string; isContact: boolean; from: string | undefined } | undefined
  /** The app whose devices of the person are pushed to. */
  push: { appId: string } | undefined
  /** Domains that the key is locked to. */
  fromDomains: readonly string[] | undefined
}

/** What came of an event: itself, or the one that its dedupe key had already. */
export interface RecordedEvent {
  event: events.Event
  deduplicated: boolean
}

/** An event that is new, as far as is known before it is kept. */
export interface Draft {
  row: events.NewEvent
  choice: Choice
  wanted: EventRequest
}

/** Records events, many at a time: their places in inboxes, what goes out beside, and the jobs of that. */
export async function recordEvents(tx: Db, wanted: readonly EventRequest[]): Promise<readonly RecordedEvent[]> {
  const drafts = await drawUp(tx, wanted)
  const kept = new Map(
    (
      await events.insertMany(
        tx,
        drafts.map(({ row }) => row),
      )
    ).map((event) => [event.id, event]),
  )
  const isNew = drafts.filter(({ row }) => kept.has(row.id))
  await putIntoInboxes(tx, isNew)
  await makeCopies(tx, isNew)
  await emitMany(
    tx,
    isNew.map(({ row }) => accepted(row)),
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

/** What webhooks are told of an event. */
export const accepted = ({ id, org_id, user_id, product_key, type, channels }: events.NewEvent) => ({
  orgId: org_id,
  type: 'notify.event.accepted' as const,
  data: { id, user_id, product_key, type, channels: channels.filter(({ used }) => used).map(({ channel }) => channel) },
})

/** Chooses the channels of events. */
export async function drawUp(tx: Db, wanted: readonly EventRequest[]): Promise<readonly Draft[]> {
  const unchosen = wanted.filter(({ channels }) => channels === undefined)
  const found = Map.groupBy(await preferences.findMany(tx, unchosen), (one) => groupOf(one))
  return wanted.map((one) => {
    const { channels, email, push, fromDomains, ...facts } = one
    const held = (found.get(groupOf(one)) ?? []).filter(({ type }) => type === one.type || type === preferences.anyType)
    const choice = choose(channels, held)
    const uses = usesOf(choice, (channel) => lackOf(channel, one))
    return { row: { ...facts, id: newId(), chosen_by: choice.by, channels: [...uses] }, choice, wanted: one }
  })
}

const groupOf = ({ org_id, user_id, product_key }: Omit<preferences.PreferenceKey, 'type'>) =>
  JSON.stringify([org_id, user_id, product_key])

/** Why a chosen channel cannot be used; null when it can. */
function lackOf(channel: preferences.Channel, { email, push }: EventRequest): events.ChannelUse['reason'] {
  if (channel === 'email') return email ? null : 'no_address'
  return channel === 'push' && !push ? 'no_app' : null
}

const uses = ({ row }: Draft, channel: preferences.Channel) =>
  row.channels.some((one) => one.channel === channel && one.used)

async function putIntoInboxes(tx: Db, drafts: readonly Draft[]): Promise<void> {
  const placed = drafts.filter((draft) => uses(draft, 'in_app')).map(({ row }) => row)
  const byPerson = [...Map.groupBy(placed, users.nameOf)]
  const counts = byPerson.map(([, rows]) => ({ ...(rows[0] as users.Person), count: rows.length }))
  const last = await users.advance(tx, counts)
  await inbox.insertMany(
    tx,
    byPerson.flatMap(([name, rows]) =>
      rows.map(({ id, org_id, user_id, product_key }, i) => {
        const number = (last.get(name) as number) - rows.length + 1 + i
        return { id, org_id, user_id, product_key, number }
      }),
    ),
  )
  await users.announce(tx, placed)
}

async function makeCopies(tx: Db, drafts: readonly Draft[]): Promise<void> {
  const mailed = drafts.filter((draft) => uses(draft, 'email'))
  const windowOf = await openWindows(tx, mailed)
  const rows = [
    ...mailed.map((draft) => mailCopy(draft, windowOf(draft))),
    ...drafts.filter((draft) => uses(draft, 'push')).map(pushCopy),
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

/** What goes out of an event beside the inbox, each at once. */
export const copiesOf = (draft: Draft): copies.NewCopy[] => [
  ...(uses(draft, 'email') ? [mailCopy(draft, undefined)] : []),
  ...(uses(draft, 'push') ? [pushCopy(draft)] : []),
]

function mailCopy({ row, wanted }: Draft, digestId: string | undefined): copies.NewCopy {
  const { to, isContact, from } = wanted.email as NonNullable<EventRequest['email']>
  return {
    event_id: row.id,
    org_id: row.org_id,
    channel: 'email',
    digest_id: digestId ?? null,
    recipient: to,
    is_contact: isContact,
    sender: from ?? null,
    from_domains: wanted.fromDomains ? [...wanted.fromDomains] : null,
  }
}

function pushCopy({ row, wanted }: Draft): copies.NewCopy {
  const { appId } = wanted.push as NonNullable<EventRequest['push']>
  return {
    event_id: row.id,
    org_id: row.org_id,
    channel: 'push',
    digest_id: null,
    recipient: appId,
    is_contact: false,
    sender: null,
    from_domains: null,
  }
}

/** The windows of the preferences by which mail is collected; each that is opened here has its job. */
async function openWindows(tx: Db, drafts: readonly Draft[]): Promise<(draft: Draft) => string | undefined> {
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

/** The events that were first with their dedupe keys. */
async function findFirst(tx: Db, drafts: readonly Draft[]): Promise<(row: events.NewEvent) => events.Event> {
  const keys = drafts.map(({ row }) => ({ ...row, dedupe_key: row.dedupe_key as string }))
  const found = new Map((await events.findByDedupeKeys(tx, keys)).map((event) => [events.dedupeName(event), event]))
  return (row) => {
    const first = found.get(events.dedupeName(row))
    if (!first) throw new Error('A dedupe key was neither free nor taken.')
    return first
  }
}
