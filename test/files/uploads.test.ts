import { createHash } from 'node:crypto'
import t from 'tap'
import { testClient } from '../support/files-client.ts'
import { tryPut } from '../support/files-stack.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { videoStack } from '../support/video-stack.ts'

t.setTimeout(240_000)
const base = await videoStack(t, { areas: ['files'] })
const { db, store } = base
const scopes = ['files:read', 'files:write']
const { org, keys } = await testOrg(db, scopes, { plan: 'free' })
const client = testClient(base, keys.main)
const { ask, start } = client
const sha256 = (bytes: string) => createHash('sha256').update(bytes).digest('hex')

t.test('a start names every wrong field', async (t) => {
  const reply = await ask('POST /v1/files/uploads', {
    body: {
      product_key: ' crm',
      tenant_id: 'acme ',
      filename: '../../etc/passwd',
      content_type: 'nonsense',
      byte_size: -1,
      checksum_sha256: 'abc',
      colour: 'red',
    },
  })
  t.equal(reply.status, 400)
  t.strictSame(fieldsOf(reply), [
    'body.byte_size',
    'body.checksum_sha256',
    'body.colour',
    'body.content_type',
    'body.filename',
    'body.product_key',
    'body.tenant_id',
  ])
  t.equal((await ask('POST /v1/files/uploads', { body: {} })).status, 400)
})

t.test('size, type and checksum are signed: the store takes nothing else', async (t) => {
  const upload = await start('exactly', { checksum_sha256: sha256('exactly') })
  const { upload_url, upload_headers } = upload
  t.strictSame(upload_headers, {
    'content-type': 'text/plain',
    'x-amz-checksum-sha256': createHash('sha256').update('exactly').digest('base64'),
  })
  const other = createHash('sha256').update('another').digest('base64')
  const refused = [
    await tryPut(upload_url, 'too long by far', upload_headers),
    await tryPut(upload_url, 'exactly', { ...upload_headers, 'content-type': 'text/html' }),
    await tryPut(upload_url, 'another', upload_headers),
    await tryPut(upload_url, 'another', { ...upload_headers, 'x-amz-checksum-sha256': other }),
    await tryPut(upload_url.replace(/incoming\/./, 'incoming/_'), 'exactly', upload_headers),
  ]
  t.strictSame(
    refused.map(({ status }) => status),
    [403, 403, 400, 403, 403],
  )
  t.strictSame(await store.list('incoming/'), [])
  t.equal((await tryPut(upload_url, 'exactly', upload_headers)).status, 200)
  t.equal((await store.list('incoming/')).length, 1)
  t.equal((await fetch(upload_url)).status, 403, 'and it reads nothing')
})

t.test('a plan’s limits hold, and so does what can be scanned', async (t) => {
  const over = async (byte_size: number, key = keys.main) =>
    (await ask('POST /v1/files/uploads', { key, body: { ...client.facts, byte_size } })).body.error
  t.match(await over(2 ** 30 + 1), {
    code: 'plan_limit_exceeded',
    details: { field: 'body.byte_size', limit: 'upload_bytes', max: 2 ** 30 },
  })
  const { keys: others } = await testOrg(db, scopes, { plan: 'free' })
  for (let i = 0; i < 10; i++) t.notOk(await over(2 ** 30, others.main))
  t.match(await over(1, others.main), { code: 'plan_limit_exceeded', details: { limit: 'storage_bytes' } })
})

t.test('nothing is completed that has not arrived', async (t) => {
  const upload = await start('not sent')
  const path = `/v1/files/uploads/${upload.object_id}/complete`
  t.match(await ask(`POST ${path}`, { body: {} }), { status: 409, body: { error: { code: 'not_uploaded' } } })
  t.match(await ask(`POST /v1/files/objects/${upload.object_id}/scan`, { body: {} }), {
    status: 409,
    body: { error: { code: 'no_bytes' } },
  })
  t.match(await ask(`POST /v1/files/objects/${upload.object_id}/download-url`, { body: {} }), {
    status: 409,
    body: { error: { code: 'not_clean', details: { scan_status: 'awaiting_upload' } } },
  })
  const wrong = await ask(`POST ${path}`, { body: { force: true, tenant_id: 7 } })
  t.strictSame(fieldsOf(wrong), ['body.force', 'body.tenant_id'])
})

