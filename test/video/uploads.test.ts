import t from 'tap'
import { sql } from '#sql/db.ts'
import * as uploads from '#sql/video/uploads.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { sweepUploads } from '#tasks/video/sweep-uploads.ts'
import * as plans from '../../sql/account/plans.ts'
import { fieldsOf as faultsOf, type Reply, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { noise, putPart, type Started, videoStack } from '../support/video-stack.ts'

const stack = await videoStack(t)
const MiB = 1024 ** 2
const fieldsOf = (reply: Reply) => [...new Set(faultsOf(reply))]
const { ask, db, store } = stack

const start = (body: Record<string, unknown>, headers: Record<string, string> = {}) =>
  ask('POST /v1/stream/uploads', { body, headers })
async function started(bytes: number, more: Record<string, unknown> = {}): Promise<Started> {
  const reply = await start({ bytes, ...more })
  if (reply.status !== 201) throw new Error(reply.text)
  return reply.body
}
const sign = (uploadId: string, partNumbers: unknown) =>
  ask(`POST /v1/stream/uploads/${uploadId}/parts/sign`, { body: { partNumbers } })
const move = (uploadId: string, verb: 'complete' | 'pause' | 'resume') =>
  ask(`POST /v1/stream/uploads/${uploadId}/${verb}`)
const status = async (uploadId: string) => (await ask(`GET /v1/stream/uploads/${uploadId}`)).body
const abort = (uploadId: string) => ask(`DELETE /v1/stream/uploads/${uploadId}`)
const row = async (uploadId: string) => (await uploads.findAny(db, uploadId)) as uploads.Upload
/** PUTs a part of a size that it should not have, as only a store that checks no signed length takes it. */
async function putOddPart(uploadId: string, number: number, body: Buffer): Promise<void> {
  const { asset_id, storage_upload } = await row(uploadId)
  const { multipart } = store.storage
  const part = { number, bytes: body.length }
  const url = await multipart.sign(uploads.sourceKey(asset_id), storage_upload as string, part, 60)
  t.equal((await fetch(url, { method: 'PUT', body: body as RequestInit['body'] & {} })).status, 200)
}
/** What storage holds of an upload: null when it knows it no more. */
async function stored(uploadId: string) {
  const { asset_id, storage_upload } = await row(uploadId)
  return storage_upload ? await store.storage.multipart.list(uploads.sourceKey(asset_id), storage_upload) : null
}

t.test('start answers exactly the six fields of the contract', async (t) => {
  const { status, body, headers } = await start({ bytes: 20 * MiB, filename: 'a.mp4' })
  t.equal(status, 201)
  const names = 'uploadId assetId partSizeBytes partsExpected recommendedConcurrency expiresAt'.split(' ')
  t.strictSame(Object.keys(body).sort(), names.sort())
  t.equal(new Date(body.expiresAt).toISOString(), body.expiresAt, 'ISO 8601')
  t.ok(Date.parse(body.expiresAt) > Date.now() + 3_600_000)
  t.ok(body.recommendedConcurrency >= 1)
  t.ok(headers.get('x-request-id'))
})

t.test('parts are all alike but the last, at least 5 MiB and at most 10,000', async (t) => {
  const sizes = [1, 5 * MiB - 1, 5 * MiB, 5 * MiB + 1, 50 * MiB, 5 * 1024 * MiB, 10_000 * 64 * MiB]
  for (const bytes of sizes) {
    const { partSizeBytes, partsExpected } = await started(bytes)
    t.ok(partSizeBytes >= 5 * MiB, `${bytes}: storage refuses smaller parts`)
    t.ok(partsExpected >= 1 && partsExpected <= 10_000, `${bytes}: ${partsExpected} parts`)
    const last = bytes - partSizeBytes * (partsExpected - 1)
    t.ok(last > 0 && last <= partSizeBytes, `${bytes}: the last part has ${last}`)
  }
  const past = await start({ bytes: 10_000 * 64 * MiB + 1 })
  t.equal(past.status, 400)
  t.strictSame(fieldsOf(past), ['body.bytes'])
})

t.test('every bad field is named at once', async (t) => {
  const bad = {
    filename: '',
    mimeType: 7,
    title: 'x'.repeat(501),
    externalRef: [],
    processingProfile: 'best',
    extra: 1,
  }
  const reply = await start({ bytes: 1.5, idempotencyKey: '', ...bad })
  t.equal(reply.status, 400)
  t.equal(reply.body.error.code, 'bad_request')
  const named = 'bytes externalRef extra filename idempotencyKey mimeType processingProfile title'.split(' ')
  t.strictSame(
    fieldsOf(reply),
    named.map((name) => `body.${name}`),
  )
  for (const bytes of [0, -1, '1', null, 1e20]) t.strictSame(fieldsOf(await start({ bytes })), ['body.bytes'])
  t.strictSame(fieldsOf(await start({})), ['body.bytes'])
  t.strictSame(fieldsOf(await start({ bytes: 1, watermark: {} })), ['body.watermark.watermarkId'])
  const watermark = { watermarkId: 'x', position: 'middle', opacity: 0.91 }
  const wrong = ['watermarkId', 'position', 'opacity'].map((name) => `body.watermark.${name}`)
  t.strictSame(fieldsOf(await start({ bytes: 1, watermark })).toSorted(), wrong.toSorted())
})

t.test('a plan limits the upload and the storage', async (t) => {
  const [base] = await plans.list(db)
  await plans.put(db, {
    ...(base as plans.Plan),
    name: 'small',
    upload_bytes: 8_000,
    storage_bytes: 10_000,
    key_burst: 1e9,
  })
  const { keys } = await testOrg(db, ['stream:write'], { plan: 'small' })
  const begin = (bytes: number) => ask('POST /v1/stream/uploads', { key: keys.main, body: { bytes } })
  const over = await begin(8_001)
  t.match(over, { status: 400, body: { error: { code: 'plan_limit_exceeded', details: { field: 'body.bytes' } } } })
  t.match(over.body.error.message, /8000 bytes/)

  const both = await Promise.all([begin(6_000), begin(6_000)])
  t.strictSame(both.map(({ status }) => status).sort(), [201, 400], 'two at once do not both take the last of it')
  t.equal(both.find(({ status }) => status === 400)?.body.error.code, 'plan_limit_exceeded')
  const taken = both.find(({ status }) => status === 201)
  t.equal((await begin(4_000)).status, 201, 'what is left is there')
  t.equal((await begin(1)).status, 400)
  t.equal((await ask(`DELETE /v1/stream/uploads/${taken?.body.uploadId}`, { key: keys.main })).status, 200)
  t.equal((await begin(6_000)).status, 201, 'an abort frees the quota at once')
})

t.test('the same idempotency key is the same session, in the body or the header', async (t) => {
  const body = { bytes: 7, idempotencyKey: 'in-body' }
  const [one, two, three] = await Promise.all([start(body), start(body), start(body)])
  t.strictSame([one.status, two.status, three.status], [201, 201, 201])
  t.equal(new Set([one, two, three].map((reply) => reply.body.uploadId)).size, 1)
  t.match(await start({ ...body, bytes: 8 }), { status: 409, body: { error: { code: 'conflict' } } })

  const header = { 'idempotency-key': 'in-header' }
  const first = await start({ bytes: 7 }, header)
  const again = await start({ bytes: 7 }, header)
  t.equal(again.body.uploadId, first.body.uploadId)
  t.equal(again.headers.get('idempotent-replayed'), 'true')
  t.equal((await start({ bytes: 9 }, header)).status, 409)
  t.not((await start({ bytes: 7 })).body.uploadId, first.body.uploadId, 'without a key, a session of its own')

  const { keys } = await testOrg(db, ['stream:write'])
  const foreign = await ask('POST /v1/stream/uploads', { key: keys.main, body })
  t.equal(foreign.status, 201)
  t.not(foreign.body.uploadId, one.body.uploadId, 'keys are the organisation’s own')
})

t.test('signing again is safe, and out-of-range numbers are named', async (t) => {
  const { uploadId } = await started(6 * MiB)
  const first = await sign(uploadId, [1, 2])
  t.equal(first.status, 201)
  t.strictSame(
    first.body.parts.map((part: { partNumber: number }) => part.partNumber),
    [1, 2],
  )
  t.strictSame(
    first.body.parts.map((part: { bytes: number }) => part.bytes),
    [5 * MiB, MiB],
  )
  const [big] = first.body.parts
  const body = noise(5 * MiB)
  t.equal((await fetch(big.url, { method: 'PUT', body })).status, 200)
  t.equal((await sign(uploadId, [1, 2])).status, 201)
  t.strictSame((await status(uploadId)).partsReceived, [1], 'what has arrived stays')
  t.equal((await fetch(big.url, { method: 'PUT', body })).status, 200, 'the earlier URL works on')

  t.strictSame(fieldsOf(await sign(uploadId, [1, 3, 2, 900])), ['body.partNumbers.1', 'body.partNumbers.3'])
  t.strictSame(
    fieldsOf(await sign(uploadId, [0, -1, 1.5])),
    [0, 1, 2].map((i) => `body.partNumbers.${i}`),
  )
  t.strictSame(fieldsOf(await sign(uploadId, [])), ['body.partNumbers'])
  t.strictSame(fieldsOf(await sign(uploadId, 1)), ['body.partNumbers'])

  const long = await started(200 * 5 * MiB)
  const batch = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)
  const hundred = await sign(long.uploadId, batch(1, 100))
  t.equal(hundred.status, 201)
  t.equal(new Set(hundred.body.parts.map((part: { url: string }) => part.url)).size, 100)
  t.strictSame(fieldsOf(await sign(long.uploadId, batch(1, 101))), ['body.partNumbers'], 'a batch is 100 at most')
})

