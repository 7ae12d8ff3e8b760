import { createHash, randomBytes } from 'node:crypto'
import { ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3'
import t from 'tap'
import { sql } from '#sql/db.ts'
import { sweep } from '#tasks/files/sweep.ts'
import { filesStack } from '../support/files-stack.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { partBytes, sendParts, signed } from '../support/parts.ts'
import { until } from '../support/until.ts'
import { storeKeys } from '../support/video-stack.ts'

t.setTimeout(180_000)
const stack = await filesStack(t)
const { ask, base, settled, download } = stack
const { db, store, ingress } = base
const s3 = new S3Client({
  endpoint: store.url,
  region: storeKeys.region,
  forcePathStyle: true,
  credentials: { accessKeyId: storeKeys.accessKey, secretAccessKey: storeKeys.secretKey },
})
t.teardown(() => s3.destroy())
const facts = {
  product_key: 'crm',
  tenant_id: 'acme',
  filename: 'backup.bin',
  content_type: 'application/octet-stream',
}
const whole = randomBytes(2 * partBytes + 1000)
const sha256 = createHash('sha256').update(whole).digest('hex')

const begin = async (more: object = {}) => {
  const reply = await ask('POST /v1/files/uploads/multipart', { body: { ...facts, byte_size: whole.length, ...more } })
  if (reply.status !== 201) throw new Error(`start: ${reply.status} ${reply.text}`)
  return reply.body
}
const complete = (id: string) => ask(`POST /v1/files/uploads/${id}/complete`, { body: {} })
const inParts = async () => {
  const { Uploads = [] } = await s3.send(new ListMultipartUploadsCommand({ Bucket: storeKeys.bucket }))
  return Uploads.map(({ Key = '' }) => Key)
}

await stack.startWorkers()

t.test('a file is sent in parts, completed, scanned and downloaded', async (t) => {
  const upload = await begin({ checksum_sha256: sha256 })
  t.match(upload, {
    part_size: partBytes,
    parts_expected: 3,
    recommended_concurrency: 3,
    scan_status: 'awaiting_upload',
  })
  const left = Date.parse(upload.expires_at) - Date.now()
  t.ok(left > 86_300_000 && left <= 86_400_000, 'a day')
  const id = upload.object_id
  await sendParts(ask, id, whole, [3, 1])
  t.match((await ask(`GET /v1/files/uploads/${id}`)).body, {
    state: 'open',
    parts_received: [1, 3],
    bytes_received: partBytes + 1000,
    progress_percent: 50,
  })
  const early = await complete(id)
  t.match(early, { status: 409, body: { error: { code: 'parts_missing', details: { missingParts: [2] } } } })
  await sendParts(ask, id, whole, [2])
  const done = await complete(id)
  t.match(done, { status: 200, body: { object_id: id, byte_size: whole.length } })
  t.match(await settled(id), { scan_status: 'clean', sha256 })
  const { bytes } = await download(id)
  t.ok(bytes?.equals(whole), 'the same bytes')
  t.match(await complete(id), { status: 200, body: { object_id: id, scan_status: 'clean' } }, 'a second time')
  t.match((await ask(`GET /v1/files/uploads/${id}`)).body, { state: 'completed', parts_received: [1, 2, 3] })
  const again = await ask(`POST /v1/files/uploads/${id}/parts/sign`, { body: { part_numbers: [1] } })
  t.match(again, { status: 409, body: { error: { code: 'conflict' } } }, 'no part is signed any more')
  t.equal((await ask(`DELETE /v1/files/uploads/${id}`)).status, 409)
})

t.test('a part is signed again, and a part of another size is refused', async (t) => {
  const { object_id: id } = await begin()
  const [first] = await signed(ask, id, [1])
  const [second] = await signed(ask, id, [1])
  for (const { url, bytes } of [first, second].flatMap((one) => one ?? []))
    t.equal((await fetch(url, { method: 'PUT', body: new Uint8Array(bytes) })).status, 200)
  t.equal((await fetch(first?.url ?? '', { method: 'PUT', body: new Uint8Array(10) })).status, 403)
  t.match((await ask(`GET /v1/files/uploads/${id}`)).body.parts_received, [1])
  const over = await ask(`POST /v1/files/uploads/${id}/parts/sign`, { body: { part_numbers: [1, 4, 9] } })
  t.same([over.status, fieldsOf(over)], [400, ['body.part_numbers.1', 'body.part_numbers.2']])
  t.match(over.text, /must be at most 3, the number of parts of the upload/)
  for (const part_numbers of [[], [0], [1.5], ['1'], [10_001]]) {
    const bad = await ask(`POST /v1/files/uploads/${id}/parts/sign`, { body: { part_numbers } })
    t.equal(bad.status, 400, JSON.stringify(part_numbers))
  }
})

t.test('an aborted upload frees storage immediately, also in the plan', async (t) => {
  const { object_id: id } = await begin()
  await sendParts(ask, id, whole, [1])
  t.equal((await inParts()).filter((key) => key.includes(id)).length, 1)
  t.match((await ask('GET /v1/files/uploads?product_key=crm')).body.data[0], { object_id: id, parts_expected: 3 })
  const [open] = await signed(ask, id, [2])
  t.match(await ask(`DELETE /v1/files/uploads/${id}`), { status: 200, body: { object_id: id, aborted: true } })
  for (const request of [
    `GET /v1/files/uploads/${id}`,
    `DELETE /v1/files/uploads/${id}`,
    `GET /v1/files/objects/${id}`,
  ])
    t.equal((await ask(request)).status, 404, request)
  t.equal((await complete(id)).status, 404)
  await until(async () => !(await inParts()).some((key) => key.includes(id)), { what: 'storage is freed' })
  t.equal((await fetch(open?.url ?? '', { method: 'PUT', body: new Uint8Array(open?.bytes ?? 0) })).status, 404)
})

t.test('an abandoned upload is swept with its parts', async (t) => {
  const { object_id: id } = await begin()
  await sendParts(ask, id, whole, [1])
  await db.query(sql.unsafe`update files.objects set upload_expires_at = now() - interval '2 hours' where id = ${id}`)
  // biome-ignore lint/suspicious/noExplicitAny: the sweep uses no other tools.
  await sweep.run({}, { db, signal: new AbortController().signal } as any)
  await until(async () => !(await inParts()).some((key) => key.includes(id)), { what: 'storage is freed' })
  t.equal((await ask(`GET /v1/files/uploads/${id}`)).status, 404)
})

t.test('the same idempotency key returns the same upload', async (t) => {
  const headers = { 'idempotency-key': 'backup-1' }
  const body = { ...facts, byte_size: whole.length, browser: { origins: ['https://example.com'] } }
  const [one, two] = await Promise.all([1, 2].map(() => ask('POST /v1/files/uploads/multipart', { body, headers })))
  t.equal(one?.status, 201)
  t.same(two?.body, one?.body)
  const other = await ask('POST /v1/files/uploads/multipart', { body: { ...body, byte_size: 1 }, headers })
  t.equal(other.status, 409)
})

t.test('a wrong announcement is an error of the scan, and a wrong start names each field', async (t) => {
  const { object_id: id } = await begin({ checksum_sha256: '0'.repeat(64) })
  await sendParts(ask, id, whole, [1, 2, 3])
  await complete(id)
  t.match(await settled(id), { scan_status: 'error' })
  const bad = { ...facts, byte_size: 50 * 1024 ** 3 + 1, filename: 'a/b', content_type: 'none', colour: 1 }
  const refused = await ask('POST /v1/files/uploads/multipart', { body: bad })
  t.same(fieldsOf(refused), ['body.byte_size', 'body.colour', 'body.content_type', 'body.filename'])
  const { product_key: _, tenant_id: __, ...ownerless } = facts
  const none = await ask('POST /v1/files/uploads/multipart', { body: { ...ownerless, byte_size: 1 } })
  t.same([none.status, fieldsOf(none)], [400, ['body.product_key', 'body.tenant_id']])
  t.equal((await ask('POST /v1/files/uploads/multipart', { body: { ...facts, byte_size: 0 } })).status, 400)
})

t.test('uploads belong to an organisation, and to the tenant of a key', async (t) => {
  const { object_id: id } = await begin()
  const stranger = (await testOrg(db, ['files:read', 'files:write'])).keys.main
  const requests = [
    [`GET /v1/files/uploads/${id}`, undefined],
    [`POST /v1/files/uploads/${id}/parts/sign`, { part_numbers: [1] }],
    [`POST /v1/files/uploads/${id}/complete`, {}],
    [`DELETE /v1/files/uploads/${id}`, undefined],
  ] as const
  for (const [request, body] of requests)
    t.equal((await ingress.ask(request, { key: stranger, ...(body && { body }) })).status, 404, request)
  t.equal((await ask(`GET /v1/files/uploads/${id}?tenant_id=other`)).status, 404)
  t.same((await ask('GET /v1/files/uploads?tenant_id=other')).body.data, [])
  const single = await stack.start('one')
  t.equal((await ask(`GET /v1/files/uploads/${single.object_id}`)).status, 404, 'an upload in one request has no parts')
})

t.test('a version is uploaded in parts', async (t) => {
  const first = await stack.send('the first version')
  await settled(first.body.object_id)
  const path = `POST /v1/files/objects/${first.body.object_id}/versions/multipart`
  const body = { content_type: 'application/octet-stream', byte_size: whole.length, filename: 'backup.bin' }
  const reply = await ask(path, { body })
  t.match(reply, { status: 201, body: { version: 2, version_of: first.body.object_id } })
  await sendParts(ask, reply.body.object_id, whole, [1, 2, 3])
  await complete(reply.body.object_id)
  t.match(await settled(reply.body.object_id), { scan_status: 'clean', version: 2 })
  t.ok((await download(first.body.object_id)).bytes?.equals(whole))
})

t.test('the limit of the plan counts uploads that are not complete', async (t) => {
  const { keys } = await testOrg(db, ['files:read', 'files:write'], { plan: 'free' })
  const over = async (byte_size: number) =>
    await ask('POST /v1/files/uploads/multipart', { key: keys.main, body: { ...facts, byte_size } })
  t.match(await over(2 * 1024 ** 3 + 1), { status: 400, body: { error: { code: 'plan_limit_exceeded' } } })
  const started = await over(2 * 1024 ** 3)
  t.equal(started.status, 201, 'more than is scanned completely')
  for (let i = 0; i < 4; i++) await over(2 * 1024 ** 3)
  t.match((await over(1)).body.error, { code: 'plan_limit_exceeded', details: { limit: 'storage_bytes' } })
  await ask(`DELETE /v1/files/uploads/${started.body.object_id}`, { key: keys.main })
  t.equal((await over(1)).status, 201, 'an abort releases the quota')
})
