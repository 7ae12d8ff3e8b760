import { newId } from '#lib/ids.ts'
import * as minutes from '#sql/account/usage/request-minutes.ts'
import * as requests from '#sql/account/usage/requests.ts'
import * as usage from '#sql/account/usage.ts'
import * as upstreams from '#sql/ai/upstreams.ts'
import * as languageUsage from '#sql/ai/usage.ts'
import { type DatabasePool, sql } from '#sql/db.ts'
import * as received from '#sql/email/received.ts'
import { everything } from '#sql/filters.ts'
import * as daily from '#sql/push/daily.ts'
import * as calls from '#sql/voice/calls.ts'
import * as deliveries from '#sql/webhooks/deliveries.ts'
import * as numbers from '#sql/whatsapp/business-numbers.ts'
import * as conversations from '#sql/whatsapp/conversations.ts'
import * as messages from '#sql/whatsapp/messages.ts'
import * as templates from '#sql/whatsapp/templates.ts'
import { walkRuns } from '#tasks/notify/rules/walk-runs.ts'
import { emitMany } from '#tasks/webhooks/rules/emit.ts'
import { madeUp } from '../support/emitted.ts'
import { handedIn } from '../support/handed-in.ts'
import { ask, testOrg } from '../support/ingress.ts'
import { addDomain } from '../support/mail-stack.ts'
import { addCustomerWebhooks } from './customer-webhooks.ts'
import { type SignedIn, signedIn, submit } from './fixture.ts'
import { addReceivedWebhooks } from './intake-facts.ts'
import { addJobs } from './job-facts.ts'
import { addKnowledge } from './knowledge-facts.ts'
import { addMedia } from './media-facts.ts'
import { addTextChannels } from './text-channels.ts'

/** A mail that came in, with a file that nobody has. */
async function addReceived(db: DatabasePool, of: { org_id: string; route_id: string }): Promise<void> {
  const network = { remote_address: '192.0.2.1', remote_network: '192.0.2.0/24', helo: 'mx.people.example' }
  const file = { object_id: null, filename: 'note.txt', content_type: 'text/plain', bytes: 6, content_id: null }
  const mail = { id: newId(), ...of, ...network, recipient: 'support@shop.example', sender: 'ann@people.example' }
  await db.transaction(async (tx) => {
    await received.insertArriving(tx, { ...mail, bytes: 600 })
    await received.markTaken(tx, mail, '0'.repeat(64))
    await received.setRead(tx, mail.id, {
      from_email: 'ann@people.example',
      from_name: 'Ann',
      to_emails: ['support@shop.example'],
      subject: 'A question',
      text: 'When?\n\n> It comes.',
      reply: 'When?',
      headers: [{ name: 'Subject', value: 'A question' }],
      attachments: [{ ...file, inline: false, refused: 'plan_limit_exceeded' }],
    })
  })
}