t.test('a part URL takes the bytes that its part has, and no more and no fewer', async (t) => {
  const { uploadId } = await started(5 * MiB + 1)
  const { body } = await sign(uploadId, [1, 2])
  const [whole, last] = body.parts.map((part: { url: string }) => part.url)
  const send = async (url: string, bytes: RequestInit['body']) =>
    (await fetch(url, { method: 'PUT', body: bytes ?? null, duplex: 'half' } as RequestInit)).status
  t.equal(await send(last, noise(2)), 403)
  t.equal(await send(last, noise(40 * MiB)), 403)
  t.equal(await send(last, ''), 403)
  t.equal(await send(last, new Blob([noise(2 * MiB)]).stream()), 403, 'nor a body of a length that nobody says')
  t.equal(await send(whole, noise(5 * MiB - 1)), 403)
  t.strictSame(await stored(uploadId), [], 'nothing of them is stored')
  t.equal(await send(last, noise(1)), 200)
  t.equal(await send(whole, noise(5 * MiB)), 200)
  t.strictSame((await status(uploadId)).partsReceived, [1, 2])
})

t.test('two first signatures at once begin one upload in storage', async (t) => {
  const { uploadId, assetId } = await started(6 * MiB)
  const both = await Promise.all([sign(uploadId, [1]), sign(uploadId, [2])])
  const headers = { 'content-encoding': 'br', 'content-disposition': 'inline', 'cache-control': 'public' }
  const puts = both.map(({ body }, i) =>
    fetch(body.parts[0].url, { method: 'PUT', body: noise(i ? MiB : 5 * MiB), headers }),
  )
  t.strictSame(
    (await Promise.all(puts)).map((answer) => answer.status),
    [200, 200],
  )
  t.strictSame((await status(uploadId)).partsReceived, [1, 2])
  t.equal((await move(uploadId, 'complete')).status, 201)
  const { encoding, hasMetadata } = (await store.storage.head(uploads.sourceKey(assetId))) ?? {}
  t.strictSame({ encoding, hasMetadata }, { encoding: null, hasMetadata: false }, 'and their headers are nothing to it')
})

