import { z } from 'zod'
import type { DatabasePool } from '#sql/db.ts'
import { ContactStatus, TopicState } from '#sql/email/contacts.ts'
import { Channel } from '#sql/notify/preferences.ts'
import { readBearerToken } from '../http/bearer-token.ts'
import type { Services } from '../http/container.ts'
import { route } from '../http/route.ts'
import { maskAddress, sendPage, sharedRouteOptions } from './page.ts'
import {
  nameOfChannel,
  nameOfType,
  PreferencesBody,
  PreferencesForm,
  readPreferencesForm,
} from './preferences/fields.ts'
import { findOwner, loadPreferences, type PreferencesOwner, type ShownPreferences } from './preferences/load.ts'
import { renderPreferences } from './preferences/render.ts'
import { savePreferences } from './preferences/save.ts'

/** Only displays a form, so clients that follow links change nothing. */
export const show = route({
  ...sharedRouteOptions,
  method: 'GET',
  path: '/preferences/{token}',
  summary: 'Show the preference page',
  query: z.object({ saved: z.string().optional() }),
  async handle({ ctx, db, params: { token }, query, services }) {
    const owner = await findOwner(db, services, token, 'page')
    const shown = await loadPreferences(db, owner)
    sendPage(ctx, renderPreferences(owner, shown, query.saved !== undefined))
  },
})

export const submit = route({
  ...sharedRouteOptions,
  method: 'POST',
  path: '/preferences/{token}',
  summary: 'Save the preference page',
  alsoTakes: { 'application/x-www-form-urlencoded': readPreferencesForm },
  bodyLimit: 64 * 1024,
  body: PreferencesForm,
  async handle({ ctx, db, params: { token }, body, services }) {
    const owner = await findOwner(db, services, token, 'page')
    const shown = await loadPreferences(db, owner)
    await savePreferences(db, owner, shown, toChanges(shown, body))
    ctx.redirect(`/send/v1/preferences/${token}?saved`)
    ctx.status = 303
  },
})

function toChanges(
  shown: ShownPreferences,
  { what, offered, topic, types, channel }: z.output<typeof PreferencesForm>,
) {
  const [seen, chosen, ticked] = [new Set(types), new Set(topic), new Set(channel)]
  if (what === 'all') return { topics: {}, notifications: [], unsubscribeAll: true }
  return {
    // Only what the page offered can change, because a topic may have been added since.
    topics: Object.fromEntries(
      offered.map((key) => [key, chosen.has(key) ? ('subscribed' as const) : ('unsubscribed' as const)]),
    ),
    notifications: shown.notifications
      .filter((one) => seen.has(nameOfType(one)))
      .map((one) => ({
        product_key: one.product_key,
        type: one.type,
        channels: Channel.options.filter((name) => ticked.has(nameOfChannel(nameOfType(one), name))),
      })),
    unsubscribeAll: false,
  }
}

const Preferences = z
  .object({
    organisation: z.string(),
    email: z.string().describe('Masked email address'),
    status: ContactStatus.nullable().describe('Consent state. `null` if the address is not a contact.'),
    topics: z.array(
      z.object({ key: z.string(), name: z.string(), description: z.string().nullable(), state: TopicState }),
    ),
    notifications: z
      .array(z.object({ product_key: z.string(), type: z.string(), channels: z.array(Channel) }))
      .describe('Channels by product and event type. Empty without a person in the notify area.'),
  })
  .meta({ id: 'email.Preferences' })

const present = (
  { address, contact }: PreferencesOwner,
  { publisher, topics, notifications }: ShownPreferences,
): z.input<typeof Preferences> => ({
  organisation: publisher?.name ?? '',
  email: maskAddress(address),
  status: contact?.status ?? null,
  topics: [...topics],
  notifications: notifications.map(({ product_key, type, channels }) => ({ product_key, type, channels })),
})

/** Settings of the routes for web pages. The preferences token (`Authorization: Bearer …`) selects the contact. */
const ofPage = {
  public: true,
  cors: true,
  limit: { perMinute: 120, by: 'ip' },
  status: 200,
  reply: Preferences,
  problems: ['unauthorized', 'not_found'],
} as const

const ownerOf = (db: DatabasePool, services: Services, authorization: string | undefined) =>
  findOwner(db, services, readBearerToken(authorization, 'preferences'), 'token')

export const read = route({
  ...ofPage,
  method: 'GET',
  path: '/preferences',
  summary: 'Read preferences with a token',
  description:
    'For web pages. Send the token from `POST /send/v1/contacts/{email}/preferences-tokens` as `Authorization: Bearer …`.',
  async handle({ db, header, services }) {
    const owner = await ownerOf(db, services, header('authorization'))
    return present(owner, await loadPreferences(db, owner))
  },
})

export const update = route({
  ...ofPage,
  method: 'PATCH',
  path: '/preferences',
  summary: 'Change preferences with a token',
  description:
    'For web pages. Changes the given topics and notifications. Topics and event types that the contact cannot see are ignored.',
  body: PreferencesBody,
  async handle({ db, body, header, services }) {
    const owner = await ownerOf(db, services, header('authorization'))
    const { topics = {}, notifications = [], unsubscribe_all = false } = body
    const changes = { topics, notifications, unsubscribeAll: unsubscribe_all }
    await savePreferences(db, owner, await loadPreferences(db, owner), changes)
    const after = await ownerOf(db, services, header('authorization'))
    return present(after, await loadPreferences(db, after))
  },
})
