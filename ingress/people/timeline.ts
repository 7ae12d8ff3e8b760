import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { findKeys, isKnown } from '#sql/people/keys.ts'
import { Kind, listEntries, type Entry as Row } from '#sql/people/timeline.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { params, personOf } from './fields.ts'

const Entry = z
  .object({
    id: Id.describe('ID of the object in its area'),
    kind: Kind,
    at: Instant,
    direction: z.enum(['inbound', 'outbound']),
    status: z.string().describe('Status of the object in its area'),
    address: z.string().nullable().describe('Email address or phone number of the person'),
    about: z
      .string()
      .nullable()
      .describe(
        'Stream of an email, type of a notification or WhatsApp message, app of a push, bot, caller ID, sender of an SMS, or channel of a verification',
      ),
    title: z.string().nullable().describe('Subject, title or start of the text. `null` if you may not read contents.'),
    url: z.string().describe('Path of the operation that returns the object'),
  })
  .meta({ id: 'people.TimelineEntry' })

const paths: Readonly<Record<Kind, (entry: Row) => string>> = {
  email: ({ id }) => `/send/v1/messages/${id}`,
  received_email: ({ id }) => `/send/v1/received/${id}`,
  notification: ({ id }) => `/v1/notify/events/${id}`,
  push: ({ id }) => `/push/v1/messages/${id}`,
  whatsapp: ({ id }) => `/v1/whatsapp/messages/${id}`,
  bot: ({ id, about }) => `/v1/bots/${about}/messages?conversation_id=${id}`,
  call: ({ id }) => `/v1/voice/calls/${id}`,
  sms: ({ id }) => `/v1/sms/messages/${id}`,
  verification: ({ id }) => `/v1/verify/${id}`,
}

export const list = listRoute({
  path: '/{user_id}/timeline',
  summary: 'List what happened with a person',
  description:
    'Returns emails, notifications, pushes to this person, messages by WhatsApp and SMS, verifications, conversations with bots and calls, newest first. Addresses that another person also has are left out.',
  scope: 'people:read',
  params,
  otherParams: ['kind'],
  query: {
    kind: z.array(Kind).max(Kind.options.length).optional().describe('Only these kinds. Repeat it for several.'),
  },
  item: Entry,
  problems: ['not_found'],
  async rows({ params: { user_id }, query: { kind }, org, db }, { before, limit }) {
    const person = personOf(org.id, user_id)
    if (!(await isKnown(db, person))) throw notFound('person')
    return await listEntries(db, await findKeys(db, person), { kinds: kind, before, limit })
  },
  // Members read contents only on pages, which check their role.
  present: (entry, { actor }) => ({
    ...entry,
    title: actor.kind === 'key' ? entry.title : null,
    url: paths[entry.kind](entry),
  }),
})
