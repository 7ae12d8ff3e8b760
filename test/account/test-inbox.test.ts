import '../support/voice-environment.ts'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import t from 'tap'
import { newId } from '#lib/ids.ts'
import * as rows from '#sql/account/test-messages.ts'
import { sql } from '#sql/db.ts'
import { getTasksOfPool } from '#tasks/index.ts'
import { provide } from '../../ingress/http/container.ts'
import * as services from '../../ingress/http/services.ts'
import { settings } from '../../ingress/whatsapp/settings.ts'
import { type PoolPlan, startFleet } from '../../workers/runtime/fleet.ts'
import { readTrunks } from '../../workers/voice/trunk.ts'
import { get, signedIn, submit, toldOf } from '../app/fixture.ts'
import { verified } from '../email/sending.ts'
import { apnsForm, apnsToken, fakeProviders, pushPlan } from '../push/stack.ts'
import { testDatabase } from '../support/database.ts'
import { type Ask, fieldsOf, type Reply, testIngress, testOrg } from '../support/ingress.ts'
import { pruneArea } from '../support/prune.ts'
import { until } from '../support/until.ts'
import { annNumber, bobNumber, startSip } from '../voice/stack.ts'
import { accountId, cloudApiServer, phoneNumberId } from '../whatsapp/cloud-api-server.ts'
import { clientOf, toolsOf } from '../whatsapp/stack.ts'

t.setTimeout(240_000)
const { db, url: databaseUrl } = await testDatabase(t)
const api = await cloudApiServer(t)
const providers = fakeProviders()
const trunk = createSocket('udp4').bind(0, '127.0.0.1')
await once(trunk, 'listening')
t.teardown(() => trunk.close())
const invites: string[] = []
let declines = false
trunk.on('message', (packet, { address, port }) => {
  const [line = '', ...fields] = packet.toString().split('\r\n')
  if (!line.startsWith('INVITE')) return
  if (!invites.includes(line)) invites.push(line)
  const copied = fields.filter((field) => /^(via|from|to|call-id|cseq):/i.test(field))
  const named = copied.map((field) => (/^to:/i.test(field) ? `${field};tag=trunk` : field))
  // Without a final response the caller's transaction lasts 32 s, and its end is waited for.
  const decline = ['SIP/2.0 603 Decline', ...named, 'Content-Length: 0', '', ''].join('\r\n')
  if (declines) trunk.send(decline, port, address)
})

const { url, ask } = await testIngress(t, db, [], {
  only: ['account', 'app', 'email', 'push', 'whatsapp', 'voice', 'notify'],
  services: [
    provide(services.storage, undefined as never),
    provide(services.signingSecret, 'a signing secret of the push tests alone'),
    provide(settings, { phoneNumberId, accountId, appSecret: 's', verifyToken: 'v', waitMs: 8_000 }),
  ],
})
const lease = { lease: 60_000, sweep: 500, grace: 1_000 }
const whatsappPlan: PoolPlan<'whatsapp'> = {
  pool: 'whatsapp',
  settings: { concurrency: 8, fetchAhead: 0 },
  tasks: getTasksOfPool('whatsapp'),
  tools: toolsOf(clientOf(t, api.url)),
}
const fleet = await startFleet(databaseUrl, [pushPlan(providers) as PoolPlan, whatsappPlan as PoolPlan], lease, (why) =>
  t.fail(why),
)
t.teardown(() => fleet.stop())
await startSip(t, databaseUrl, db, readTrunks([`any=sip:127.0.0.1:${trunk.address().port}`], []) as never)

const scopes = 'email:send push:send push:manage whatsapp:send voice:call notify:read notify:write'.split(' ')
const account = ['account:logs', 'account:write']

async function scene() {
  const { org, keys } = await testOrg(db, [], {
    keys: {
      live: { prefix: 'bt_live_', scopes: [...scopes, ...account] },
      test: { prefix: 'bt_test_', scopes: [...scopes, ...account] },
    },
  })
  const asLive = (request: string, body?: unknown) => ask(request, { key: keys.live, body })
  const asTest = (request: string, body?: unknown, more: Ask = {}) => ask(request, { key: keys.test, body, ...more })
  const app = (await asLive('POST /push/v1/apps', { name: 'Shop' })).body.id as string
  await asLive(`PUT /push/v1/apps/${app}/credentials/apns`, apnsForm)
  const device = { app_id: app, user_id: 'ann', push_provider: 'apns', token: apnsToken() }
  await asLive('POST /push/v1/installations', device)
  const inbox = async (query = '') => (await asLive(`GET /v1/account/test-messages?${query}`)).body.data
  return { org, app, asLive, asTest, inbox }
}

