import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { signToken } from '#lib/tokens.ts'
import * as keys from '#sql/account/keys.ts'
import { sql } from '#sql/db.ts'
import { signReceipts } from '#tasks/push/rules/receipt-token.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { apnsToken, pushStack, secret } from './stack.ts'
import { openStream } from './stream-client.ts'

t.setTimeout(240_000)
const stack = await pushStack(t)
await stack.startWorkers()
const { ask, db, orgId } = stack
const app = await stack.app('apns')
const publicKey = await siteKey({ app_id: app })
await db.query(sql.typeAlias('void')`
  insert into webhooks.endpoints (id, org_id, area, url, events, secret)
  values (${newId()}, ${orgId}, 'push', 'https://example.com/', '{*}', 'sealed')`)

async function siteKey(locks: keys.Locks, org = orgId, scopes = ['push:receipt']) {
  return (await keys.create(db, { orgId: org, prefix: 'bt_site_', name: 'page', scopes, locks })).secret
}

/** A message to a person's stream; returns what the device got. */
async function delivered(userId: string, times = 1) {
  const { stream } = await stack.device(app, userId, { push_provider: 'sse', platform: 'web' })
  const client = await openStream(t, `${stream.url}?token=${stream.token}`)
  for (let i = 0; i < times; i++) await stack.send(app, userId)
  return (await client.gets(times)).map(({ data }) => data)
}

const report = (body: unknown, key = stack.key) => ask('POST /push/v1/receipts', { key, body })

const eventsOf = (messageId: string) =>
  db.anyFirst(sql.type(z.object({ type: z.string() }))`
    select type from webhooks.events where data ->> 'message_id' = ${messageId} order by id`)

t.test(
  'a device reports with the public key and the delivery’s token; each receipt implies those before it',
  async (t) => {
    const [{ delivery_id, message_id, receipt_token: token }] = (await delivered('ann')) as [Record<string, string>]
    const first = await report({ delivery_id, event: 'delivered', token }, publicKey)
    t.match(first, { status: 200, body: { delivery_id, message_id, status: 'delivered', displayed_at: null } })
    t.equal(first.headers.get('access-control-allow-origin'), '*')
    const opened = await report({ delivery_id, event: 'opened', token }, publicKey)
    t.equal(opened.body.delivered_at, first.body.delivered_at)
    t.ok(opened.body.displayed_at && opened.body.opened_at)
    t.same(
      (await report({ delivery_id, event: 'displayed', token }, publicKey)).body,
      opened.body,
      'again: nothing changes',
    )
    t.match((await ask(`GET /push/v1/messages/${message_id}`)).body, {
      counts: { sent: 1, delivered: 1, displayed: 1, opened: 1 },
    })
    t.same(await eventsOf(message_id as string), ['push.delivered', 'push.opened'])
    const { body } = await ask(`GET /push/v1/apps/${app}/insights?days=1`)
    t.match(body.totals, { sent: 1, delivered: 1, displayed: 1, opened: 1 })
  },
)

t.test('a notification that was put away was displayed, and is not opened by that', async (t) => {
  const [{ delivery_id, message_id, receipt_token: token }] = (await delivered('ada')) as [Record<string, string>]
  const put = await report({ delivery_id, event: 'dismissed', token }, publicKey)
  t.match(put, {
    status: 200,
    body: { status: 'delivered', displayed_at: String, opened_at: null, dismissed_at: String },
  })
  t.same((await report({ delivery_id, event: 'dismissed', token }, publicKey)).body, put.body, 'again: nothing changes')
  t.match((await ask(`GET /push/v1/messages/${message_id}`)).body, { counts: { displayed: 1, opened: 0 } })
  t.same(await eventsOf(message_id as string), ['push.delivered'])
})

t.test('the server reports without a token, with push:send or push:receipt', async (t) => {
  const [{ delivery_id }] = (await delivered('bob')) as [Record<string, string>]
  for (const scope of ['push:send', 'push:receipt']) {
    const { secret: key } = await keys.create(db, { orgId, prefix: 'bt_live_', name: scope, scopes: [scope] })
    t.equal((await report({ delivery_id, event: 'displayed' }, key)).status, 200)
  }
  const { secret: key } = await keys.create(db, { orgId, prefix: 'bt_live_', name: 'x', scopes: ['push:manage'] })
  t.equal((await report({ delivery_id, event: 'displayed' }, key)).status, 403)
})