t.test('completed without a scanner, an object waits and is not served; many completions are one', async (t) => {
  const upload = await start('waits')
  await tryPut(upload.upload_url, 'waits', upload.upload_headers)
  const path = `POST /v1/files/uploads/${upload.object_id}/complete`
  const replies = await Promise.all(Array.from({ length: 5 }, () => ask(path, { body: {} })))
  for (const reply of replies) t.match(reply, { status: 200, body: { scan_status: 'pending', verdict: null } })
  t.equal((await store.list(`files/objects/${upload.object_id}/`)).length, 1, 'the copies of the losers are gone')
  t.equal((await ask(`GET /v1/files/objects/${upload.object_id}/scans`)).body.data.length, 1)
  t.match(await ask(`POST /v1/files/objects/${upload.object_id}/download-url`, { body: {} }), { status: 409 })
  const { body } = await ask('GET /v1/files/health', { key: '' })
  t.match(body, { status: 'degraded', database: 'ok', storage: 'ok', scanner: 'away', notice: /No malware scanner/ })
})

t.test('an object is found by its organisation and tenant alone', async (t) => {
  const { object_id } = await start('mine')
  const { keys: strangers } = await testOrg(db, scopes)
  const asked = async (key: string, tenant?: string) => {
    const query = tenant ? `?tenant_id=${tenant}` : ''
    const body = tenant ? { tenant_id: tenant } : {}
    const replies = [
      await ask(`GET /v1/files/objects/${object_id}${query}`, { key }),
      await ask(`GET /v1/files/objects/${object_id}/scans${query}`, { key }),
      await ask(`POST /v1/files/uploads/${object_id}/complete`, { key, body }),
      await ask(`POST /v1/files/objects/${object_id}/scan`, { key, body }),
      await ask(`POST /v1/files/objects/${object_id}/download-url`, { key, body }),
      await ask(`DELETE /v1/files/objects/${object_id}${query}`, { key }),
    ]
    return replies.map(({ status }) => status)
  }
  const nowhere = Array(6).fill(404)
  t.strictSame(await asked(strangers.main), nowhere)
  t.strictSame(await asked(keys.main, 'globex'), nowhere)
  const locked = await client.lockedKey(org.id, 'globex', scopes)
  t.strictSame(await asked(locked), nowhere)
  t.strictSame(await asked(locked, 'acme'), nowhere)
  const facts = { ...client.facts, byte_size: 1 }
  t.equal((await ask('POST /v1/files/uploads', { key: locked, body: facts })).status, 403)
  const own = await ask('POST /v1/files/uploads', { key: locked, body: { ...facts, tenant_id: 'globex' } })
  t.equal(own.status, 200)
  const listed = await ask('GET /v1/files/objects', { key: locked })
  t.strictSame(
    listed.body.data.map((each: { object_id: string }) => each.object_id),
    [own.body.object_id],
  )
  t.equal((await ask('GET /v1/files/objects?scan_status=tidy')).status, 400)
  const { keys: readers } = await testOrg(db, ['files:read'])
  t.equal((await ask('POST /v1/files/uploads', { key: readers.main, body: facts })).status, 403)
  t.strictSame(
    (await ask(`GET /v1/files/objects/${object_id}`, { headers: { 'x-api-key': keys.main }, key: '' })).status,
    200,
  )
  t.equal((await ask(`DELETE /v1/files/objects/${object_id}`)).status, 200)
  t.equal((await ask(`GET /v1/files/objects/${object_id}`)).status, 404)
})
