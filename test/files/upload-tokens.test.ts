import { randomBytes } from 'node:crypto'
import t from 'tap'
import * as keys from '#sql/account/keys.ts'
import { sql } from '#sql/db.ts'
import { testClient } from '../support/files-client.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { partBytes, sendParts } from '../support/parts.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'

t.setTimeout(120_000)
const base = await videoStack(t, { areas: ['files'] })
const { db, ingress } = base
const scopes = ['files:read', 'files:write', 'stream:read', 'stream:write']
const { org, keys: own } = await testOrg(db, scopes, { plan: 'unlimited' })
const { ask, lockedKey } = testClient(base, own.main)
const origin = 'https://shop.example.com'
const owner = { product_key: 'crm', tenant_id: 'acme' }
const fact = { filename: 'photo.png', content_type: 'image/png', byte_size: 1_000 }

const create = async (more: object = {}, key = own.main) => {
  const body = { ...owner, max_bytes: 20 * partBytes, max_files: 2, origins: [origin], ...more }
  return await ask('POST /v1/files/upload-tokens', { key, body })
}
const tokenOf = async (more: object = {}) => (await create(more)).body
const startAs = (token: string, more: object = {}, headers: Record<string, string> = { origin }) =>
  ingress.ask('POST /v1/files/uploads/multipart', { key: token, body: { ...fact, ...more }, headers })

t.test('a page starts and sends an upload with a token, for the product and tenant of the token', async (t) => {
  const { upload_token: token, upload_token_id: id } = await tokenOf()
  const bytes = randomBytes(partBytes + 10)
  const started = await startAs(token, { byte_size: bytes.length })
  t.match(started, { status: 201, body: { parts_expected: 2 } })
  t.equal(started.headers.get('access-control-allow-origin'), origin)
  const { object_id, upload_token } = started.body
  await sendParts(ingress.ask, object_id, bytes, [1, 2], { key: upload_token, headers: { origin } })
  const path = `/v1/files/uploads/${object_id}`
  const page = { key: upload_token, headers: { origin } }
  t.match((await ingress.ask(`GET ${path}`, page)).body, { parts_received: [1, 2] })
  t.match(await ingress.ask(`POST ${path}/complete`, { ...page, body: {} }), { status: 200, body: owner })
  t.match((await ask('GET /v1/files/upload-tokens')).body.data[0], { upload_token_id: id, files_started: 1, ...owner })
  for (const request of ['POST /v1/files/uploads', 'GET /v1/files/objects', 'POST /v1/stream/uploads']) {
    const body = request.startsWith('POST') ? { body: {} } : {}
    t.match((await ingress.ask(request, { key: token, headers: { origin }, ...body })).status, /40[13]/, request)
  }
  t.equal((await ingress.ask(`GET ${path}`, { key: token, headers: { origin } })).status, 403, 'it starts only')
  t.equal((await startAs(upload_token)).status, 403, 'the token of an upload starts none')
})

t.test('limits of a token: files, size, type, owner, origin', async (t) => {
  const { upload_token: token } = await tokenOf({ max_bytes: 1_000, content_types: ['image/*', 'application/pdf'] })
  const refused = await startAs(token, { byte_size: 1_001, content_type: 'text/html' })
  t.same([refused.status, fieldsOf(refused)], [400, ['body.byte_size', 'body.content_type']])
  t.match(refused.text, /must be image\/\* or application\/pdf with this upload token/)
  t.same(fieldsOf(await startAs(token, { tenant_id: 'other', product_key: 'crm' })), ['body.tenant_id'])
  t.equal((await startAs(token, {}, { origin: 'https://other.example.com' })).status, 403)
  t.equal(
    (await startAs(token, { content_type: 'application/pdf; charset=x' })).status,
    201,
    'refused starts do not count',
  )
  t.equal((await startAs(token)).status, 201)
  t.match(await startAs(token), {
    status: 403,
    body: { error: { code: 'upload_not_allowed', details: { max_files: 2 } } },
  })
})

t.test('starts at the same time never pass the number of files', async (t) => {
  const { upload_token: token } = await tokenOf({ max_files: 3 })
  const all = await Promise.all(Array.from({ length: 8 }, () => startAs(token)))
  t.same(all.map(({ status }) => status).sort(), [201, 201, 201, 403, 403, 403, 403, 403])
})

t.test('a repeat with an idempotency key returns the upload, and other pages get others', async (t) => {
  const [{ upload_token: one }, { upload_token: two }] = [await tokenOf(), await tokenOf()]
  const headers = { origin, 'idempotency-key': 'photo' }
  const [first, again, other] = [
    await startAs(one, {}, headers),
    await startAs(one, {}, headers),
    await startAs(two, {}, headers),
  ]
  t.equal(again.body.object_id, first.body.object_id)
  t.not(other.body.object_id, first.body.object_id)
  const kept = await db.anyFirst(sql.unsafe`select reply from account.idempotency where key = 'photo'`)
  t.notOk(
    kept.some((reply) => String(reply).includes(first.body.upload_token)),
    'no token is stored',
  )
})

