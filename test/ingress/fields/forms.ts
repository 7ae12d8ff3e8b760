import { botForms } from './bot-forms.ts'
import { emailForms } from './email-forms.ts'
import { eventForms } from './event-forms.ts'
import { type Form, fieldsOf, type Made, order, ownLayout, ownNumber, page, people, reachable, sender } from './form.ts'
import { uniqueText } from './samples.ts'

const phone = () => `+37253${uniqueText().slice(1).padStart(6, '0')}`
const only = (name: string) => `For another type of ${name}.`
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
const uploadToken: Form = {
  values: () => ({ content_types: ['image/png'] }),
  unshown: { expires_in: 'A time, as `expires_at`.' },
  unexported: { expires_in: 'A time, as `expires_at`.' },
}
const rtmp = () => ({ url: `rtmp://live.example.com/${uniqueText()}` })
const sealed = { streamKey: 'Secret.' }
const pushText = () => ({
  locales: { et: { title: uniqueText(), body: uniqueText(), data: { [uniqueText()]: uniqueText() } } },
})
const expiry = { expiresInSeconds: 'A time, as `expires_at`.' }
const ban = { seconds: 'A time, as `bannedUntil`.', deleteMessages: 'Deletes what was written.' }
const viewer: Form = {
  apart: { host: 'Must be the host of the API or a verified domain.' },
  values: () => ({ allowedCountries: ['EE'], blockedCountries: ['FI'] }),
  read: () => '/v1/stream/playback-sessions?limit=100',
  unshown: expiry,
  unexported: expiry,
}
const personOf = (made: Made) => ({
  email: people(),
  phone: phone(),
  push: { app_id: made('/push/v1/apps'), user_id: uniqueText() },
  connection_ids: [made('/v1/notify/connections')],
})
/** The person of the directory that was made before. */
const known = (made: Made) => made('/v1/notify/people', 'user_id')
const expiresIn = 'A time, as `expires_at`.'
const bucketKeys = { region: 'eu-test-1', access_key_id: 'AKIDEXAMPLE', secret_access_key: 'secret' }
const bucket: Form = {
  values: () => bucketKeys,
  unshown: { secret_access_key: 'Reads never show it.' },
  unexported: { secret_access_key: 'Encrypted.' },
}
const optOut = { opted_out: 'A time, as `opted_out_at`.' }
const chunking = { chunking_strategy: 'Always the default.' }
const expiresAfter = {
  expires_after: 'Days, as `expires_days`.',
  anchor: 'Always `last_active_at`.',
  days: 'As `expires_days`.',
}
const playlist: Form = {
  values: (made) => ({ videos: [made('/v1/streaming/videos', 'uuid')] }),
  unshown: { videos: 'Reads show published videos.' },
}
const captionsOf = (made: Made) => `/v1/stream/assets/${made('/v1/stream/assets')}`
const article = (made: Made) => {
  const path = `/v1/wiki/admin/articles/${made('/v1/wiki/articles')}`
  return ['/v1/wiki/admin/articles', `${path}/versions`, `${path}/export`]
}