const mail = { stream: 'transactional', from: { email: 'me@shop.example' }, to: 'ann@rcpt.example', subject: 'Order' }
const pushOf = (app_id: string, more: object = {}) => ({
  app_id,
  target: { type: 'user', id: 'ann' },
  title: 'Hi',
  ...more,
})
const text = { to: '+3725550123', text: 'On its way', client_reference: 'order-1' }
const call = { from: annNumber, to: bobNumber }
const event = (app_id: string) => ({
  product_key: 'shop',
  type: 'order.shipped',
  subject_user_id: newId(),
  title: 'Shipped',
  channels: ['in_app', 'email', 'push'],
  email: 'ann@rcpt.example',
  push: { app_id },
  dedupe_key: 'order-1',
})

t.test(
  'what a test key sends on every channel reaches no provider, costs nothing, and stands in the inbox',
  async (t) => {
    const { org, app, asLive, asTest, inbox } = await scene()
    const jobs = async () => {
      const sending = ['push', 'whatsapp', 'voice', 'mail_transactional', 'mail_campaign']
      const counts = await Promise.all(
        sending.map((pool) =>
          db.oneFirst(sql.typeAlias('count')`
            select count(*) from ${sql.identifier([`jobs_${pool}`, '_private_jobs'])} where payload->>'orgId' = ${org.id}
              or payload::text like ${`%${org.id}%`}`),
        ),
      )
      return counts.reduce((sum, count) => sum + count, 0)
    }

    const mailed = await asTest('POST /send/v1/messages', { ...mail, text: 'It is on its way.' })
    t.match(mailed, { status: 202, body: { status: 'sent' } })
    const pushed = await asTest('POST /push/v1/messages', pushOf(app, { send_at: new Date(Date.now() + 3_600_000) }))
    t.match(pushed, { status: 202, body: { status: 'sent' } })
    const written = await asTest('POST /v1/whatsapp/send', text)
    t.match(written, {
      status: 200,
      body: { status: 'delivered', to: text.to, sandbox: true, client_reference: 'order-1' },
    })
    const template = { name: 'order_shipped', language: { code: 'en' } }
    t.match(await asTest('POST /v1/whatsapp/send-template', { to: text.to, template }), { body: { type: 'template' } })
    const called = await asTest('POST /v1/voice/click-to-call', call)
    t.match(called, {
      status: 200,
      body: { status: 'completed', legs: [{ status: 'completed' }, { number: bobNumber }] },
    })
    const told = event(app)
    const noticed = await asTest('POST /v1/notify/events', told)
    t.match(noticed, { status: 200, body: { sandbox: true, deduplicated: false, dedupe_key: 'order-1' } })
    t.match(await asTest('POST /v1/notify/events', told), { body: { id: noticed.body.id, deduplicated: true } })
    t.equal(await jobs(), 0, 'no job is made that could send any of it')

    const shown = await inbox()
    t.same(shown.map(({ channel }: { channel: string }) => channel).sort(), [
      'email',
      'email',
      'notify',
      'push',
      'push',
      'voice',
      'whatsapp',
      'whatsapp',
    ])
    t.match(await inbox('channel=voice'), [{ id: called.body.id, to: bobNumber, key_id: /^[0-9a-f-]+$/ }])
    t.match(await inbox('to=%2B3725550123'), [{ title: 'template: order_shipped' }, { title: 'On its way' }])

    const read = async (request: string) => (await asLive(request)).body
    t.match(await read(`GET /push/v1/messages/${pushed.body.id}`), { status: 'sent', counts: { delivered: 1 } })
    t.match(await read(`GET /v1/whatsapp/messages/${written.body.id}`), { statuses: { length: 3 }, sandbox: true })
    t.same(await read(`GET /v1/voice/calls/${called.body.id}`), called.body)
    const copies = [{ status: 'accepted' }, { status: 'accepted' }]
    t.match(await read(`GET /v1/notify/events/${noticed.body.id}`), { title: 'Shipped', copies })
    t.same((await read(`GET /v1/notify/inbox?user_id=${told.subject_user_id}`)).data, [])

    for (const name of [
      'push.messages',
      'whatsapp.messages',
      'whatsapp.conversations',
      'voice.calls',
      'notify.events',
    ]) {
      const from = sql.identifier(name.split('.'))
      t.equal(await db.oneFirst(sql.typeAlias('count')`select count(*) from ${from} where org_id = ${org.id}`), 0, name)
    }
    t.equal(
      await db.oneFirst(sql.typeAlias('count')`
    select count(*) from account.usage_daily where org_id = ${org.id}`),
      0,
      'no usage',
    )

    await verified(db, org.id, 'shop.example')
    await db.query(sql.typeAlias('void')`
    insert into voice.numbers (id, org_id, number, friendly_name, country, type)
    values (${newId()}, ${org.id}, '+3726000001', 'Office', 'EE', 'local')`)
    t.match(await asLive('POST /push/v1/messages', pushOf(app)), { status: 202, body: { status: 'queued' } })
    t.match(await asLive('POST /v1/whatsapp/send-template', { to: text.to, template }), { status: 200 })
    const live = await asLive('POST /v1/voice/click-to-call', call)
    t.match(live, { status: 200, body: { status: 'queued' } })
    t.match(await asLive('POST /v1/notify/events', { ...told, channels: ['in_app'] }), {
      body: { deduplicated: false },
    })
    await until(() => providers.sent.length > 0 && invites.length > 0)
    t.equal(providers.sent.length, 1, 'a provider has what the live key sent, and no more')
    t.equal(api.sent().length, 1)
    t.equal(invites.length, 1)
    t.equal((await asTest(`DELETE /v1/voice/calls/${live.body.id}`)).status, 404, 'nor does it hang up what is live')
    declines = true
    await asLive(`DELETE /v1/voice/calls/${live.body.id}`)
  },
)

