import '../support/webhooks-environment.ts'
import t from 'tap'
import { z } from 'zod'
import { type DatabasePool, sql } from '#sql/db.ts'
import { type Scope, scopes } from '#tasks/account/rules/scopes.ts'
import { areas } from '../../ingress/areas.ts'
import { area, type Operation } from '../../ingress/http/area.ts'
import { provide } from '../../ingress/http/container.ts'
import { getLoggedPath } from '../../ingress/http/limits/requests.ts'
import { PresentedJson } from '../../ingress/http/presented.ts'
import { maskBodies } from '../../ingress/http/request-log/mask-body.ts'
import { maskUrls } from '../../ingress/http/request-log/mask-urls.ts'
import { type Route, route } from '../../ingress/http/route.ts'
import { signingSecret, storage } from '../../ingress/http/services.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { planted, sampleOf } from '../support/secret-samples.ts'
import { testStore } from '../support/video-stack.ts'

t.setTimeout(240_000)
const { db } = await testDatabase(t)
const everyScope = (Object.keys(scopes) as Scope[]).filter((scope) => scope !== 'operator')

/** An organisation whose key has its bodies logged. */
async function watched(db: DatabasePool) {
  const { org, keys } = await testOrg(db, everyScope)
  await openWindow(db, org.id)
  return { org, key: keys.main as string }
}

const openWindow = (db: DatabasePool, orgId: string) =>
  db.query(sql.typeAlias('void')`
    insert into account.request_windows (key_id, org_id, ends_at)
    select id, org_id, now() + interval '50 minutes' from account.keys where org_id = ${orgId}`)

const Row = z.object({ operation: z.string(), request: z.boolean(), response: z.boolean(), text: z.string() })
const rowsOf = (orgId: string) =>
  db.any(sql.type(Row)`
    select operation, request_head is not null as request, response_head is not null as response, r::text as text
    from account.requests as r where org_id = ${orgId}`)

const keyed = areas.flatMap(({ operations }) => operations).filter(({ route }) => route.scope && !route.hidden)
const variants = [0, 1, 2]

/** The operation with the same schemas, but it takes every body and answers with a sample of its reply. */
function samplerOf({ route: { body, reply } }: Operation, i: number): Route {
  return route({
    method: 'POST',
    path: `/sample/${i}`,
    summary: 'Answer a sample',
    scope: 'files:write',
    limit: false,
    bodyLimit: 1_000_000,
    query: z.object({ n: z.coerce.number() }),
    body: body ? z.union([body, z.any()]) : z.any(),
    status: 200,
    reply: (reply ?? z.any()) as z.ZodType<unknown>,
    handle: async ({ query: { n } }) => new PresentedJson(JSON.stringify(reply ? sampleOf(reply, 'output', n) : {})),
  })
}

t.test('no secret of a body or a reply of any operation is in the request log', async (t) => {
  const routes = Object.fromEntries(keyed.map((operation, i) => [`s${i}`, samplerOf(operation, i)]))
  const samples = area({
    name: 'samples',
    title: 'S',
    description: 'S.',
    base: '/v1',
    platform: true,
    routes: { r: routes },
  })
  const log = { everyMs: 50, perSecond: 100_000, errorsPerSecond: 100_000 }
  const { org, key } = await watched(db)
  const { ask, app } = await testIngress(t, db, [samples], { only: [], requestLog: log })
  await until(db, org.id, async () => void (await ask('POST /v1/sample/0?n=0', { key, body: {} })))
  let sent = 0
  for (const n of variants) {
    for (const [i, { route }] of keyed.entries()) {
      const body = route.body ? sampleOf(route.body, 'input', n) : {}
      sent += JSON.stringify([body, route.reply ? sampleOf(route.reply, 'output', n) : null]).split(planted).length - 1
      const { status } = await ask(`POST /v1/sample/${i}?n=${n}`, { key, body })
      if (status !== 200) t.fail(`${keyed[i]?.id} ${status}`)
    }
  }
  await app.close()
  const rows = await rowsOf(org.id)
  t.ok(keyed.length > 300 && rows.length >= keyed.length * variants.length, `${rows.length} rows`)
  t.ok(sent > 1_000, `${sent} secrets`)
  t.ok(rows.filter(({ request, response }) => request && response).length >= keyed.length * variants.length)
  const leaks = rows
    .filter(({ text }) => text.includes(planted))
    .map(({ operation, text }) => `${keyed[Number(operation.slice('samples.r.s'.length))]?.id}: ${text.slice(0, 600)}`)
  t.same(leaks.slice(0, 20), [])
})