t.test('an upload of another organisation is not there', async (t) => {
  const { uploadId } = await started(5)
  const { keys } = await testOrg(db, ['stream:read', 'stream:write'])
  const path = `/v1/stream/uploads/${uploadId}`
  const requests = [
    `GET ${path}`,
    `DELETE ${path}`,
    `POST ${path}/pause`,
    `POST ${path}/resume`,
    `POST ${path}/complete`,
  ]
  for (const request of requests) {
    const reply = await ask(request, { key: keys.main })
    t.match(reply, { status: 404, body: { error: { code: 'not_found' } } }, request)
  }
  const signed = await ask(`POST ${path}/parts/sign`, { key: keys.main, body: { partNumbers: [1] } })
  t.equal(signed.status, 404)
  t.equal((await status(uploadId)).state, 'open', 'and nothing happened to it')
  t.equal((await ask(`GET /v1/stream/uploads/${crypto.randomUUID()}`)).status, 404)
})

t.test('a key without the scope may not', async (t) => {
  const { keys } = await testOrg(db, ['stream:read'])
  t.equal((await ask('POST /v1/stream/uploads', { key: keys.main, body: { bytes: 1 } })).status, 403)
  const anonymous = await stack.ingress.ask('POST /v1/stream/uploads', { body: { bytes: 1 } })
  t.equal(anonymous.status, 401)
})