t.test('a test key is told its faults, and changes no credential', async (t) => {
  const { app, asTest, inbox } = await scene()
  t.same(fieldsOf(await asTest('POST /v1/voice/click-to-call', { from: '112', to: bobNumber })), ['body.from'])
  const foreign = { ...call, caller_id: '+3726000009' }
  t.same(fieldsOf(await asTest('POST /v1/voice/click-to-call', foreign)), ['body.caller_id'])
  t.equal((await asTest('POST /v1/whatsapp/send', { to: 'x', text: 'x' })).status, 400)
  t.equal((await asTest('POST /push/v1/messages', pushOf(newId()))).status, 404)
  t.equal(
    (
      await asTest(
        'POST /push/v1/messages',
        pushOf(app, { body: 'x'.repeat(4_000), image: undefined, data: { a: 'y'.repeat(900) } }),
      )
    ).status,
    400,
  )
  t.equal((await asTest(`PUT /push/v1/apps/${app}/credentials/apns`, apnsForm)).status, 403)
  t.same(await inbox(), [])
})

t.test('a message that an older release stored is read, without any field that came later', async (t) => {
  const { app, asTest, asLive } = await scene()
  const stored: [read: string, Reply][] = [
    ['push/v1/messages', await asTest('POST /push/v1/messages', pushOf(app))],
    ['v1/whatsapp/messages', await asTest('POST /v1/whatsapp/send', text)],
    ['v1/voice/calls', await asTest('POST /v1/voice/click-to-call', call)],
    ['v1/notify/events', await asTest('POST /v1/notify/events', event(app))],
  ]
  const setRecord = (id: string, record: object) =>
    db.query(sql.typeAlias('void')`update account.test_messages set record = ${sql.jsonb(record)} where id = ${id}`)
  for (const [path, { body }] of stored) {
    const read = () => asLive(`GET /${path}/${body.id}`)
    const whole = (await read()).body
    for (const [field, value] of Object.entries(whole).filter(([field]) => !/^(id|app_id)$/.test(field))) {
      const { [field]: _, ...older } = whole
      await setRecord(body.id, older)
      const again = await read()
      t.match(again, { status: 200, body: older }, `${path} without ${field}`)
      if (value !== null && field !== 'sandbox') t.ok(field in again.body, `${field} has an empty value`)
    }
    await setRecord(body.id, { ...whole, of_a_former_release: true })
    t.same((await read()).body, whole)
  }
})

t.test('a test and a live request side by side, and a repeat, are each answered as their own', async (t) => {
  const { app, asLive, asTest, inbox } = await scene()
  const before = providers.sent.length
  const headers = { 'idempotency-key': 'one' }
  const twice = await Promise.all([1, 2].map(() => asTest('POST /push/v1/messages', pushOf(app), { headers })))
  t.equal(new Set(twice.map(({ body }) => body.id)).size, 1)
  const both = await Promise.all(
    [asLive, asTest, asLive, asTest].map((as) => as('POST /push/v1/messages', pushOf(app))),
  )
  t.same(
    both.map(({ body }) => body.status),
    ['queued', 'sent', 'queued', 'sent'],
  )
  await until(() => providers.sent.length === before + 2)
  t.equal((await inbox()).length, 3)
})

