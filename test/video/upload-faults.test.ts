import { S3ServiceException } from '@aws-sdk/client-s3'
import t from 'tap'
import { Storage } from '#lib/storage/storage.ts'
import * as uploads from '#sql/video/uploads.ts'
import { provide } from '../../ingress/http/container.ts'
import * as services from '../../ingress/http/services.ts'
import { ask, type TestIngress } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { noise, putPart, type Started, storeKeys, videoStack } from '../support/video-stack.ts'

const stack = await videoStack(t)
const { db, store, key } = stack
await stack.startWorkers()

/** The real store, with something done around its calls. */
class Meddled extends Storage {
  before = async () => {}
  after = async () => {}

  constructor(...options: ConstructorParameters<typeof Storage>) {
    super(...options)
    const { multipart } = this
    const create = multipart.create.bind(multipart)
    const complete = multipart.complete.bind(multipart)
    multipart.create = async (...call) => {
      await this.before()
      return await create(...call)
    }
    multipart.complete = async (...call) => {
      await this.before()
      await complete(...call)
      await this.after()
    }
  }
}

async function meddled(): Promise<{ ingress: TestIngress; storage: Meddled }> {
  const storage = new Meddled({ endpoint: store.url, publicEndpoint: store.url, ...storeKeys })
  return { ingress: await stack.another(db, { services: [provide(services.storage, storage)] }), storage }
}

async function started(bytes: number): Promise<Started> {
  return (await stack.ask('POST /v1/stream/uploads', { body: { bytes } })).body
}

const sourceOf = ({ assetId }: Started) => uploads.sourceKey(assetId)
const abort = ({ uploadId }: Started) => stack.ask(`DELETE /v1/stream/uploads/${uploadId}`)

t.test('a store that forgot an upload it has joined does not fail its completion', async (t) => {
  const { ingress, storage } = await meddled()
  const upload = await started(4)
  await putPart(stack, upload.uploadId, 1, noise(4))
  storage.after = async () => {
    throw new S3ServiceException({ name: 'NoSuchUpload', $fault: 'client', $metadata: {} })
  }
  const reply = await ingress.ask(`POST /v1/stream/uploads/${upload.uploadId}/complete`, { key })
  t.match(reply, { status: 201, body: { status: 'processing' } })
})

t.test('an upload that is aborted while its first part is signed leaves nothing in storage', async (t) => {
  const { ingress, storage } = await meddled()
  const upload = await started(4)
  let begun = ''
  storage.before = async () => {
    await abort(upload)
  }
  const create = storage.multipart.create
  storage.multipart.create = async (...call) => {
    begun = await create(...call)
    return begun
  }
  const path = `POST /v1/stream/uploads/${upload.uploadId}/parts/sign`
  const reply = await ingress.ask(path, { key, body: { partNumbers: [1] } })
  t.match(reply, { status: 409, body: { error: { details: { state: 'aborted' } } } })
  t.equal(await store.storage.multipart.list(sourceOf(upload), begun), null)
})

t.test('an upload that is aborted while it is completed leaves nothing in storage', async (t) => {
  const { ingress, storage } = await meddled()
  const upload = await started(4)
  await putPart(stack, upload.uploadId, 1, noise(4))
  storage.after = async () => {
    await abort(upload)
    await until(async () => (await store.list(sourceOf(upload))).length === 0, { what: 'the abort is done' })
    // The joined object comes to light after the abort has looked: what a slow store does.
    await store.storage.put(sourceOf(upload), noise(4), { contentType: 'video/mp4' })
  }
  const reply = await ingress.ask(`POST /v1/stream/uploads/${upload.uploadId}/complete`, { key })
  t.match(reply, { status: 409, body: { error: { details: { state: 'aborted' } } } })
  t.equal((await stack.read(upload.assetId)).status, 'aborted')
  await until(async () => (await store.list(sourceOf(upload))).length === 0, { what: 'the object is removed' })
})

t.test('while storage is away its routes answer 503 and when to come again, and go on after', async (t) => {
  const upload = await started(4)
  await putPart(stack, upload.uploadId, 1, noise(4))
  const base = `/v1/stream/uploads/${upload.uploadId}`
  await store.stop()
  for (const request of [`GET ${base}`, `POST ${base}/complete`, `POST ${base}/pause`]) {
    const reply = await ask(stack.ingress.url, request, { key })
    t.match(reply, { status: 503, body: { error: { code: 'server_error' } } }, request)
    t.ok(Number(reply.headers.get('retry-after')) > 0, request)
  }
  const health = await stack.ask('GET /v1/stream/health')
  t.match(health, { status: 503, body: { error: { details: { database: 'ok', storage: 'away' } } } })
  await store.start()
  await until(async () => (await stack.ask('GET /v1/stream/health')).status === 200)
  t.equal((await stack.ask(`POST ${base}/resume`)).status, 201)
  t.equal((await stack.ask(`POST ${base}/complete`)).status, 201)
})