t.test('complete names missing and wrong-sized parts, then completes', async (t) => {
  const { uploadId, assetId } = await started(11 * MiB)
  const parts = [noise(5 * MiB), noise(5 * MiB), noise(MiB)] as const
  const none = await move(uploadId, 'complete')
  t.match(none, { status: 409, body: { error: { code: 'parts_missing' } } })
  t.strictSame(none.body.error.details, { missingParts: [1, 2, 3], wrongSizeParts: [] })

  await putPart(stack, uploadId, 3, parts[2])
  await putOddPart(uploadId, 2, noise(5 * MiB - 1))
  const some = await move(uploadId, 'complete')
  t.match(some, { status: 409, body: { error: { code: 'parts_missing' } } })
  const wrong = { partNumber: 2, bytes: 5 * MiB - 1, expectedBytes: 5 * MiB }
  t.strictSame(some.body.error.details, { missingParts: [1], wrongSizeParts: [wrong] })
  t.match(some.body.error.message, /Missing parts: 1\. .*wrong size: 2 \(5242879 bytes, not 5242880\)\./)
  const half = await status(uploadId)
  t.match(half, { state: 'open', partsReceived: [3], bytesReceived: MiB, progress_percent: 9 })
  t.match(await stack.read(assetId), { status: 'uploading', upload_id: uploadId, progress_percent: 0 })

  await putPart(stack, uploadId, 1, parts[0])
  const odd = await move(uploadId, 'complete')
  t.match(odd, { status: 409, body: { error: { code: 'part_size_mismatch' } } })
  t.strictSame(odd.body.error.details, { missingParts: [], wrongSizeParts: [wrong] })
  await putPart(stack, uploadId, 2, parts[1])
  t.match(await move(uploadId, 'complete'), { status: 201, body: { uploadId, assetId, status: 'processing' } })
  t.match(await status(uploadId), { state: 'completed', bytesReceived: 11 * MiB, progress_percent: 100 })
  const whole = await fetch(await store.storage.signGet(uploads.sourceKey(assetId), 60))
  t.ok(Buffer.concat(parts).equals(Buffer.from(await whole.arrayBuffer())), 'joined in order')
})

t.test('completing again, later or at once, answers the same and starts one probe', async (t) => {
  const { uploadId, assetId } = await started(6 * MiB)
  await putPart(stack, uploadId, 1, noise(5 * MiB))
  await putPart(stack, uploadId, 2, noise(MiB))
  const replies = await Promise.all([1, 2, 3, 4].map(() => move(uploadId, 'complete')))
  replies.push(await move(uploadId, 'complete'))
  t.strictSame(
    replies.map(({ status }) => status),
    [201, 201, 201, 201, 201],
  )
  for (const { body } of replies) t.match(body, { uploadId, assetId, status: 'processing' })
  t.equal(await probes(assetId), 1)
})

t.test(
  'an upload waits with its completion while its organisation’s plan is full; what was completed is not',
  async (t) => {
    const [base] = await plans.list(db)
    await plans.put(db, { ...(base as plans.Plan), name: 'tight', key_burst: 1e9, waiting_jobs: 1 })
    const { keys } = await testOrg(db, ['stream:read', 'stream:write'], { plan: 'tight' })
    const tight = { ...stack, ask: (request: string, more = {}) => stack.ask(request, { key: keys.main, ...more }) }
    const sent = async (): Promise<string> => {
      const { body } = await tight.ask('POST /v1/stream/uploads', { body: { bytes: 1_000 } })
      await putPart(tight, body.uploadId, 1, noise(1_000))
      return body.uploadId
    }
    const [first, second] = [await sent(), await sent()]
    const complete = (uploadId: string) => tight.ask(`POST /v1/stream/uploads/${uploadId}/complete`)
    t.equal((await complete(first)).status, 201)
    const full = await complete(second)
    t.match(full, { status: 429, body: { error: { code: 'rate_limited', details: { pool: 'media-intake', max: 1 } } } })
    t.ok(Number(full.headers.get('retry-after')) >= 1)
    t.equal((await complete(first)).status, 201, 'a repeat is answered as before')
    t.equal((await row(second)).state, 'open', 'nothing of it is lost')
    const given = await tight.ask(`DELETE /v1/stream/uploads/${second}`)
    t.equal(given.status, 200, 'what frees room is never refused')
  },
)

