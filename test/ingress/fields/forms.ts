import type { Walked } from '../../support/extremes.ts'
import { uniqueText } from './samples.ts'

type Fields = Record<string, unknown>

/** What the schema of a form does not show. */
export interface Form {
  /** Values of fields that have a form of their own, or that belong together. */
  values?: (made: Made) => Fields
  /** Fields that the first body does not have, with the reason. */
  apart?: Readonly<Record<string, string>>
  /** Further whole bodies, for fields that exclude others. */
  also?: readonly ((made: Made) => Fields)[]
  /** Parameters of the path that are not the ID of what was made before. */
  params?: Readonly<Record<string, (made: Made) => string>>
  /** The paths that show what was written, if no operation at the same path does. */
  read?: (made: Made) => string | readonly string[]
  /** Fields that no read shows, with the reason. */
  unshown?: Readonly<Record<string, string>>
  /** Fields that test messages do not show, with the reason. */
  untested?: Readonly<Record<string, string>>
  /** Fields whose values an archive does not have, with the reason. */
  unexported?: Readonly<Record<string, string>>
}

/** Returns a field of what was made at a path. */
export type Made = (path: string, field?: string) => string

/** What fields name that are IDs of something made before, by the path where it is made. */
export const references: Readonly<Record<string, readonly string[]>> = {
  app_id: ['/push/v1/apps'],
  template_id: ['/push/v1/templates', '/send/v1/templates'],
  segment_id: ['/send/v1/segments'],
  site_id: ['/v1/guard/sites'],
  key_id: ['/v1/account/keys'],
  source_id: ['/v1/wiki/sources'],
  entity_id: ['/v1/wiki/entities'],
}

/** Fields that no operation stores, with the reason. */
export const unstored: Readonly<Record<string, string>> = {
  idempotency_key: 'Stored with the reply for a day.',
  idempotencyKey: 'Stored with the reply for a day.',
  browser: 'Signed into the upload token.',
  base_version: 'Compared with the present version.',
}

const people = () => `${uniqueText()}@people.example`
const phone = () => `+37253${uniqueText().slice(1).padStart(6, '0')}`
const sender = () => `${uniqueText()}@shop.example`
const page = () => `https://www.example.org/${uniqueText()}`
const only = (name: string) => `For another type of ${name}.`
const fieldsOf = (names: string, reason: string) => Object.fromEntries(names.split(' ').map((name) => [name, reason]))

/** The number of a person who has just written. The test adds the conversation. */
export const reachable = '+37253999999'

/** The number that callers see. The test adds it. */
export const ownNumber = '+3726000001'

/** The alias of a layout. The test adds it. */
export const ownLayout = 'own-layout'

const asMjml = { mjml: 'Instead of HTML.' }
const mjml = () =>
  `<mjml><mj-body><mj-section><mj-column><mj-text>${uniqueText()}</mj-text></mj-column></mj-section></mj-body></mjml>`

