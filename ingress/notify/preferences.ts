import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { UserId } from '#lib/user-id.ts'
import * as rows from '#sql/notify/preferences.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { route } from '../http/route.ts'
import { PreferenceType, ProductKey } from './fields.ts'
import { getPersonKey } from './mark-items.ts'

export const Channels = z
  .array(rows.Channel)
  .max(20)
  .transform((channels) => rows.Channel.options.filter((channel) => channels.includes(channel)))

const Digest = z.strictObject({ window_minutes: z.int().min(1).max(10_080) })

const Preference = z
  .object({
    user_id: z.string(),
    product_key: z.string(),
    type: z.string(),
    channels: z.array(rows.Channel),
    digest: Digest.nullable(),
    updated_at: Instant,
  })
  .meta({ id: 'notify.Preference' })

function present({ digest_minutes, ...preference }: rows.Preference, userId: string): z.input<typeof Preference> {
  return { ...preference, user_id: userId, digest: digest_minutes === null ? null : { window_minutes: digest_minutes } }
}

export const list = listRoute({
  path: '/preferences',
  summary: 'List a person’s preferences, newest first',
  description: `A type without a preference uses the preference for the type \`${rows.anyType}\`. Without either, events go only to the inbox.`,
  scope: 'notify:read',
  filters: rows.filters,
  otherParams: ['user_id'],
  query: { user_id: UserId, product_key: ProductKey.optional() },
  item: Preference,
  rows: ({ query: { user_id }, org, db }, page) => rows.list(db, getPersonKey(org.id, user_id), page),
  present: (preference, { query }) => present(preference, query.user_id),
})

export const put = route({
  method: 'PUT',
  path: '/preferences',
  summary: 'Set the channels of an event type',
  description:
    'Without `in_app`, events do not appear in the inbox. Without any channel, the person receives nothing. With `digest`, emails are collected and sent as one email when the window ends. The first event opens the window.',
  scope: 'notify:write',
  body: z
    .strictObject({
      user_id: UserId,
      product_key: ProductKey,
      type: PreferenceType,
      channels: Channels,
      digest: Digest.nullish(),
    })
    .refine(({ channels, digest }) => !digest || channels.includes('email'), {
      path: ['digest'],
      error: 'requires `email` in `channels`, because it collects emails',
    }),
  status: 200,
  reply: Preference,
  example: {
    body: {
      user_id: '5f0c8a52-7f0e-4c5b-9f0a-0f9d3c1b2a10',
      product_key: 'shop',
      type: 'order.shipped',
      channels: ['in_app', 'email'],
    },
  },
  async handle({ body: { digest, ...preference }, org, db }) {
    const digest_minutes = digest?.window_minutes ?? null
    const person = getPersonKey(org.id, preference.user_id)
    return present(await rows.put(db, { ...preference, ...person, digest_minutes }), preference.user_id)
  },
})

export const remove = route({
  method: 'DELETE',
  path: '/preferences',
  summary: 'Delete a preference',
  description: 'The event type uses its default channels again.',
  scope: 'notify:write',
  query: z.object({ user_id: UserId, product_key: ProductKey, type: PreferenceType }),
  status: 200,
  reply: z.object({ user_id: z.string(), product_key: z.string(), type: z.string(), deleted: z.literal(true) }),
  problems: ['not_found'],
  async handle({ query, org, db }) {
    if (!(await rows.remove(db, { ...query, ...getPersonKey(org.id, query.user_id) }))) throw notFound('preference')
    return { ...query, deleted: true as const }
  },
})
