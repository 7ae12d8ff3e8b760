import '../support/webhooks-environment.ts'
import t from 'tap'
import { newId } from '#lib/ids.ts'
import * as keys from '#sql/account/keys.ts'
import * as budgets from '#sql/account/usage/budgets.ts'
import * as minutes from '#sql/account/usage/request-minutes.ts'
import * as requests from '#sql/account/usage/requests.ts'
import * as usage from '#sql/account/usage.ts'
import { everything } from '#sql/filters.ts'
import * as deliveries from '#sql/webhooks/deliveries.ts'
import * as endpoints from '#sql/webhooks/endpoints.ts'
import { emitMany } from '#tasks/webhooks/rules/emit.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { testDatabase } from '../support/database.ts'
import { madeUp } from '../support/emitted.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { get, signedIn, submit, toldOf } from './fixture.ts'

const { db } = await testDatabase(t)
const secret = provide(signingSecret, 'a secret of this test, long enough to sign')
const { url } = await testIngress(t, db, [], { only: ['app', 'account', 'email'], services: [secret] })

async function scene() {
  const { org } = await testOrg(db, [])
  const owner = await signedIn(db, url, org.id, 'owner')
  const developer = await signedIn(db, url, org.id, 'developer')
  const viewer = await signedIn(db, url, org.id, 'viewer')
  return { org, owner, developer, viewer }
}

const secretIn = ({ text }: { text: string }): string => /data-copy="(whsec_[^"]+)"/.exec(text)?.[1] ?? ''