const message = () => ({
  stream: 'transactional',
  from: { email: sender(), name: uniqueText() },
  to: people(),
  cc: [people()],
  bcc: [people()],
  subject: uniqueText(),
  text: uniqueText(),
  html: `<p>${uniqueText()}</p>`,
  reply_to: people(),
  headers: { 'x-order': uniqueText() },
  attachments: [
    { filename: `${uniqueText()}.txt`, content_type: 'text/plain', content: 'eA==', content_id: uniqueText() },
  ],
})
const contentOfMail = fieldsOf('text html reply_to headers attachments', 'Reads do not show the content.')
const conditions = () => ({
  conditions: [{ field: 'tag', op: 'has', value: uniqueText() }],
  groups: [{ match: 'all', conditions: [{ field: `attributes.${uniqueText()}`, op: 'eq', value: uniqueText() }] }],
})
const topicOf = (made: Made) => made('/send/v1/topics', 'key')
const campaign = (made: Made) => ({ from_email: sender(), html: `<p>${uniqueText()}</p>`, topic: topicOf(made) })
const signUpForm: Form = {
  values: (made) => ({
    from_email: sender(),
    topics: [topicOf(made)],
    guard_site_id: made('/v1/guard/sites'),
    success_url: page(),
  }),
}
const listOf = (row: () => Fields): Form => ({
  values: () => ({ rows: [{ email: people(), ...row() }] }),
  unshown: { rows: 'A task reads the rows.' },
})
const labels = () => ({
  labels: { et: uniqueText() },
  descriptions: { et: uniqueText() },
  aliases: { et: [uniqueText()] },
  external_ids: { isni: uniqueText() },
})
const cues = () => `WEBVTT\n\n00:00.000 --> 00:01.000\n${uniqueText()}\n`
const captions = () => [{ language: 'et', text: cues(), name: uniqueText(), default: true }]
const videoForm = (read: NonNullable<Form['read']>): Form => ({
  apart: { watermark: 'Needs an image, which a worker checks.' },
  unshown: { text: 'Reads link to the captions.' },
  values: () => ({ captions: captions() }),
  read,
})
const rtmp = () => ({ url: `rtmp://live.example.com/${uniqueText()}` })
const sealed = { streamKey: 'Secret.' }
const pushText = () => ({
  locales: { et: { title: uniqueText(), body: uniqueText(), data: { [uniqueText()]: uniqueText() } } },
})
const expiry = { expiresInSeconds: 'A time, as `expires_at`.' }
const viewer: Form = {
  apart: { host: 'Must be the host of the API or a verified domain.' },
  values: () => ({ allowedCountries: ['EE'], blockedCountries: ['FI'] }),
  read: () => '/v1/stream/playback-sessions?limit=100',
  unshown: expiry,
  unexported: expiry,
}
const action = () => ({
  parameters: {
    type: 'object',
    properties: { [uniqueText()]: { type: 'string', description: uniqueText() } },
    required: [],
  },
})
const bot: Form = {
  apart: fieldsOf('template template_version', 'Instead of a prompt.'),
  values() {
    const name = uniqueText()
    return { system_prompt: `Help {{${name}}}.`, variables: { [name]: uniqueText() } }
  },
  read: () => '/v1/bots',
  unshown: { system_prompt: 'Reads show its length.' },
}
const personOf = (made: Made) => ({
  email: people(),
  phone: phone(),
  push: { app_id: made('/push/v1/apps'), user_id: uniqueText() },
  connection_ids: [made('/v1/notify/connections')],
})
/** The person of the directory that was made before. */
const known = (made: Made) => made('/v1/notify/people', 'user_id')
const optOut = { opted_out: 'A time, as `opted_out_at`.' }
const playlist: Form = {
  values: (made) => ({ videos: [made('/v1/streaming/videos', 'uuid')] }),
  unshown: { videos: 'Reads show published videos.' },
}
const order = { position: 'The order of `videos`.' }
const captionsOf = (made: Made) => `/v1/stream/assets/${made('/v1/stream/assets')}`
const article = (made: Made) => {
  const path = `/v1/wiki/admin/articles/${made('/v1/wiki/articles')}`
  return ['/v1/wiki/admin/articles', `${path}/versions`, `${path}/export`]
}