t.test('nobody forges a receipt', async (t) => {
  const [mine, other] = (await delivered('carl', 2)) as [Record<string, string>, Record<string, string>]
  const { delivery_id } = mine
  const event = 'opened'
  t.same(fieldsOf(await report({ delivery_id, event }, publicKey)), ['body.token'])
  t.equal((await report({ delivery_id, event, token: other.receipt_token }, publicKey)).status, 403)
  t.equal((await report({ delivery_id, event, token: 'x.y' }, publicKey)).status, 403)
  t.equal(
    (await report({ delivery_id, event, token: signReceipts([delivery_id as string], 'other')[0] }, publicKey)).status,
    403,
  )
  t.equal(
    (await report({ delivery_id, event, token: mine.receipt_token }, await siteKey({}))).status,
    403,
    'bound to no app',
  )
  const altered = Buffer.from(mine.receipt_token as string, 'base64url')
  altered[15] = (altered[15] as number) ^ 1
  for (const token of [altered.toString('base64url'), altered.subarray(0, 15).toString('base64url'), '-']) {
    t.equal((await report({ delivery_id, event, token }, publicKey)).status, 403, token)
  }
  t.not(mine.receipt_token, other.receipt_token)
  const elsewhere = await siteKey({ app_id: await stack.app() })
  t.equal((await report({ delivery_id, event, token: mine.receipt_token }, elsewhere)).status, 404, 'another app')
  const stranger = await testOrg(db, ['push:receipt'])
  t.equal((await report({ delivery_id, event }, stranger.keys.main)).status, 404, 'another organisation')
  const theirs = await siteKey({ app_id: app }, stranger.org.id)
  t.equal((await report({ delivery_id, event, token: mine.receipt_token }, theirs)).status, 404)
  t.equal((await report({ delivery_id: newId(), event })).status, 404)
  t.equal((await ask('GET /push/v1/apps', { key: publicKey })).status, 403, 'the public key can do nothing else')
  t.match((await ask(`GET /push/v1/messages/${mine.message_id}`)).body, { counts: { delivered: 0, opened: 0 } })
})

t.test('a signed text that names the delivery is a receipt’s token, too, of that delivery alone', async (t) => {
  const [mine, other] = (await delivered('cleo', 2)) as [Record<string, string>, Record<string, string>]
  const signed = (purpose: string, id: string | undefined) => signToken(purpose, { d: id }, secret)
  const answers = [signed('push receipt', other.delivery_id), signed('push stream', mine.delivery_id)].map((token) =>
    report({ delivery_id: mine.delivery_id, event: 'opened', token }, publicKey),
  )
  for (const { status } of await Promise.all(answers)) t.equal(status, 403)
  const token = signed('push receipt', mine.delivery_id)
  t.equal((await report({ delivery_id: mine.delivery_id, event: 'opened', token }, publicKey)).status, 200)
})

t.test('many at once: each is answered in its place', async (t) => {
  const [one, two] = (await delivered('dora', 2)) as [Record<string, string>, Record<string, string>]
  const item = (of: Record<string, string>, event: string) => ({
    delivery_id: of.delivery_id,
    event,
    token: of.receipt_token,
  })
  const receipts = [item(one, 'delivered'), item(one, 'opened'), { ...item(two, 'delivered'), token: 'forged' }]
  const { status, body } = await report({ receipts }, publicKey)
  t.equal(status, 200)
  t.match(body.receipts, [
    { delivery_id: one.delivery_id, status: 'delivered' },
    { delivery_id: one.delivery_id, status: 'delivered' },
    { delivery_id: two.delivery_id, error: { code: 'forbidden' } },
  ])
  t.ok(body.receipts[0].opened_at)
  t.same(await eventsOf(one.message_id as string), ['push.delivered', 'push.opened'])
  const bare = { receipts: [item(one, 'opened'), { delivery_id: two.delivery_id, event: 'opened' }] }
  t.same(fieldsOf(await report(bare, publicKey)), ['body.receipts.1.token'])
})

t.test('every fault of a body is named', async (t) => {
  t.same(fieldsOf(await report({})), ['body.delivery_id', 'body.event'])
  t.same(fieldsOf(await report({ delivery_id: 'x', event: 'seen', token: 1 })), [
    ...['body.delivery_id', 'body.event', 'body.token'],
  ])
  t.same(fieldsOf(await report({ event: 'opened', receipts: [{ delivery_id: newId() }] })), ['body.receipts.0.event'])
  t.same(fieldsOf(await report({ event: 'opened', receipts: [{ delivery_id: newId(), event: 'opened' }] })), [
    'body.event',
  ])
  t.same(fieldsOf(await report({ receipts: [] })), ['body.receipts'])
})

t.test('a receipt that comes before the provider’s answer counts, and ends what would be sent again', async (t) => {
  const { providers } = stack
  const reached: string[] = []
  const answered = Promise.withResolvers<void>()
  providers.answer = async ({ id }) => {
    reached.push(id)
    await answered.promise
    return { outcome: 'retry', status: 503, reason: 'ServiceUnavailable', retryAfter: 1 }
  }
  await stack.device(app, 'eve', { push_provider: 'apns', token: apnsToken() })
  const { id } = await stack.send(app, 'eve')
  const delivery_id = await until(() => reached[0])
  t.match((await report({ delivery_id, event: 'delivered' })).body, { status: 'queued' })
  answered.resolve()
  t.match(await stack.ended(id), { status: 'sent', counts: { delivered: 1, queued: 0 } })
  t.match((await stack.trace(id))[0], { status: 'delivered', attempts: [{ outcome: 'retry' }] })

  await stack.device(app, 'fay', { push_provider: 'apns', token: apnsToken() })
  providers.answer = () => ({ outcome: 'retry', status: 503, reason: 'ServiceUnavailable', retryAfter: 600 })
  const again = await stack.send(app, 'fay')
  const waiting = await until(async () => {
    const [delivery] = await stack.trace(again.id)
    return delivery?.attempts.length === 1 && delivery.id
  })
  await report({ delivery_id: waiting, event: 'opened' })
  t.match(await stack.ended(again.id), { status: 'sent', counts: { opened: 1 } })
})