const probes = (assetId: string) =>
  db.oneFirst(sql.typeAlias('count')`select count(*) from jobs.runs where subject = ${assetId}`)

t.test('a lost answer costs nothing: parts that were joined already complete', async (t) => {
  const { uploadId, assetId } = await started(9)
  await putPart(stack, uploadId, 1, noise(9))
  const { storage_upload } = await row(uploadId)
  const parts = (await stored(uploadId)) ?? []
  await store.storage.multipart.complete(uploads.sourceKey(assetId), storage_upload as string, parts)
  t.equal((await row(uploadId)).state, 'open')
  t.match(await move(uploadId, 'complete'), { status: 201, body: { status: 'processing' } })
})

t.test('a part URL changes nothing once the upload is complete', async (t) => {
  const { uploadId, assetId } = await started(9)
  const url = await putPart(stack, uploadId, 1, Buffer.from('the first'))
  t.equal((await move(uploadId, 'complete')).status, 201)
  t.equal((await fetch(url, { method: 'PUT', body: 'a swapped' })).status, 404)
  const bytes = await fetch(await store.storage.signGet(uploads.sourceKey(assetId), 60))
  t.equal(await bytes.text(), 'the first')
  t.match(await sign(uploadId, [1]), { status: 409, body: { error: { details: { state: 'completed' } } } })
})

t.test('a paused upload can be neither signed nor completed until it is resumed', async (t) => {
  const { uploadId } = await started(3)
  await putPart(stack, uploadId, 1, noise(3))
  t.match(await move(uploadId, 'pause'), { status: 201, body: { uploadId, state: 'paused', partsReceived: [1] } })
  t.equal((await move(uploadId, 'pause')).status, 201, 'twice is the same')
  t.match(await sign(uploadId, [1]), { status: 409, body: { error: { code: 'conflict' } } })
  t.match(await move(uploadId, 'complete'), { status: 409, body: { error: { details: { state: 'paused' } } } })
  t.match(await move(uploadId, 'resume'), { status: 201, body: { state: 'open', partsReceived: [1] } })
  t.equal((await move(uploadId, 'complete')).status, 201)
  t.equal((await move(uploadId, 'pause')).status, 409, 'a completed one has nothing to pause')
  t.equal((await abort(uploadId)).status, 409)
})

t.test('with workers', async (t) => {
  await stack.startWorkers()

  await t.test('an aborted upload leaves nothing in storage', async (t) => {
    const { uploadId, assetId } = await started(6 * MiB)
    await putPart(stack, uploadId, 1, noise(5 * MiB))
    t.equal((await stored(uploadId))?.length, 1)
    t.match(await abort(uploadId), { status: 200, body: { uploadId, assetId, state: 'aborted' } })
    t.equal((await abort(uploadId)).status, 200, 'twice is the same')
    await until(async () => (await stored(uploadId)) === null, { what: 'storage forgets the parts' })
    t.match(await stack.read(assetId), { status: 'aborted', playable: false, progress_percent: 0 })
    for (const verb of ['complete', 'pause', 'resume'] as const)
      t.match(await move(uploadId, verb), { status: 409, body: { error: { details: { state: 'aborted' } } } })
    t.equal((await sign(uploadId, [1])).status, 409)
  })

  await t.test('what nobody completed in time is swept, and what is in time is not', async (t) => {
    const late = await started(6 * MiB)
    const never = await started(5)
    const fresh = await started(5)
    await putPart(stack, late.uploadId, 1, noise(5 * MiB))
    await putPart(stack, fresh.uploadId, 1, noise(5))
    await db.query(sql.typeAlias('void')`
      update video.uploads set expires_at = now() - interval '1 second' where id in (${late.uploadId}, ${never.uploadId})`)
    await enqueue(db, sweepUploads, {})
    await until(async () => (await row(never.uploadId)).state === 'expired')
    await until(async () => (await row(late.uploadId)).state === 'expired')
    t.equal(await stored(late.uploadId), null)
    t.equal((await stack.read(late.assetId)).status, 'aborted')
    t.match(await move(late.uploadId, 'complete'), { status: 409, body: { error: { details: { state: 'expired' } } } })
    t.equal((await move(fresh.uploadId, 'complete')).status, 201)
  })
})
