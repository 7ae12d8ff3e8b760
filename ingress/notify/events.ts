import { z } from 'zod'
import { Address } from '#lib/email-address.ts'
import { forbidden, notFound, type Problem } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { UserId } from '#lib/user-id.ts'
import type { Caller } from '#sql/account/keys.ts'
import { find as findTest } from '#sql/account/test-messages.ts'
import * as copies from '#sql/notify/copies.ts'
import * as rows from '#sql/notify/events.ts'
import { Channel } from '#sql/notify/preferences.ts'
import type { EventRequest } from '#tasks/notify/rules/draw-up.ts'
import { getPersonId } from '#tasks/notify/rules/person-id.ts'
import { recordEvents } from '#tasks/notify/rules/record-events.ts'
import { recordTestEvents } from '#tasks/notify/rules/test-events.ts'
import { sendCopies } from '#tasks/notify/send-copies.ts'
import { Instant } from '../http/instant.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { groupedRoute, route } from '../http/route.ts'
import { completeReply } from '../http/stored-reply.ts'
import { Body, Data, DedupeKey, EventType, Link, ProductKey, Title } from './fields.ts'
import { Channels } from './preferences.ts'

const Recipient = z
  .strictObject({
    to: Address.optional(),
    contact: Address.optional().describe('Contact in the email area. Unsubscribed contacts receive nothing.'),
    from: Address.optional().describe(
      'Sender address on a verified domain. Default: `notifications@` your oldest verified domain.',
    ),
  })
  .refine(({ to, contact }) => (to === undefined) !== (contact === undefined), {
    error: 'must have either `to` or `contact`',
  })

export const EventBody = z.strictObject({
  product_key: ProductKey,
  type: EventType,
  subject_user_id: UserId,
  title: Title,
  body: Body.optional(),
  data: Data.optional().describe('Values for your app, by name'),
  url: Link.optional().describe('URL to open'),
  dedupe_key: DedupeKey.optional().describe(
    'Repeating an event with this key, for the same person and product, returns the first event.',
  ),
  channels: Channels.optional().describe('Channels of this event. They replace the person’s preferences.'),
  email: z
    .union([Address, Recipient])
    .optional()
    .describe('Recipient of the email copy: an address, or an object with `to` or `contact`'),
  push: z
    .strictObject({ app_id: Id })
    .optional()
    .describe('`app_id` of the app in the push area that has the person’s devices'),
})

export type EventBody = z.infer<typeof EventBody>

export const Event = z
  .object({
    id: Id.describe('ID of the event and of its inbox item'),
    product_key: z.string(),
    type: z.string(),
    subject_user_id: z.string(),
    title: z.string(),
    body: z.string().nullable(),
    data: z.record(z.string(), z.string()),
    url: z.string().nullable(),
    dedupe_key: z.string().nullable(),
    chosen_by: rows.Event.shape.chosen_by.describe(
      'Source of the channels. `default`: neither the event, a preference nor a workflow sets them.',
    ),
    channels: z.array(rows.ChannelUse).describe('Every channel, with the reason if it was not used'),
    run_id: Id.nullable().optional().describe('ID of the workflow run that the event started or joined'),
    created_at: Instant,
    sandbox: z.literal(true).optional().describe('True for events of a test key. They are only in the test inbox.'),
  })
  .meta({ id: 'notify.Event' })