export const forms: Readonly<Record<string, Form>> = {
  'account.keys.create': {
    apart: { public: 'Public keys have other scopes and origins.', mode: 'Test keys have no locks.' },
    values: () => ({
      scopes: ['email:send'],
      networks: ['192.0.2.4/32'],
      locks: { from_domains: [`${uniqueText()}.example`] },
    }),
    also: [() => ({ name: uniqueText(), scopes: ['email:send'], mode: 'test' })],
  },
  'account.keys.update': { values: () => ({ networks: ['192.0.2.5/32'] }) },
  'account.invitations.create': { values: () => ({ role: 'viewer' }) },
  'account.webhooks.create': { values: () => ({ types: ['email.bounced'], mode: 'test' }) },
  'account.webhooks.update': { values: () => ({ types: ['email.complained'], mode: 'test' }) },
  'account.budgets.put': {
    params: { metric: () => 'push.messages' },
    values: () => ({ soft: 900_000, hard: 1_000_000 }),
  },
  'bots.bots.create': bot,
  'bots.bots.update': bot,
  'bots.actions.create': { values: action },
  'bots.actions.update': { values: action },
  'bots.sources.create': { apart: { object_id: 'Instead of a URL.' } },
  'bots.documents.create': { unshown: { text: 'The list does not show long texts.' } },
  'directory.playlists.create': playlist,
  'directory.playlists.update': playlist,
  'email.contacts.update': { unshown: { remove_tags: 'Removes.' }, unexported: { remove_tags: 'Removes.' } },
  'email.contact-imports.create': {
    values: () => ({
      contacts: [
        {
          email: people(),
          name: uniqueText(),
          attributes: { x: uniqueText() },
          tags: [uniqueText()],
          user_id: uniqueText(),
        },
      ],
    }),
    read: () => '/send/v1/contacts?limit=100',
  },
  'directory.playlist-videos.put': { values: () => ({ position: 1 }), unshown: order, unexported: order },
  'email.segments.create': { values: conditions },
  'email.segments.update': { values: conditions },
  'email.domains.update': {
    values: (made) => ({ tracking_host: `links.${made('/send/v1/domains', 'domain')}` }),
  },
  'email.inbound-routes.create': { values: () => ({ address: `${uniqueText()}@shop.example` }) },
  'email.campaigns.create': { values: campaign },
  'email.campaigns.update': { values: campaign },
  'email.campaigns.test': { apart: { contact: 'Fills the text for a contact.' }, values: () => ({ to: [people()] }) },
  // Messages to people who have not chosen are sent.
  'email.topics.create': { values: () => ({ default_state: 'subscribed' }) },
  'email.topics.update': { values: () => ({ default_state: 'subscribed' }) },
  'email.forms.create': signUpForm,
  'email.forms.update': signUpForm,
  'email.contact-topics.set': {
    values: (made) => ({ topics: { [topicOf(made)]: 'unsubscribed' } }),
    read: () => '/send/v1/contacts?limit=100',
  },
  'email.suppressions.imported': listOf(() => ({ reason: 'bounce', detail: uniqueText() })),
  'email.consents.create': listOf(() => ({
    ...{ source: uniqueText(), given_at: '2025-05-03T09:12:00Z', ip: '192.0.2.7', text_version: uniqueText() },
    ...{ name: uniqueText(), topics: uniqueText() },
  })),
  'email.messages.create': {
    apart: {
      ...fieldsOf('template_id template', 'Instead of a subject and texts.'),
      variables: 'For a template.',
      topic: 'Not together with copies.',
    },
    values: message,
    unshown: { ...contentOfMail, template: 'Shown as `template_id`.' },
    unexported: { template: 'Stored as `template_id`.' },
    also: [
      (made) => ({
        stream: 'transactional',
        from: { email: sender() },
        to: people(),
        template_id: made('/send/v1/templates'),
        topic: topicOf(made),
      }),
      (made) => ({
        stream: 'transactional',
        from: { email: sender() },
        to: people(),
        template: made('/send/v1/templates', 'alias'),
      }),
    ],
  },
  'email.templates.create': {
    apart: asMjml,
    also: [() => ({ name: uniqueText(), subject: uniqueText(), alias: uniqueText(), mjml: mjml() })],
  },
  'email.templates.update': { apart: asMjml, also: [() => ({ mjml: mjml() })] },
  'email.template-drafts.update': {
    apart: asMjml,
    also: [() => ({ mjml: mjml() })],
    unexported: { html: 'The second body replaces it.' },
  },
  'email.message-batches.create': {
    values: () => ({ messages: [{ ...message(), headers: undefined, attachments: undefined }] }),
    unshown: contentOfMail,
    read: () => '/send/v1/messages?limit=100',
  },
  'files.uploads.start': {
    values: () => ({ content_type: 'text/plain' }),
    unshown: { checksum_sha256: 'Shown as `sha256` once it was uploaded.' },
    read: (made) => `/v1/files/objects/${made('/v1/files/uploads', 'object_id')}`,
  },
  'notify.connections.create': {
    values: () => ({ kind: 'url', url: page() }),
    unshown: { url: 'The URL gives access. Reads show its host.' },
    unexported: { url: 'Encrypted.' },
  },
  'notify.connections.update': {
    values: () => ({ url: page() }),
    unshown: { url: 'The URL gives access. Reads show its host.' },
    unexported: { url: 'Encrypted.' },
  },
  'notify.events.create': {
    unshown: fieldsOf('email push', 'Copies show no addresses.'),
    values: (made) => ({ channels: ['in_app', 'email', 'push'], push: { app_id: made('/push/v1/apps') } }),
    read: (made) => `/v1/notify/events/${made('/v1/notify/events')}`,
  },
  'notify.preferences.put': {
    values: () => ({ user_id: 'ann' }),
    read: () => '/v1/notify/preferences?user_id=ann',
    unexported: { user_id: 'A UUID, derived from it.' },
  },
  'notify.people.put': { params: { user_id: () => 'ann' }, values: personOf },
  'notify.people.putMany': {
    values: (made) => ({
      people: [
        {
          user_id: uniqueText(),
          name: uniqueText(),
          ...personOf(made),
          locale: 'et',
          time_zone: 'Europe/Tallinn',
          data: { x: uniqueText() },
        },
      ],
    }),
    read: () => '/v1/notify/people?limit=100',
  },
  'notify.texts.put': { values: (made) => ({ template_id: made('/send/v1/templates') }) },
  'notify.brands.put': { values: () => ({ layout_id: ownLayout }) },
  'notify.workflows.put': {
    params: { key: () => 'orders' },
    values: () => ({ steps: [{ type: 'channel', channel: 'in_app' }] }),
  },
  'notify.broadcasts.create': {
    values: () => ({ recipients: ['ann'], channels: ['in_app'] }),
    apart: { topic: 'Instead of `recipients`.', all: 'Instead of `recipients`.' },
    unshown: { recipients: 'The list of people shows each of them.' },
    unexported: { recipients: 'The list of people has each of them.' },
    read: (made) => {
      const path = `/v1/notify/broadcasts/${made('/v1/notify/broadcasts')}`
      return [path, `${path}/people`]
    },
  },
  'notify.topics.put': { params: { key: () => 'news' } },
  'notify.topic-people.add': { params: { key: () => 'news' } },
  'people.consent.put': {
    apart: { push: 'Needs a device.' },
    unshown: fieldsOf('email whatsapp', 'A state, with its channel.'),
    unexported: fieldsOf('email whatsapp', 'A state, with its channel.'),
    params: { user_id: known },
    values: () => ({ email: 'granted', whatsapp: 'granted', given_at: '2026-01-02T03:04:05.000Z' }),
    read: (made) => [`/v1/people/${known(made)}/consent`, `/v1/people/${known(made)}/consent/changes`],
  },
  'people.erasures.create': {
    params: { user_id: known },
    read: (made) => `/v1/people/erasures/${made('/v1/people/{user_id}/erase')}`,
  },
  'push.templates.create': { values: pushText },
  'push.templates.update': {
    values: () => ({ ...pushText(), version: 1 }),
    unshown: { version: 'Compared with the present version.' },
  },
  'push.credentials.put': { params: { provider: () => 'webpush' }, values: () => ({ subject: `mailto:${people()}` }) },
  'push.installations.create': {
    apart: { ...fieldsOf('subscription device_id', only('provider')), previous_token: 'Replaces a device.' },
    values: () => ({ push_provider: 'apns', token: 'ab'.repeat(32) }),
    unshown: { token: 'Secret of the device.' },
    unexported: { token: 'Secret of the device.' },
    also: [
      (made) => ({
        app_id: made('/push/v1/apps'),
        user_id: uniqueText(),
        push_provider: 'sse',
        device_id: uniqueText(),
      }),
    ],
  },
  'push.messages.create': {
    apart: {
      ...fieldsOf('template_id variables', 'Instead of texts.'),
      ...fieldsOf('rate quiet_hours', 'For a message to many users.'),
    },
    values: () => ({ target: { type: 'user', id: uniqueText() }, image: page() }),
    unshown: {
      ...fieldsOf(
        'title body data image actions badge sound ios android web overrides',
        'Reads do not show the content.',
      ),
      ttl: 'Shown as `expires_at`.',
    },
    unexported: { ttl: 'Exported as `expires_at`.' },
    untested: { send_at: 'Test messages are sent immediately.' },
    also: [
      (made) => ({
        app_id: made('/push/v1/apps'),
        target: { type: 'all' },
        rate: 70,
        quiet_hours: { from: '22:00', to: '07:00', time_zone: 'Europe/Tallinn' },
        title: uniqueText(),
      }),
      (made) => ({
        app_id: made('/push/v1/apps'),
        target: { type: 'user', id: uniqueText() },
        template_id: made('/push/v1/templates'),
      }),
    ],
  },
  'video.uploads.start': videoForm((made) => `/v1/stream/assets/${made('/v1/stream/uploads', 'assetId')}`),
  'video.imports.start': videoForm((made) => `/v1/stream/assets/${made('/v1/stream/imports', 'assetId')}`),
  'video.assets.setVisibility': { apart: { visibility: 'Writes to the object store.' } },
  'video.captions.create': { values: () => ({ language: 'en' }), read: captionsOf },
  'video.captions.put': {
    unshown: { text: 'Reads link to the captions.' },
    params: { language: () => 'et' },
    values: () => ({ text: cues() }),
    read: captionsOf,
  },
  'video.captions.change': { params: { language: () => 'et' }, read: captionsOf },
  'video.playback-sessions.mint': viewer,
  'live.playback-sessions.mint': viewer,
  'live.restreams.create': { values: rtmp, unshown: sealed, unexported: sealed },
  'live.restreams.update': { values: rtmp, unshown: sealed, unexported: sealed },
  'rooms.restreams.create': { values: rtmp, unshown: sealed, unexported: sealed },
  'rooms.restreams.update': { values: rtmp, unshown: sealed, unexported: sealed },
  'verify.codes.start': {
    values: () => ({ channel: 'email', channels: ['email'], to: people(), ip: '192.0.2.5' }),
    apart: { guard_token: 'Needs a token of a form.' },
    read: (made) => `/v1/verify/${made('/v1/verify/start')}`,
    unshown: { to: 'Reads show it partly masked.' },
  },
  'verify.settings.update': {
    values: () => ({
      from_email: sender(),
      countries: ['EE'],
      country_budgets: { EE: 7 },
      guard_required: false,
    }),
    read: () => '/v1/verify/settings',
  },
  'verify.prefixes.set': {
    params: { prefix: () => '+3725123' },
    read: () => '/v1/verify/prefixes',
    unshown: { hours: 'Reads show the time of the end.' },
    unexported: { hours: 'A time, as `ends_at`.' },
  },
  'voice.click-to-call.create': {
    values: () => ({ from: phone(), to: phone(), caller_id: ownNumber }),
    read: (made) => `/v1/voice/calls/${made('/v1/voice/click-to-call')}`,
  },
  'push.users.create': { unshown: optOut, unexported: optOut },
  'whatsapp.recipients.put': { params: { phone: () => '+37253111222' }, values: () => ({ consent: 'granted' }) },
  'sms.providers.create': {
    apart: fieldsOf('vonage http', only('connection')),
    values: () => ({
      kind: 'twilio',
      from: ownNumber,
      default: true,
      twilio: { account_sid: `AC${'1'.repeat(32)}`, auth_token: uniqueText() },
    }),
    unshown: fieldsOf('twilio vonage', 'Shown as `settings`, without the secrets.'),
    unexported: { ...fieldsOf('twilio vonage', 'Secrets are encrypted.'), from: 'Exported as `sender`.' },
    also: [
      () => ({
        ...{ name: uniqueText(), kind: 'vonage', from: ownNumber },
        vonage: { api_key: uniqueText(), api_secret: uniqueText(), signature_secret: uniqueText() },
      }),
      () => ({
        ...{ name: uniqueText(), kind: 'http', from: ownNumber },
        http: { url: page(), body: { x: '{{to}} {{text}}' } },
      }),
    ],
  },
  'sms.providers.update': {
    apart: fieldsOf('twilio vonage http', 'Replaces the settings of one kind.'),
    values: () => ({ from: ownNumber, default: true }),
    unexported: { from: 'Exported as `sender`.' },
  },
  'sms.messages.create': {
    values: (made) => ({ to: phone(), from: ownNumber, sensitive: false, provider_id: made('/v1/sms/providers') }),
    unexported: { from: 'Exported as `sender`.', sensitive: 'Exported as `is_sensitive`.' },
    untested: { provider_id: 'Test messages need no provider.' },
    read: (made) => `/v1/sms/messages/${made('/v1/sms/messages')}`,
  },
  'sms.settings.put': { values: () => ({ countries: ['EE'] }) },
  'sms.opt-outs.create': {
    values: () => ({ phone: '+37253888888', from: ownNumber }),
    unexported: { from: 'Exported as `sender`.' },
    read: () => '/v1/sms/opt-outs?limit=100',
  },
  'whatsapp.messages.send': {
    apart: fieldsOf('image video document audio sticker location interactive reaction', only('message')),
    unshown: { fallback_template: 'Shown once it was sent.' },
    values: () => ({ to: reachable, fallback_template: { name: uniqueText(), language: { code: 'en' } } }),
    read: (made) => `/v1/whatsapp/messages/${made('/v1/whatsapp/send')}`,
  },
  'whatsapp.messages.sendTemplate': {
    values: () => ({ to: phone(), template: { name: uniqueText(), language: { code: 'en' } } }),
    read: (made) => `/v1/whatsapp/messages/${made('/v1/whatsapp/send-template')}`,
  },
  'wiki.entities.create': { values: labels },
  'wiki.entities.update': { values: labels },
  'wiki.articles.create': { read: article },
  'wiki.articles.update': {
    apart: { status: 'Publishing needs evidence.', reason: 'For a withdrawal.' },
    params: { slug: (made) => made('/v1/wiki/articles') },
    values: () => ({ base_version: 1 }),
    read: article,
  },
  'wiki.tree.put': { values: () => ({ parent_id: null }) },
  'wiki.claims.create': {
    apart: { references: 'Needs a snapshot, which a worker takes.' },
    values: (made) => ({ rank: 'deprecated', article_ids: [made('/v1/wiki/articles')] }),
  },
  'wiki.claims.update': { values: (made) => ({ rank: 'deprecated', article_ids: [made('/v1/wiki/articles')] }) },
}