/** A WhatsApp number of an organisation with a template under review. */
async function addNumber(db: DatabasePool, orgId: string): Promise<void> {
  const number = { id: newId(), phone_number_id: '500000000001', account_id: '600000000001' }
  const sealed = { access_token: 'sealed', app_secret: 'sealed', verify_token: 'sealed' }
  await numbers.insert(db, { ...number, org_id: orgId, ...sealed })
  await numbers.connect(db, number.id, { displayPhone: '+1 555 0100', verifiedName: 'Shop' })
  const components = [
    { type: 'HEADER', format: 'TEXT', text: 'Your order' },
    { type: 'BODY', text: 'Order {{1}} is ready.', example: { body_text: [['1042']] } },
    { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Thank you' }] },
  ]
  const named = { name: 'order_ready', language: 'en', category: 'UTILITY', parameter_format: 'POSITIONAL' }
  const review = { provider_id: '700000000001', status: 'REJECTED', reason: 'INVALID_FORMAT' }
  await templates.replace(db, number.account_id, [
    { id: newId(), account_id: number.account_id, ...named, ...review, components },
  ])
}

/** An organisation that has something of everything the dashboard shows: an owner of it, and a page that no link leads to. */
export async function busyOrganisation(db: DatabasePool, url: string): Promise<{ owner: SignedIn; unlinked: string }> {
  const scopes = [
    'automation:write',
    'stream:write',
    'streaming:write',
    'account:keys',
    'account:read',
    'account:webhooks',
    'email:send',
    'email:manage',
    'push:manage',
    'push:send',
    'notify:write',
    'guard:manage',
    'verify:write',
    'bots:write',
    'wiki:write',
    'people:write',
    'sms:manage',
    'sms:send',
    'erp:write',
    'hooks:write',
    'jobs:write',
    'intake:write',
    'ai:write',
  ]
  const { org, keys } = await testOrg(db, [], {
    keys: { main: { prefix: 'bt_live_', scopes }, test: { prefix: 'bt_test_', scopes } },
  })
  const owner = await signedIn(db, url, org.id, 'owner')
  await signedIn(db, url, org.id, 'viewer')
  const made = async (request: string, body: unknown, key = keys.main) => {
    const reply = await ask(url, request, { key, body })
    if (reply.status >= 300) throw new Error(`${request} answers ${reply.status}: ${reply.text}`)
    return reply.body
  }
  const sent = async (path: string, fields: Record<string, string | readonly string[]>) => {
    const reply = await submit(url, path, owner, fields)
    if (reply.status >= 400) throw new Error(`${path} answers ${reply.status}: ${reply.text}`)
    return reply
  }
  await addDomain(db, org.id, 'shop.example')
  const splunk = { url: 'https://splunk.example.com', token: 'secret' }
  await made('POST /v1/account/streams', { name: 'Events', kind: 'splunk', sources: ['events'], splunk })
  const mail = { from: { email: 'a@shop.example' }, to: 'ann@people.example', subject: 'Hi', text: 'Hello, Ann' }
  await made('POST /send/v1/messages', { ...mail, stream: 'transactional' })
  await made('POST /send/v1/messages', { ...mail, stream: 'transactional' }, keys.test)
  await made('POST /send/v1/templates', { name: 'Order', subject: 'Order {{number}}', html: '<p>{{name}}</p>' })
  await made('POST /send/v1/contacts', { email: 'ann@people.example', consent_source: 'shop' })
  const tagged = { name: 'Regulars', conditions: [{ field: 'tag', op: 'has', value: 'regular' }] }
  const segment = await made('POST /send/v1/segments', tagged)
  const campaign = { name: 'News', subject: 'Hi {{contact.name|"you"}}', html: '<p>News', from_email: 'a@shop.example' }
  await made('POST /send/v1/campaigns', { ...campaign, segment_id: segment.id })
  await sent('/app/suppressions/new', { email: 'bob@people.example', detail: 'asked' })
  await made('POST /send/v1/topics', { key: 'news', name: 'News' })
  const form = { name: 'Footer', title: 'Newsletter', consent_text: 'Send me news.', from_email: 'a@shop.example' }
  await made('POST /send/v1/forms', { ...form, topics: ['news'] })
  await made('POST /send/v1/suppressions/import', { rows: [{ email: 'eve@people.example' }] })
  const inbound = await made('POST /send/v1/inbound-routes', { address: 'support@shop.example' })
  await addReceived(db, { org_id: org.id, route_id: inbound.id })

  const app = await made('POST /push/v1/apps', { name: 'Shop' })
  await made(`POST /push/v1/apps/${app.id}/public-keys`, { name: 'pages', origins: ['https://shop.example'] })
  const device = { app_id: app.id, user_id: 'user-17', push_provider: 'sse', platform: 'web' }
  const { id: installation } = await made('POST /push/v1/installations', device)
  const locales = { en: { title: 'Shipped', body: 'Order {{order}}' } }
  await made('POST /push/v1/templates', { name: 'shipped', default_locale: 'en', locales })
  const test = await sent(`/app/push/installations/${installation}/test`, { title: 'Hello', body: '' })
  if (test.status !== 303) throw new Error(`The test message answers ${test.status}.`)
  const pushed = { org_id: org.id, app_id: app.id, created_at: new Date(), provider: 'sse', platform: 'web' }
  await daily.count(db, [{ ...pushed, status: 'sent' }])

  await made('PUT /v1/notify/brands', {
    product_key: 'shop',
    name: 'The Shop',
    color: '#0b6e4f',
    footer: 'High Street 1',
  })
  await made('PUT /v1/notify/people/customer-17', { name: 'Ann', email: 'ann@people.example', locale: 'de-AT' })
  await made('PATCH /send/v1/contacts/ann@people.example', { user_id: 'customer-17' })
  await made('PUT /v1/notify/people/customer-9', { name: 'Bob' })
  await made('POST /v1/people/customer-9/erase', { reason: 'asked' })
  const steps = [
    { type: 'channel', channel: 'in_app' },
    { type: 'wait', minutes: 10, until: 'unread' },
    { type: 'channel', channel: 'email', conditions: [{ field: 'person.email', operator: 'not_empty' }] },
  ]
  const shipped = { name: 'Order shipped', product_key: 'shop', type: 'order.shipped', steps }
  await made('PUT /v1/notify/workflows/order-shipped', shipped)
  await made('POST /v1/notify/workflows/order-shipped/publish', undefined)
  await addTextChannels(made)
  await addCustomerWebhooks(made)
  const content = { product_key: 'shop', type: 'release.published', title: 'Version 2' }
  const told = { product_key: 'shop', type: 'order.shipped', subject_user_id: 'customer-17', title: 'On its way' }
  const { run_id } = await made('POST /v1/notify/events', told)
  await db.transaction((tx) => walkRuns(tx, [run_id]))

  const branched = [
    { type: 'throttle', runs: 3, minutes: 1_440 },
    { type: 'schedule', from: '09:00', to: '17:00', days: ['mon', 'fri'] },
    { type: 'fetch', name: 'order', url: 'https://shop.example.com/orders/{{data.order}}' },
    {
      type: 'branch',
      conditions: [{ field: 'fetch.order.status', operator: 'equal_to', value: 'late' }],
      steps: [{ type: 'channel', channel: 'email' }],
      else: [{ type: 'channel', channel: 'in_app' }],
    },
  ]
  await made('PUT /v1/notify/workflows/order-late', {
    ...shipped,
    name: 'Order late',
    type: 'order.late',
    steps: branched,
  })
  await made('POST /v1/notify/fetch-secret/rotate', {})
  await made('POST /v1/notify/workflows/order-late/publish', undefined)
  await made('PUT /v1/notify/topics/news', { name: 'News' })
  await made('PUT /v1/notify/topics/news/people', { user_ids: ['customer-17'] })
  await made('POST /v1/notify/broadcasts', { ...content, recipients: ['customer-17', 'customer-18'] })

  const bot = await made('POST /v1/bots', {
    name: 'Help desk',
    system_prompt: 'Help.',
    fallback: 'No idea.',
    handover: true,
  })
  await made(`POST /v1/bots/${bot.id}/sources`, { url: 'https://www.example.com/returns', refresh_hours: 24 })
  await addKnowledge(db, { bot_id: bot.id, org_id: org.id }, made)
  await made(`POST /v1/bots/${bot.id}/actions`, {
    name: 'order_status',
    description: 'Tells where an order is.',
    url: 'https://www.example.com/orders',
  })
  await made(`POST /v1/bots/${bot.id}/chat`, { message: 'Let me talk to a human' })
  await made('POST /v1/verify/start', { channel: 'email', to: 'ann@people.example', user_id: 'ann' })
  await made('PUT /v1/verify/prefixes/%2B3725123', { state: 'blocked', hours: 24 })
  const csv = 'email\nann@people.example\nno address\n'
  await made('POST /v1/moving/imports', { provider: 'postmark', part: 'suppressions', csv })
  await made('POST /v1/guard/sites', { name: 'Sign-up', origins: ['https://shop.example'] })
  await made('POST /v1/wiki/articles', { title: 'A draft', body: 'The bridge is red.' })
  const article = await made('POST /v1/wiki/articles', { title: 'The bridge', body: 'The bridge was opened in 1932.' })
  await db.query(sql.typeAlias('void')`
    update wiki.articles set status = 'published', published_version = 1 where id = ${article.id}`)
  await db.query(
    sql.typeAlias('void')`insert into erp.registers (name) values ('Made-up companies') on conflict do nothing`,
  )
  await db.query(sql.typeAlias('void')`
    insert into erp.companies (id, register, jurisdiction, code, name, name_norm, previous_names, status, activities)
    values (${newId()}, 'Made-up companies', 'xa', '10000000', 'Kestrel Energy AS', 'kestrel energy', '{}', 'active', '[]')
    on conflict do nothing`)
  await sent('/app/trust/watches/new', { url: 'https://partner.example/', note: '' })
  await sent('/app/trust/lists/new', { hostname: 'bad.example', policy: 'deny', note: '' })
  await made('POST /v1/streaming/playlists', { title: 'First rides' })
  const key = await made('POST /v1/account/keys', { name: 'server', scopes: ['email:send'] })
  const webhook = await made('POST /v1/account/webhooks', { url: 'http://127.0.0.1:9/', types: ['*'], name: 'shop' })
  await sent('/app/events/keep', { keep: 'true' })
  const rule = {
    name: 'Bounces',
    event: 'email.bounced',
    conditions: [{ path: 'to', operator: 'exists', value: false }],
  }
  await made('POST /v1/automation/rules', {
    ...rule,
    action: { type: 'workflow', workflow: 'order-shipped', user_id: 'customer-17' },
  })
  await db.transaction((tx) => emitMany(tx, [madeUp(org.id, 'email.bounced', { id: 'm1', sandbox: false })]))
  const logged = {
    dueMs: 0,
    response_status: 500,
    latency_ms: 3,
    response_head: 'out of order',
    error: null,
    response_headers: { server: 'a test' },
  }
  for (const delivery of await deliveries.list(db, webhook.id, { where: everything, before: undefined, limit: 9 }))
    await deliveries.record(db, delivery, 0, { status: 'failed', ...logged })
  await sent('/app/members/invite', { email: 'new@people.example', role: 'viewer' })
  const operation = 'email.messages.create'
  await requests.write(db, [
    {
      ...{ id: newId(), org_id: org.id, key_id: key.id, secret_id: null, client_id: 'mine', operation },
      ...{ status: 422, code: 'odd_mail', ms: 12, bytes_in: 1, bytes_out: 2, network: '127.0.0.0/24', sdk: null },
      ...{ jobs: [], resource_id: null, error: { code: 'odd_mail', fields: ['body.to'] } },
      ...{ request_head: '{"to":1}', response_head: '{"error":{}}' },
    },
  ])
  const at = new Date(Math.floor(Date.now() / 60_000) * 60_000)
  const counted = { org_id: org.id, at, key_id: key.id, operation, ms: 12, process: newId() }
  await minutes.write(db, [{ ...counted, class: 4, count: 77, buckets: [0, 77, 0, 0, 0, 0, 0, 0] }])
  const wish = { period: 'day', soft: '50', hard: '100', alert_at: '50, 80' }
  await sent('/app/usage/email.messages/budget', wish)
  await sent('/app/settings/support', { reason: 'help us', hours: '2' })
  await sent('/app/leaving/exports', {})
  await db.query(sql.unsafe`
    update account.exports set state = 'ready', bytes = 1024, finished_at = now(), expires_at = now() + interval '7 days'
    where org_id = ${org.id}`)
  for (const metric of ['email.messages', 'push.messages', 'requests'] as const)
    for (let day = 0; day < 9; day++)
      await usage.add(db, metric, [
        { org_id: org.id, amount: 7 * day + 3, at: new Date(Date.now() - day * 86_400_000) },
      ])

  await sent('/app/live/new', { name: 'Main stage', slug: 'main', visibility: 'signed', record: 'yes' })
  // Its channel is the newest, which the list shows first.
  await addMedia(db, org.id, made)
  await addReceivedWebhooks(url, made)
  await addJobs(made)
  await sent('/app/rooms/new', { name: 'Stand-up', maxParticipants: '', record: 'no' })
  const file = { bytes: '6', filename: 'note.txt', type: 'text/plain', product_key: 'crm', tenant_id: 'acme' }
  await sent('/app/files/upload', file)
  const preset = { name: 'card', width: '200', height: '200', fit: 'cover', position: 'centre', format: 'auto' }
  await sent('/app/files/image-presets/new', preset)
  const bucket = { name: 'Uploads', endpoint: 'https://s3.eu-central-1.amazonaws.com', region: 'eu-central-1' }
  const credentials = { access_key_id: 'AKIA', secret_access_key: 'a-secret-of-a-test' }
  await sent('/app/files/buckets/new', { ...bucket, bucket: 'uploads', addressing: 'path', ...credentials })

  await handedIn(db, org.id, 'customer-17')
  await db.query(sql.typeAlias('void')`update files.objects set visibility = 'signed' where org_id = ${org.id}`)

  const call = { id: newId(), org_id: org.id, key_id: null, caller_id: '+3726000001', metadata: {} }
  const times = { ring_timeout_seconds: 30, max_duration_seconds: 600 }
  await calls.insert(db, { ...call, ...times }, { a: '+37251000001', b: '+37252000002' })
  const model = { asked: 'a-model-with-a-long-name-of-a-maker:8b-instruct-q4', real: 'a' }
  const asked = { models: [model], embedding_models: [model], rerank_models: [], requests: 12, failures: 2 }
  const well = {
    ...asked,
    name: 'main',
    place: 0,
    state: 'up',
    last_ok_at: new Date(),
    last_failed_at: null,
    last_status: null,
  } as const
  const ill = {
    ...well,
    name: 'backup',
    place: 1,
    state: 'resting',
    last_failed_at: new Date(),
    last_status: 503,
  } as const
  await upstreams.saveStatus(db, newId(), [well, ill])
  const cost = { operation: 'completion', outcome: 'done', prompt_tokens: 9, completion_tokens: 3 }
  await db.transaction((tx) => languageUsage.add(tx, org.id, cost))
  const now = new Date().toISOString()
  const chat = { org_id: org.id, phone: '+37255501234', wa_id: '37255501234', type: 'text', context_message_id: null }
  const said = {
    ...chat,
    send_at: now,
    created_at: now,
    direction: 'outbound',
    status: 'read',
    content: { body: 'Hi' },
  } as const
  await messages.insertMany(db, [{ id: newId(), ...said }])
  await addNumber(db, org.id)
  await conversations.hear(db, [{ org_id: org.id, wa_id: chat.wa_id, at: now }])
  return { owner, unlinked: test.headers.get('location') ?? '' }
}