export const forms: Readonly<Record<string, Form>> = {
  ...botForms,
  ...emailForms,
  ...eventForms,
  'account.keys.create': {
    apart: { public: 'Public keys have other scopes and origins.', mode: 'Test keys have no locks.' },
    values: () => ({
      scopes: ['email:send'],
      networks: ['192.0.2.4/32'],
      ai: { models: [uniqueText()], budget: { currency: 'USD', monthly: '7', daily: '3' } },
      locks: { from_domains: [`${uniqueText()}.example`] },
    }),
    also: [() => ({ name: uniqueText(), scopes: ['email:send'], mode: 'test' })],
  },
  'account.keys.update': {
    values: () => ({
      networks: ['192.0.2.5/32'],
      ai: { models: [uniqueText()], budget: { currency: 'EUR', monthly: '8', daily: '4' } },
    }),
  },
  'account.invitations.create': { values: () => ({ role: 'viewer' }) },
  'account.streams.create': {
    apart: fieldsOf('s3 otlp syslog', only('stream')),
    values: () => ({
      kind: 'splunk',
      sources: ['events'],
      event_types: ['email.bounced'],
      request_classes: [4],
      splunk: { url: 'https://splunk.example.com', token: uniqueText(), index: 'main', sourcetype: 'json' },
    }),
    unshown: fieldsOf('splunk', 'Shown as `settings`, without the secrets.'),
    unexported: fieldsOf('splunk', 'Secrets are encrypted.'),
  },
  'account.streams.update': {
    apart: fieldsOf('s3 otlp syslog splunk', 'Replaces the settings of one kind.'),
    values: () => ({ sources: ['requests'], event_types: ['email.complained'], request_classes: [5] }),
  },
  'account.webhooks.create': { values: () => ({ types: ['email.bounced'], mode: 'test' }) },
  'account.webhooks.update': { values: () => ({ types: ['email.complained'], mode: 'test' }) },
  'account.budgets.put': {
    params: { metric: () => 'push.messages' },
    values: () => ({ soft: 900_000, hard: 1_000_000 }),
  },
  'ai.vector-stores.create': {
    apart: { file_ids: 'Files must be stored first.' },
    unshown: chunking,
    unexported: { ...chunking, ...expiresAfter },
  },
  'ai.vector-stores.update': { unexported: expiresAfter },
  'directory.playlists.create': playlist,
  'directory.playlists.update': playlist,
  'directory.playlist-videos.put': { values: () => ({ position: 1 }), unshown: order, unexported: order },
  'files.image-presets.put': { params: { name: () => 'card' }, values: () => ({ background: 'ffffff' }) },
  'files.multipart.start': {
    values: () => ({ content_type: 'text/plain' }),
    apart: { expires_at: 'Instead of `expires_in`.' },
    unshown: { checksum_sha256: 'Shown as `sha256` once it was uploaded.', expires_in: expiresIn },
    unexported: { expires_in: 'Exported as `expires_at`.' },
    read: (made) => `/v1/files/objects/${made('/v1/files/uploads/multipart', 'object_id')}`,
  },
  'files.upload-tokens.create': uploadToken,
  'video.upload-tokens.create': uploadToken,
  'files.uploads.start': {
    values: () => ({ content_type: 'text/plain', folder: uniqueText() }),
    apart: { expires_at: 'Instead of `expires_in`.' },
    unshown: { checksum_sha256: 'Shown as `sha256` once it was uploaded.', expires_in: expiresIn },
    unexported: { expires_in: 'Exported as `expires_at`.' },
    read: (made) => `/v1/files/objects/${made('/v1/files/uploads', 'object_id')}`,
  },
  'files.objects.update': {
    values: () => ({ folder: uniqueText(), visibility: 'signed' }),
    apart: { expires_at: 'Instead of `expires_in`.', tenant_id: 'Selects the object.' },
    params: { id: (made) => made('/v1/files/uploads', 'object_id') },
    unshown: { expires_in: expiresIn },
    unexported: { expires_in: 'Exported as `expires_at`.' },
    read: (made) => `/v1/files/objects/${made('/v1/files/uploads', 'object_id')}`,
  },
  'files.buckets.create': {
    ...bucket,
    values: () => ({ ...bucketKeys, endpoint: 'https://s3.example.com', bucket: 'uploads' }),
  },
  'files.buckets.update': bucket,
  'files.bucket-scans.request': {
    values: (made) => ({ bucket_id: made('/v1/files/buckets') }),
    read: (made) => `/v1/files/bucket-scans/${made('/v1/files/bucket-scans', 'scan_id')}`,
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
    unshown: fieldsOf('email whatsapp sms', 'A state, with its channel.'),
    unexported: fieldsOf('email whatsapp sms', 'A state, with its channel.'),
    params: { user_id: known },
    values: () => ({ email: 'granted', whatsapp: 'granted', sms: 'granted', given_at: '2026-01-02T03:04:05.000Z' }),
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
  'video.playback-sessions.mint': {
    ...viewer,
    apart: { ...viewer.apart, ...fieldsOf('start end', 'Needs a video with a length.') },
  },
  'live.playback-sessions.mint': viewer,
  'live.chat-tokens.create': { unshown: expiry, unexported: expiry },
  'live.chat-bans.put': {
    params: { personId: (made) => made('/v1/stream/live/channels/{channelId}/chat/tokens', 'personId') },
    unshown: ban,
    unexported: ban,
  },
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