const [computes, acts, inPages, engine] = [
  'Computes its reply and stores nothing.',
  'Acts on what was made before. The form selects it.',
  'Called by web pages, with what they have.',
  'Needs a file or an engine.',
]

/** Operations that are not walked, with the reason. */
export const notWalked: readonly [RegExp, string][] = [
  [
    /\.(rotate\w*|replaySince|refresh|retry|revoke\w*|read|readAll|mark|subscribe|unsubscribe|close|giveBack|end)$/,
    acts,
  ],
  [
    /^(notify\.(marks\.create|topic-people\.remove)|files\.rescans\.request|push\.installations\.claim|account\.requests\.open)$/,
    acts,
  ],
  [/\.(preview|verify|downloadUrl|sign|batch|check|createToken|issue)$/, computes],
  [/^(email\.(verify|preferences-tokens)|account\.key-checks|trust\.check-urls?|push\.user-tokens)\./, computes],
  [
    /^(guard\.(assess|challenges|answers)|push\.(browser|receipts)|video\.beacons|bots\.visitors|email\.preferences)\./,
    inPages,
  ],
  [/^verify\.(codes\.resend|erasures\.create)$/, acts],
  [/^(email\.verify|account\.key-checks|trust\.check-urls?|push\.user-tokens)\./, computes],
  [/^notify\.event-batches\./, 'Stores each event as `notify.events.create` does.'],
  [/^(guard\.(assess|challenges|answers)|push\.(browser|receipts)|video\.beacons|bots\.visitors)\./, inPages],
  [
    /^(account\.members|wiki\.(reviews\.create|article-versions|transfer|claims\.addReference)|identity\.|files\.uploads\.complete|files\.versions|rooms\.(participants|broadcasts)|email\.reconfirmations|video\.mp4s|bots\.(handovers|questions))/,
    engine,
  ],
]

/** Chat messages go through a worker only to settle. */
const settled = /^whatsapp\.messages\./

export const isWalked = ({ id, body, method, waits }: Walked): boolean =>
  body !== undefined &&
  method !== 'GET' &&
  (!waits || settled.test(id)) &&
  !notWalked.some(([pattern]) => pattern.test(id))