t.test('another organisation sees nothing of it; it holds so much for so long, and is emptied', async (t) => {
  const { org, app, asTest, asLive, inbox } = await scene()
  const other = await scene()
  const { id } = (await asTest('POST /push/v1/messages', pushOf(app))).body
  t.match(await asLive(`GET /v1/account/test-messages/${id}`), { status: 200, body: { content: { title: 'Hi' } } })
  for (const path of [`/v1/account/test-messages/${id}`, `/push/v1/messages/${id}`])
    t.equal((await other.asLive(`GET ${path}`)).status, 404)
  t.same(await other.inbox(), [])

  const fill = { org_id: org.id, key_id: null, channel: 'push' as const, recipient: 'ann', title: 'x' }
  const many = Array.from({ length: rows.limits.messages }, () => ({
    ...fill,
    id: newId(),
    content: null,
    record: null,
    bytes: 9,
  }))
  await rows.insertMany(db, many)
  await asTest('POST /push/v1/messages', pushOf(app))
  const count = () =>
    db.oneFirst(sql.typeAlias('count')`select count(*) from account.test_messages where org_id = ${org.id}`)
  t.equal(await count(), rows.limits.messages)
  t.equal((await asLive(`GET /v1/account/test-messages/${id}`)).status, 404, 'the oldest goes')
  await rows.insertMany(db, [{ ...fill, id: newId(), content: null, record: null, bytes: rows.limits.bytes }])
  await asTest('POST /push/v1/messages', pushOf(app))
  t.equal(await count(), 1, 'nor more bytes')

  await other.asTest('POST /push/v1/messages', pushOf(other.app))
  await db.query(sql.typeAlias('void')`
    update account.test_messages set created_at = now() - interval '8 days' where org_id = ${org.id}`)
  await pruneArea(db, 'account')
  t.same(await inbox(), [])
  t.match(await other.asLive('DELETE /v1/account/test-messages'), { status: 200, body: { deleted: 1 } })
  t.same(await other.inbox(), [])
})

t.test('the dashboard shows it, what it says to those who may read that, and a way to empty it', async (t) => {
  const { org, asTest } = await scene()
  const [developer, viewer] = [await signedIn(db, url, org.id, 'developer'), await signedIn(db, url, org.id, 'viewer')]
  t.match((await get(url, '/app/test-inbox', viewer)).text, 'No messages match these filters.')
  t.notMatch((await get(url, '/app', developer)).text, 'class="button" href="/app/test-inbox"')
  const mailed = await asTest('POST /send/v1/messages', { ...mail, html: '<b>On its way</b><script>alert(1)</script>' })
  const { id } = mailed.body
  t.match((await get(url, '/app', developer)).text, 'class="button" href="/app/test-inbox"')
  await asTest('POST /v1/whatsapp/send', text)
  const titles = await db.anyFirst(sql.type(rows.table.Row.pick({ title: true }))`
    select title from account.test_messages where org_id = ${org.id}`)
  t.equal(titles.length, 2)
  t.match((await get(url, '/app/test-inbox', developer)).text, /\+3725550123.*On its way.*ann@rcpt\.example/s)
  // A viewer sees that something was sent, and to whom. A title is a subject, or the beginning of the text.
  for (const path of ['/app/test-inbox', `/app/test-inbox/${id}`]) {
    const { text: seen } = await get(url, path, viewer)
    t.match(seen, 'ann@rcpt.example')
    t.notMatch(seen, 'On its way')
    for (const title of titles) t.notMatch(seen, title)
  }
  t.notMatch((await get(url, '/app/test-inbox?channel=email&to=', viewer)).text, '+3725550123')
  t.match((await get(url, `/app/test-inbox/${id}`, developer)).text, '&lt;script&gt;alert(1)')
  t.notMatch((await get(url, `/app/test-inbox/${id}`, viewer)).text, 'alert(1)')
  t.match(await toldOf(db, org.id, developer, /^contents/), [{ target: id, after: { kind: 'test_message' } }])
  t.same(await toldOf(db, org.id, viewer, /^contents/), [])
  const stranger = await signedIn(db, url, (await scene()).org.id, 'owner')
  t.equal((await get(url, `/app/test-inbox/${id}`, stranger)).status, 404)
  t.equal((await submit(url, '/app/test-inbox/empty', viewer, {})).status, 403)
  t.equal((await submit(url, '/app/test-inbox/empty', developer, {})).headers.get('location'), '/app/test-inbox')
  t.match((await get(url, '/app/test-inbox', developer)).text, '2 messages deleted.')
})