/** Asks until a row with bodies is there: the ingress has seen the window. */
async function until(db: DatabasePool, orgId: string, ask: () => Promise<void>): Promise<void> {
  for (const start = Date.now(); Date.now() - start < 30_000; ) {
    await ask()
    const seen = await db.exists(sql.unsafe`
      select 1 from account.requests where org_id = ${orgId} and response_head is not null`)
    if (seen) return
  }
  throw new Error('No body was logged.')
}

/** Parts of texts that only a generator makes. */
const random = /(?<![\w-])[\w-]{20,}(?![\w-])/g
const isId = (text: string) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f-]{17}$/.test(text)
const isPlain = (text: string) => isId(text) || !/\d/.test(text) || /^(\d{4}-\d\d-\d\d|[a-z_]+$)/.test(text)
const partsOf = (text: string) => [...text.matchAll(random)].map(([found]) => found).filter((found) => !isPlain(found))

t.test('what real operations show once is in no row of the log', async (t) => {
  const store = await testStore(t)
  const services = [
    provide(signingSecret, 'a secret of this test, long enough to sign with'),
    provide(storage, store.storage),
  ]
  const { org, key } = await watched(db)
  const log = { everyMs: 50, perSecond: 10_000, errorsPerSecond: 10_000 }
  const { ask, app } = await testIngress(t, db, [], { services, requestLog: log })
  await until(db, org.id, async () => void (await ask('POST /v1/stream/rooms', { key, body: { name: 'Window' } })))
  const shown: string[] = []
  const make = async (request: string, body: object) => {
    const reply = await ask(request, { key, body })
    t.ok(reply.status < 300, `${request} ${reply.status} ${reply.status < 300 ? '' : reply.text}`)
    shown.push(...partsOf(reply.text))
    return reply.body
  }
  const hook = 'http://127.0.0.1:9/services/T0AB/B0CD/abcdefghij0123456789abcd?code=abcdefghij0123456789'
  shown.push('abcdefghij0123456789')
  await make('POST /v1/account/keys', { name: 'k', scopes: ['email:send'] })
  await make('POST /v1/account/webhooks', { url: hook, types: ['*'], name: 'h' })
  for (const path of ['/send/v1/webhooks', '/push/v1/webhooks'])
    await make(`POST ${path}`, { url: hook, events: ['*'] })
  const { channelId, ingest } = await make('POST /v1/stream/live/channels', { name: 'c' })
  for (const which of ['primary', 'backup', 'srt'])
    await make(`POST /v1/stream/live/channels/${channelId}/keys/rotate`, { which })
  await make(`POST /v1/stream/live/channels/${channelId}/restreams`, {
    name: 'elsewhere',
    url: 'rtmps://live.example.com:443/app',
    streamKey: 'a-key-of-elsewhere-0123456789',
  })
  shown.push(
    'a-key-of-elsewhere-0123456789',
    ingest.rtmp.streamKey,
    new URL(ingest.srt).searchParams.get('passphrase') ?? '',
  )
  await make(`POST /v1/stream/live/channels/${channelId}/playback-sessions`, { host: '127.0.0.1' })
  const { roomId } = await make('POST /v1/stream/rooms', { name: 'r' })
  await make(`POST /v1/stream/rooms/${roomId}/tokens`, { identity: 'u' })
  await make('POST /v1/notify/stream-tokens', { user_id: '0198f1c2-7f00-7000-8000-000000000001' })
  const { uploadId } = await make('POST /v1/stream/uploads', {
    bytes: 1_000,
    browser: { origins: ['https://shop.example'] },
  })
  await make(`POST /v1/stream/uploads/${uploadId}/parts/sign`, { partNumbers: [1] })
  await make('POST /v1/files/uploads', {
    product_key: 'p',
    tenant_id: 't',
    filename: 'f.txt',
    content_type: 'text/plain',
    byte_size: 10,
    browser: { origins: ['https://shop.example'] },
  })
  const { id: appId } = await make('POST /push/v1/apps', { name: 'a' })
  await make('POST /push/v1/user-tokens', { app_id: appId, user_id: 'u' })
  const { stream } = await make('POST /push/v1/installations', {
    app_id: appId,
    user_id: 'u',
    push_provider: 'sse',
    device_id: 'd-1',
  })
  shown.push(stream.token)
  // A body that does not fit, and an error that may repeat it.
  const bad = await ask(`POST /v1/stream/rooms/${roomId}/broadcast`, {
    key,
    body: { channelId, streamKey: 'a-bad-key-0123456789abcd', stream_key: 'a-bad-key-0123456789abcd' },
  })
  t.equal(bad.status, 400)
  shown.push('a-bad-key-0123456789abcd')
  await app.close()
  const rows = await rowsOf(org.id)
  t.ok(shown.length > 40, `${shown.length} values`)
  t.ok(rows.filter(({ response }) => response).length > 20)
  const found = shown.flatMap((value) =>
    rows.filter(({ text }) => text.includes(value)).map(({ operation }) => `${operation}: ${value}`),
  )
  t.same(found, [])
})