t.test('a revoked token starts no upload and continues none', async (t) => {
  const { upload_token: token, upload_token_id: id } = await tokenOf()
  const { object_id, upload_token } = (await startAs(token)).body
  const read = () => ingress.ask(`GET /v1/files/uploads/${object_id}`, { key: upload_token, headers: { origin } })
  t.equal((await read()).status, 200)
  t.match(await ask(`DELETE /v1/files/upload-tokens/${id}`), {
    status: 200,
    body: { upload_token_id: id, revoked: true },
  })
  t.equal((await read()).status, 401)
  t.match(await startAs(token), { status: 401, body: { error: { message: /has been revoked/ } } })
  t.equal((await ask(`DELETE /v1/files/upload-tokens/${id}`)).status, 200, 'again')
  const stranger = (await testOrg(db, scopes)).keys.main
  t.equal((await ask(`DELETE /v1/files/upload-tokens/${id}`, { key: stranger })).status, 404)
  t.same((await ask('GET /v1/files/upload-tokens', { key: stranger })).body.data, [])
})

t.test('a token ends with its time, and with its key', async (t) => {
  const { upload_token: token } = await tokenOf({ expires_in: 60 })
  const clock = Date.now
  t.teardown(() => {
    Date.now = clock
  })
  Date.now = () => clock() + 61_000
  t.match(await startAs(token), { status: 401, body: { error: { message: /expired/ } } })
  Date.now = clock
  const second = await testOrg(db, scopes)
  const made = await create({}, second.keys.main)
  const [row] = await keys.list(db, second.org.id)
  await keys.revoke(db, second.org.id, String(row?.id))
  await until(async () => (await startAs(made.body.upload_token)).status === 401, { timeout: 10_000, what: 'it ends' })
})

t.test('a key of one tenant creates, lists and revokes only its tokens', async (t) => {
  const key = await lockedKey(org.id, 'acme', ['files:read', 'files:write'])
  t.equal((await create({ tenant_id: 'other' }, key)).status, 403)
  const { upload_token_id: id } = await tokenOf({ tenant_id: 'other' })
  t.equal((await ask(`DELETE /v1/files/upload-tokens/${id}`, { key })).status, 404)
  const { data } = (await ask('GET /v1/files/upload-tokens', { key })).body
  t.ok(data.length > 0 && data.every((one: { tenant_id: string }) => one.tenant_id === 'acme'))
})

t.test('videos: a page sets what describes the file, and nothing else', async (t) => {
  const body = { max_bytes: 10_000_000, max_files: 2, origins: [origin], content_types: ['video/*'] }
  const { upload_token: token, upload_token_id: id } = (await ask('POST /v1/stream/upload-tokens', { body })).body
  const start = (more: object) =>
    ingress.ask('POST /v1/stream/uploads', {
      key: token,
      headers: { origin },
      body: { bytes: 100, mimeType: 'video/mp4', ...more },
    })
  const refused = await start({ externalRef: 'x', metadata: { a: 'b' } })
  t.same([refused.status, fieldsOf(refused)], [400, ['body.externalRef', 'body.metadata']])
  t.same(fieldsOf(await start({ bytes: 10_000_001, mimeType: 'image/gif' })), ['body.bytes', 'body.mimeType'])
  const started = await start({ title: 'My ride' })
  t.equal(started.status, 201)
  const read = await ingress.ask(`GET /v1/stream/uploads/${started.body.uploadId}`, {
    key: started.body.upload_token,
    headers: { origin },
  })
  t.match(read, { status: 200, body: { state: 'open' } })
  t.match((await ask('GET /v1/stream/upload-tokens')).body.data, [{ upload_token_id: id, files_started: 1 }])
  await ask(`DELETE /v1/stream/upload-tokens/${id}`)
  t.equal((await start({})).status, 401)
  t.equal((await startAs(token)).status, 403, 'a token of videos starts no file')
})

t.test('a token with wrong fields is refused by name', async (t) => {
  const bad = {
    product_key: ' a',
    max_bytes: 0,
    max_files: 0,
    origins: ['*'],
    content_types: ['png'],
    expires_in: 1,
    more: 1,
  }
  const reply = await ask('POST /v1/files/upload-tokens', { body: bad })
  t.same(fieldsOf(reply), [
    'body.content_types.0',
    'body.expires_in',
    'body.max_bytes',
    'body.max_files',
    'body.more',
    'body.origins.0',
    'body.product_key',
    'body.tenant_id',
  ])
})