async function addWebhook(member: { cookie: string }, fields: Record<string, string | string[]> = {}) {
  const given = { url: 'http://127.0.0.1:9/hooks', name: 'shop', mode: '', types: ['email.*'], ...fields }
  const added = await submit(url, '/app/webhooks/new', member, given)
  return { added, secret: secretIn(added), id: /\/app\/webhooks\/([0-9a-f-]{36})"/.exec(added.text)?.[1] ?? '' }
}

/** Returns where the results of a search lead, without those of the documentation. */
async function findHrefs(text: string, member: { cookie: string }): Promise<string[]> {
  const { results } = (await get(url, `/app/find.json?q=${encodeURIComponent(text)}`, member)).body
  return results.map(({ href }: { href: string }) => href)
}

t.test('a webhook is added by a developer, replayed, paused, resumed, rotated, changed and removed', async (t) => {
  const { org, developer, viewer } = await scene()
  const { secret, id } = await addWebhook(developer)
  t.match(secret, /^whsec_/)
  await db.transaction((tx) => emitMany(tx, [madeUp(org.id, 'email.bounced', { id: 'm1', sandbox: false })]))
  const list = { where: everything, before: undefined, limit: 10 }
  const [delivery] = await deliveries.list(db, id, list)
  if (!delivery) throw new Error('Nothing is to be delivered.')
  const logged = {
    dueMs: 0,
    response_status: 500,
    latency_ms: 3,
    response_head: 'out of order',
    error: null,
    response_headers: { 'x-powered-by': 'a test' },
  }
  await deliveries.record(db, delivery, 0, { status: 'failed', ...logged })
  const seen = await get(url, `/app/webhooks/${id}`, viewer)
  t.match(seen.text, /email\.bounced.*failed.*500/s)
  t.notMatch(seen.text, 'out of order')
  const one = `/app/webhooks/${id}/deliveries/${delivery.id}`
  t.notMatch((await get(url, one, viewer)).text, 'out of order', 'contents are not for viewers')
  const exchange = await get(url, one, developer)
  t.match(exchange.text, /&quot;id&quot;: &quot;m1&quot;.*out of order/s, 'the payload is next to the response')
  t.match(exchange.text, /x-powered-by: a test.*500.*3 ms/s, 'with headers and attempts')
  t.match((await get(url, '/app/events', developer)).text, `/app/events/${delivery.event_id}`)
  t.match(await findHrefs(delivery.id, viewer), [one])
  t.match(await findHrefs(delivery.event_id, viewer), [`/app/events/${delivery.event_id}`])
  t.same(await findHrefs(delivery.id, (await scene()).owner), [], 'nothing of other organisations')
  for (const [page, region] of [
    ['/app/events?type=email.bounced', 'events/email.bounced'],
    [`/app/webhooks/${id}?status=failed`, `deliveries/${id}/failed`],
    ['/app/test-inbox', 'test-inbox/'],
  ] as const) {
    t.match((await get(url, page, developer)).text, `data-live="${region}"`, 'the list updates by itself')
  }
  t.match((await get(url, '/app/test-inbox', viewer)).text, 'data-live="test-inbox-recipients/"', 'without titles')
  for (const reader of [viewer, developer, developer]) {
    t.match((await get(url, `/app/events/${delivery.event_id}`, reader)).text, one)
  }
  t.match(await toldOf(db, org.id, developer, /^contents/), [
    { action: 'contents.read', target: delivery.event_id, after: { kind: 'event' } },
    { action: 'contents.read', target: id, after: { kind: 'webhook_answer' } },
  ])
  t.same(await toldOf(db, org.id, viewer, /^contents/), [])
  const replay = `/app/webhooks/${id}/deliveries/${delivery.id}/replay`
  t.equal((await submit(url, replay, viewer, {})).status, 403)
  t.equal((await submit(url, replay, developer, {})).headers.get('location'), one)
  t.match(await deliveries.list(db, id, list), [{ status: 'pending', attempts: 0 }])
  await deliveries.record(db, delivery, 0, { status: 'failed', ...logged })
  const since = await submit(url, `/app/webhooks/${id}/replay`, developer, {
    since: '2020-01-01T00:00',
    status: 'failed',
  })
  t.equal(since.status, 303)
  t.match((await get(url, `/app/webhooks/${id}`, developer)).text, '1 event will be delivered.')
  const odd = await submit(url, `/app/webhooks/${id}/replay`, developer, { since: 'soon', status: 'all' })
  t.match(odd.text, 'id="since-fault"')
  await submit(url, `/app/webhooks/${id}/pause`, developer, {})
  t.ok((await endpoints.find(db, { orgId: org.id }, id))?.paused_at)
  await submit(url, `/app/webhooks/${id}/resume`, developer, {})
  t.equal((await endpoints.find(db, { orgId: org.id }, id))?.paused_at, null)
  const rotated = await submit(url, `/app/webhooks/${id}/rotate`, developer, { keep_hours: '2' })
  t.match(secretIn(rotated), /^whsec_/)
  t.not(secretIn(rotated), secret)
  const given = { url: 'http://127.0.0.1:9/other', name: 'other', mode: 'live', types: '*' }
  t.equal((await submit(url, `/app/webhooks/${id}/edit`, developer, given)).status, 303)
  const page = await get(url, `/app/webhooks/${id}`, developer)
  t.match(page.text, '127.0.0.1:9/other')
  t.notMatch(page.text, 'whsec_')
  t.match((await get(url, `/app/webhooks/${id}/remove`, developer)).text, 'Delete other?')
  t.equal((await submit(url, `/app/webhooks/${id}/remove`, developer, {})).status, 303)
  t.equal((await get(url, `/app/webhooks/${id}`, developer)).status, 404)
})

t.test('webhooks: faults at their fields, roles, foreign ids; events are kept when asked for', async (t) => {
  const { developer, viewer } = await scene()
  const { added } = await addWebhook(developer, { url: 'ftp://x', types: ['odd.type'] })
  t.equal(added.status, 400)
  t.match(added.text, 'id="url-fault"')
  t.match(added.text, 'id="types-fault"')
  t.equal((await addWebhook(viewer)).added.status, 403)
  const { id } = await addWebhook(developer)
  const stranger = (await scene()).developer
  for (const path of ['', '/edit', '/rotate', '/replay', '/remove']) {
    t.equal((await get(url, `/app/webhooks/${id}${path}`, stranger)).status, 404, path)
  }
  for (const path of ['/pause', '/resume', '/sample', '/remove']) {
    t.equal((await submit(url, `/app/webhooks/${id}${path}`, stranger, { type: 'webhooks.test' })).status, 404, path)
  }
  await submit(url, '/app/events/keep', developer, { keep: 'true' })
  t.match((await get(url, '/app/webhooks', viewer)).text, 'Millrace stores all events')
  t.equal((await get(url, '/app/events?type=email.bounced', viewer)).status, 200)
})

t.test('requests: counts, filters, one and its bodies, which a viewer is not shown', async (t) => {
  const { org, owner, developer, viewer } = await scene()
  const key = { orgId: org.id, prefix: 'bt_test_', name: 'logged', scopes: ['email:send'] } as const
  const { id: keyId, secret: text } = await keys.create(db, { ...key, scopes: [...key.scopes] })
  const id = newId()
  const row = {
    ...{
      id,
      org_id: org.id,
      key_id: keyId,
      secret_id: null,
      client_id: 'order-17',
      operation: 'email.messages.create',
    },
    ...{ status: 422, code: 'odd_mail', ms: 12, bytes_in: 1, bytes_out: 2, network: '127.0.0.0/24', sdk: null },
    ...{
      jobs: [],
      resource_id: null,
      error: { code: 'odd_mail', fields: ['body.to'], message: '', issues: ['must be an address'] },
    },
    ...{ request_head: 'the head', response_head: null },
  }
  await requests.write(db, [row])
  const at = new Date(Math.floor(Date.now() / 60_000) * 60_000)
  const counted = { org_id: org.id, at, key_id: keyId, operation: row.operation, ms: 12, process: newId() }
  await minutes.write(db, [{ ...counted, class: 4, count: 77, buckets: [0, 77, 0, 0, 0, 0, 0, 0] }])
  const page = await get(url, `/app/requests?class=4&key=${keyId}&since=&until=`, viewer)
  t.match(page.text, /POST<\/b> <code>\/send\/v1\/messages.*odd_mail.*body\.to.*must be an address.*12 ms/s)
  t.match(page.text, /<td class="number">77<\/td>/)
  t.match((await get(url, '/app', viewer)).text, /span=24h&amp;class=4">77</, 'the overview has the same number')
  const stranger = (await scene()).owner
  for (const [asked, href] of [
    ['order-17', `/app/requests/${id}`],
    [text.slice(0, 'bt_test_'.length + 3), `/app/keys/${keyId}`],
  ] as const) {
    t.same(await findHrefs(asked, viewer), [href], asked)
    t.same(await findHrefs(asked, stranger), [], 'of the own organisation only')
  }
  t.notMatch((await get(url, '/app/requests?class=5', viewer)).text, 'odd_mail')
  t.equal((await get(url, '/app/requests?class=9', viewer)).status, 400)
  t.notMatch((await get(url, `/app/requests/${id}`, viewer)).text, 'the head')
  t.match((await get(url, `/app/requests/${id}`, developer)).text, 'the head')
  const bare = { ...row, id: newId(), request_head: null }
  await requests.write(db, [bare])
  t.match((await get(url, `/app/requests/${bare.id}`, developer)).text, `action="/app/keys/${keyId}/window"`)
  t.notMatch((await get(url, `/app/requests/${bare.id}`, viewer)).text, '/window')
  t.match((await get(url, '/app/audit', owner)).text, '<code>request_bodies.shown')
  t.equal((await get(url, `/app/requests/${id}`, (await scene()).owner)).status, 404)
  t.equal((await submit(url, `/app/keys/${keyId}/window`, developer, { minutes: '60' })).status, 303)
  t.match((await get(url, `/app/keys/${keyId}`, developer)).text, /Bodies of .* are logged until/)
  t.equal((await submit(url, `/app/keys/${keyId}/window`, developer, { minutes: '61' })).status, 400)
})

t.test('a budget is set and removed by who may, its faults at their fields', async (t) => {
  const { org, owner, developer, viewer } = await scene()
  const path = '/app/usage/email.messages/budget'
  const hourly = (await get(url, '/app/usage/geo.lookups/budget', owner)).text
  t.match(hourly, 'cannot have a hard limit')
  t.notMatch(hourly, 'name="hard"')
  const wish = { period: 'day', soft: '50', hard: '100', alert_at: '50, 80 %' }
  t.equal((await submit(url, path, developer, wish)).status, 403)
  const odd = await submit(url, path, owner, { ...wish, soft: 'some', hard: '-1' })
  t.equal(odd.status, 400)
  t.match(odd.text, 'id="soft-fault"')
  t.match(odd.text, 'id="hard-fault"')
  const none = await submit(url, path, owner, { ...wish, soft: '', hard: '' })
  t.equal(none.status, 400)
  t.equal((await submit(url, path, owner, { ...wish, alert_at: '50, 80' })).status, 303)
  t.match(await budgets.list(db, org.id), [{ metric: 'email.messages', soft: 50, hard: 100, alert_at: [50, 80] }])
  t.match((await get(url, '/app/usage/email.messages?span=7d&by=key', developer)).text, 'hard limit 100 messages')
  t.notMatch((await get(url, '/app/usage/email.messages', viewer)).text, 'hard limit')
  t.match((await get(url, '/app/usage', viewer)).text, /<meter/)
  t.equal((await submit(url, `${path}/remove`, owner, {})).status, 303)
  t.same(await budgets.list(db, org.id), [])
})

t.test('settings: rename, support for some hours, identity providers', async (t) => {
  const { org, owner, developer } = await scene()
  t.equal((await submit(url, '/app/settings/name', developer, { name: 'x' })).status, 403)
  t.match((await submit(url, '/app/settings/name', owner, { name: '' })).text, 'id="name-fault"')
  await submit(url, '/app/settings/name', owner, { name: 'Renamed' })
  t.match((await get(url, '/app/settings', developer)).text, /<h1>Renamed<\/h1>.*Maximum/s)
  const long = await submit(url, '/app/settings/support', owner, { reason: 'help', hours: '73' })
  t.match(long.text, 'id="hours-fault"')
  t.equal((await submit(url, '/app/settings/support', developer, { reason: 'help', hours: '2' })).status, 403)
  await submit(url, '/app/settings/support', owner, { reason: 'help us', hours: '2' })
  const page = await get(url, '/app/settings', owner)
  t.match(page.text, 'help us')
  const end = /\/app\/settings\/support\/[0-9a-f-]{36}\/end/.exec(page.text)?.[0] ?? ''
  t.equal((await submit(url, end, (await scene()).owner, {})).status, 404)
  t.equal((await submit(url, end, owner, {})).status, 303)
  const provider = {
    issuer: 'https://login.example.com',
    client_id: 'c',
    client_secret: 'very secret',
    default_role: 'viewer',
    takes_unmarked_email: 'yes',
  }
  const connect = '/app/settings/providers/new'
  const odd = await submit(url, connect, owner, { ...provider, issuer: 'http://login.example.com', domains: '' })
  t.match(odd.text, 'id="issuer-fault"')
  t.match(odd.text, 'id="domains-fault"')
  t.notMatch(odd.text, 'very secret')
  t.equal((await submit(url, connect, owner, { ...provider, domains: 'shop.example' })).status, 303)
  const shown = await get(url, '/app/settings', owner)
  t.match(shown.text, 'login.example.com')
  t.notMatch(shown.text, 'very secret')
  const verify = /\/app\/settings\/providers\/[0-9a-f-]{36}\/email-verification/.exec(shown.text)?.[0] ?? ''
  t.match(shown.text, 'Require email_verified')
  t.equal((await submit(url, verify, owner, { by: 'claim' })).status, 303)
  t.match((await get(url, '/app/settings', owner)).text, 'Accept verified domains')
  const unsure = await signedIn(db, url, org.id, 'owner', { steppedUp: false })
  const asked = await submit(url, connect, unsure, { ...provider, domains: 'shop.example' })
  t.match(asked, { status: 403, text: 'Confirm your identity' })
  t.match(asked.text, 'name="client_secret" value="very secret"', 'the request continues with all fields')
  const off = /\/app\/settings\/providers\/[0-9a-f-]{36}\/disconnect/.exec(shown.text)?.[0] ?? ''
  t.equal((await submit(url, off, owner, {})).status, 303)
})

t.test('Start shows the steps that are left, then only the overview, to each role what it may see', async (t) => {
  const { org, owner, viewer } = await scene()
  const first = await get(url, '/app', owner)
  t.ok(first.text.indexOf('Create a passkey') < first.text.indexOf('Create an API key'), 'a passkey is the first step')
  t.match(first.text, /2 of 7 done/)
  const seen = await get(url, '/app', viewer)
  t.notMatch(seen.text, 'First steps')
  t.match(seen.text, /data-live="start-errors".*data-live="start-volume".*data-live="start-events"/s)
  await usage.add(db, 'email.messages', [
    { org_id: org.id, amount: 4 },
    { org_id: org.id, amount: 3, at: new Date(Date.now() - 86_400_000) },
  ])
  await submit(url, '/app/usage/email.messages/budget', owner, {
    period: 'month',
    soft: '',
    hard: '100',
    alert_at: '80',
  })
  await submit(url, '/app/events/keep', owner, { keep: 'true' })
  await db.transaction((tx) => emitMany(tx, [madeUp(org.id, 'email.bounced', { id: 'm1', sandbox: false })]))
  const { text } = await get(url, '/app', viewer)
  t.match(text, /Emails<\/span>\s*<strong>7<\/strong>.*today 4/s)
  t.match(text, /href="\/app\/usage\/email\.messages".*[74] messages of 100 messages/s)
  t.match(text, /href="\/app\/events\/[0-9a-f-]{36}">email\.bounced/)
  t.match(text, 'per day in 14 days: 0, 0,', 'the small chart has words')
})