export const create = groupedRoute({
  method: 'POST',
  path: '/events',
  summary: 'Send an event to a person',
  description:
    'If a workflow is published for the product and type, the event starts the workflow. Otherwise, the person’s preferences select the channels: first the preference for the type, then the preference for the product. Without a preference, the event goes only to the inbox. Addresses that the event does not contain come from the directory of people. Email copies use the `transactional` stream.',
  tool: {
    name: 'notify_person',
    reachesOut: true,
    only: ['product_key', 'type', 'subject_user_id', 'title', 'body', 'data', 'url', 'dedupe_key', 'channels'],
  },
  scope: 'notify:write',
  testKeys: 'sandbox',
  locks: ['from_domains', 'app_id'],
  body: EventBody,
  idempotent: true,
  enqueues: sendCopies,
  status: 200,
  reply: Event.extend({
    deduplicated: z.boolean().describe('True if the response is an earlier event with the same key'),
  }),
  problems: ['forbidden'],
  example: {
    body: {
      product_key: 'shop',
      type: 'order.shipped',
      subject_user_id: '5f0c8a52-7f0e-4c5b-9f0a-0f9d3c1b2a10',
      title: 'Your order is on its way',
      dedupe_key: 'order-1042-shipped',
    },
  },
  async commit(tx, calls) {
    const allowed = calls.filter((call) => !refusalOf(call))
    const [live, tried] = [false, true].map((isTest) => allowed.filter(({ key }) => (key.mode === 'test') === isTest))
    const recorded = await recordEvents(tx, (live ?? []).map(wantedOf))
    const tested = await recordTestEvents(tx, (tried ?? []).map(wantedOf))
    const answers = new Map<unknown, z.input<typeof Event> & { deduplicated: boolean }>()
    for (const [i, { event, deduplicated }] of recorded.entries())
      answers.set(live?.[i], { ...present(event), deduplicated })
    for (const [i, { record, deduplicated }] of tested.entries())
      answers.set(tried?.[i], { ...completeReply(Event, record), deduplicated })
    return calls.map(
      (call) => refusalOf(call) ?? (answers.get(call) as z.input<typeof Event> & { deduplicated: boolean }),
    )
  },
})

/** Returns 403 if the key is locked to an app and the event contains a push to a different app. */
export function refusalOf({ key, body }: Pick<Caller, 'key'> & { body: EventBody }): Problem | undefined {
  const { app_id } = key.locks
  if (!body.push || app_id === undefined || app_id === body.push.app_id) return undefined
  return forbidden('This key is restricted to a different app.')
}

export function wantedOf({ org, key, body }: Pick<Caller, 'org' | 'key'> & { body: EventBody }): EventRequest {
  const { subject_user_id, channels, email, push, ...columns } = body
  const to = typeof email === 'string' ? { to: email } : email
  const subject = Id.safeParse(subject_user_id).success ? null : subject_user_id
  return {
    ...rows.fill({ ...columns, org_id: org.id, key_id: key.id, user_id: getPersonId(subject_user_id), subject }),
    channels,
    email: to && { to: (to.to ?? to.contact) as string, isContact: to.contact !== undefined, from: to.from },
    push: push && { appId: push.app_id },
    fromDomains: key.locks.from_domains,
    appLock: key.locks.app_id,
  }
}

export function present({ user_id, subject, ...event }: rows.Event): z.input<typeof Event> {
  return { ...event, subject_user_id: subject ?? user_id }
}

const Copy = z
  .object({
    channel: Channel,
    status: copies.Copy.shape.status.describe(
      '`waiting`, `accepted` (by the area of its channel), `refused` or `failed`',
    ),
    reason: z.string().nullable(),
    detail: z.string().nullable(),
    message_id: Id.nullable().describe('ID of the message in the area of its channel, where you can read its delivery'),
    ended_at: Instant.nullable(),
  })
  .meta({ id: 'notify.Copy' })

/** A locked key can read only the events that it recorded, because other events may use other domains or apps. */
const isOwn = ({ id, locks }: Caller['key'], event: { key_id: string | null }): boolean =>
  (locks.from_domains === undefined && locks.app_id === undefined) || event.key_id === id

const ReadEvent = Event.extend({ copies: z.array(Copy) })

export const read = route({
  method: 'GET',
  path: '/events/{id}',
  summary: 'Read an event and its copies',
  description: 'Returns the notification event and the status of its copy on each channel.',
  scope: 'notify:read',
  testKeys: 'sandbox',
  locks: ['from_domains', 'app_id'],
  params: z.object({ id: pathId('event') }),
  status: 200,
  reply: ReadEvent,
  problems: ['not_found'],
  async handle({ params, org, key, db }) {
    const tested = await findTest(db, org.id, params.id)
    if (tested?.channel === 'notify' && tested.record && isOwn(key, tested))
      return completeReply(ReadEvent, tested.record)
    if (key.mode === 'test') throw notFound('event')
    const event = await mustFind(rows.find(db, org.id, params.id), 'event')
    if (!isOwn(key, event)) throw notFound('event')
    return { ...present(event), copies: [...(await copies.listOf(db, event.id))] }
  },
})