t.test('the log has neither the text of a sensitive message nor a code and its recipient', async (t) => {
  const { org, keys } = await testOrg(db, [], {
    keys: { main: { prefix: 'bt_test_', scopes: ['sms:send', 'sms:read', 'verify:write'] } },
  })
  const key = keys.main as string
  await openWindow(db, org.id)
  const { ask, app } = await testIngress(t, db, [], {
    services: [provide(signingSecret, 'a secret of this test, long enough to sign with')],
    requestLog: { everyMs: 50, perSecond: 10_000, errorsPerSecond: 10_000 },
  })
  const send = (body: object) => ask('POST /v1/sms/messages', { key, body: { to: '+3725550123', ...body } })
  await until(db, org.id, async () => void (await send({ text: 'Warm up' })))
  t.equal((await send({ text: 'The order is ready', sensitive: false })).body.text, 'The order is ready')
  const sent = await send({ text: 'Code 808 017', sensitive: true })
  t.match([sent.status, sent.body], [200, { text: null, sensitive: true }])
  t.equal((await send({ text: 'Code 808 018', sensitive: 'yes' })).status, 400)
  const to = 'ann.of.the.log@rcpt.example'
  t.equal((await ask('POST /v1/verify/start', { key, body: { channel: 'email', to } })).status, 200)
  t.equal((await ask('POST /v1/verify/check', { key, body: { to, code: '80801901' } })).status, 200)
  t.equal((await ask('POST /v1/verify/check', { key, body: { to, code: 80801902 } })).status, 400)
  await app.close()
  const text = (await rowsOf(org.id)).map((row) => row.text).join('\n')
  t.match(text, 'The order is ready')
  t.ok(text.split('[masked]').length > 7)
  for (const hidden of ['Code 808', '8080190', to]) t.notMatch(text, hidden, hidden)
})

t.test('URLs keep what says where they lead, and lose what opens it', async (t) => {
  const rules = {
    'https://ann:pw@example.com/a/b.m3u8?x=1#y': 'https://example.com/a/b.m3u8?[masked]',
    'https://hooks.example.com/services/T0AB12CD3/B0EF45GH6/a1B2c3D4e5F6g7H8i9J0':
      'https://hooks.example.com/services/[masked]/[masked]/[masked]',
    'rtmp://a.example.com/live2/abcd': 'rtmp://a.example.com/live2/[masked]',
    'srt://a.example.com:9000?streamid=x&passphrase=y': 'srt://a.example.com:9000?[masked]',
    'https://example.com/v1/assets/0198f1c2-7f00-7000-8000-000000000001/hls':
      'https://example.com/v1/assets/0198f1c2-7f00-7000-8000-000000000001/hls',
    'See https://example.com/docs and wss://x.example/5f0e7c3a-1b2c-4d5e-8f90-112233445566':
      'See https://example.com/docs and wss://x.example/[masked]',
    'no URL, only 1://2': 'no URL, only 1://2',
  }
  for (const [text, masked] of Object.entries(rules)) t.equal(maskUrls(text), masked)
})

t.test('masking a body takes no longer for what is in it', async (t) => {
  const masked = (body: z.ZodType, given: unknown) =>
    JSON.stringify(maskBodies({ route: { body, reply: undefined } } as never).request(given))
  const tokens = Array.from({ length: 1_500 }, (_, i) => ({ token: String(10_000_000 + i) }))
  const few = masked(z.any(), [tokens[0], 'abcdefgh'])
  t.match(few, 'abcdefgh')
  const many = masked(z.any(), [...tokens, ...Array.from({ length: 3_000 }, () => 'abcdefgh')])
  t.notMatch(many, 'abcdefgh', 'of many secrets, none is looked for in other texts: these are not kept')
  let deep: unknown = 'x'
  for (let level = 0; level < 30; level++) deep = [deep]
  t.match(masked(z.strictObject({ data: z.json() }), { data: deep }), '"x"', 'of a schema that contains itself')
})

t.test('no path with a token is in the log of the process', async (t) => {
  const operations = areas.flatMap(({ operations }) => operations)
  const secret = operations.filter(({ path }) => /\{(\w*token|viewer)\}/i.test(path))
  t.ok(secret.length > 10)
  const asked = ({ path }: { path: string }) => path.replaceAll(/\{\w+\}/g, 'a-secret-value')
  t.same(
    secret
      .filter((operation) => getLoggedPath(operation, asked(operation)).includes('secret-value'))
      .map(({ id }) => id),
    [],
  )
})
