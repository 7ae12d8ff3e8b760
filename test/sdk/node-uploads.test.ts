import t from 'tap'
import { ConflictError, Millrace, StorageError, UploadError } from '../../sdk/node/src/index.ts'
import { testOrg } from '../support/ingress.ts'
import { noise, videoStack } from '../support/video-stack.ts'

t.setTimeout(240_000)
const stack = await videoStack(t, { areas: ['files'] })
const { ingress, key, store, db } = stack
const files = (await testOrg(db, ['files:read', 'files:write'], { plan: 'unlimited' })).keys.main

/** A client whose requests to storage go through `storage` first, which may answer in its place. */
function clientWith(storage: (part: number, sent: number) => Response | undefined | Promise<never>, apiKey = key) {
  const puts: number[] = []
  const own: typeof fetch = async (url, init) => {
    if (init?.method !== 'PUT') return await fetch(url, init)
    const part = Number(new URL(String(url)).searchParams.get('partNumber') ?? 1)
    puts.push(part)
    return (await storage(part, puts.filter((one) => one === part).length)) ?? (await fetch(url, init))
  }
  const client = new Millrace({ baseUrl: ingress.url, apiKey, fetch: own })
  return { client, puts }
}

/** More than one part. */
const bytes = noise(20 * 1024 * 1024)

t.test('parts that storage refuses or loses are signed and sent again', async (t) => {
  const { client, puts } = clientWith((part, sent) => {
    if (sent > 1) return undefined
    if (part === 1) return new Response('expired', { status: 403 })
    if (part === 2) return Promise.reject(new TypeError('cut'))
    return undefined
  })
  const shares: number[] = []
  const { assetId } = await client.uploadVideo(bytes, {
    filename: 'noise.bin',
    externalRef: 'mine',
    onProgress: ({ bytesSent }) => shares.push(bytesSent),
  })
  t.match(await client.video.assets.read(assetId), { externalRef: 'mine', status: 'processing' })
  t.equal(puts.filter((part) => part === 1).length, 2)
  t.same([shares[0], shares.at(-1)], [0, bytes.length])
  t.same(
    shares,
    shares.toSorted((one, other) => one - other),
    'it never goes back',
  )
})

t.test('an upload that breaks off goes on with what storage does not have', async (t) => {
  const { client } = clientWith((part) => (part === 2 ? new Response('no', { status: 400 }) : undefined))
  const broken = await client.uploadVideo(bytes, { concurrency: 1 }).catch((error) => error)
  t.type(broken, UploadError)
  t.match(broken, { cause: { name: 'StorageError', status: 400 } })
  t.type(broken.cause, StorageError)
  const { uploadId } = broken
  t.same((await client.video.uploads.status(uploadId)).partsReceived, [1])
  await client.video.uploads.pause(uploadId)

  const second = clientWith(() => undefined)
  await t.rejects(second.client.uploadVideo(bytes.subarray(1), { resume: uploadId }), /has 20971520 bytes, but/)
  const done = await second.client.uploadVideo(new Blob([bytes]), { resume: uploadId })
  t.notOk(second.puts.includes(1), 'the part that is there is not sent again')
  t.match(await second.client.video.uploads.status(uploadId), { state: 'completed', assetId: done.assetId })
  t.same(await second.client.uploadVideo(bytes, { resume: uploadId }), done, 'a completed one answers the same')
})

t.test('what was called off or aborted says so', async (t) => {
  const calledOff = new AbortController()
  const { client } = clientWith(() => {
    calledOff.abort(new Error('enough'))
    return undefined
  })
  let started = ''
  const onStart = ({ uploadId }: { uploadId: string }) => {
    started = uploadId
  }
  await t.rejects(client.uploadVideo(bytes, { signal: calledOff.signal, onStart }), /^enough$/)
  await client.video.uploads.abort(started)
  await t.rejects(client.uploadVideo(bytes, { resume: started }), ConflictError)
})

t.test('a store that is away ends an upload, without its signed URL in the error', async (t) => {
  const { client } = clientWith(() => Promise.reject(new TypeError('fetch failed')))
  const error = await client.uploadVideo(noise(10)).catch((failure) => failure)
  t.type(error, UploadError)
  t.notMatch(`${error.message} ${error.cause.message}`, /X-Amz|http/)
  t.ok(store.url)
})

t.test('a file is sent in parts, and continued after an interruption', async (t) => {
  const facts = { product_key: 'crm', tenant_id: 'acme', content_type: 'application/octet-stream' }
  const first = clientWith((part) => (part === 2 ? new Response('no', { status: 400 }) : undefined), files)
  const broken = await first.client
    .uploadFile(bytes, { ...facts, filename: 'noise.bin', parts: true, concurrency: 1 })
    .catch((error) => error)
  t.type(broken, UploadError)
  const { uploadId } = broken
  t.match(await first.client.files.multipart.read(uploadId), { parts_received: [1], state: 'open' })
  const second = clientWith((_, sent) => (sent === 1 ? new Response('expired', { status: 403 }) : undefined), files)
  await t.rejects(
    second.client.uploadFile(bytes.subarray(1), { ...facts, resume: uploadId }),
    /has 20971520 bytes, but/,
  )
  const done = await second.client.uploadFile(bytes, { ...facts, resume: uploadId })
  t.match(done, { object_id: uploadId, byte_size: bytes.length })
  t.notOk(second.puts.includes(1), 'the part that is there is not sent again')
  t.equal((await second.client.uploadFile(bytes, { ...facts, resume: uploadId })).object_id, uploadId, 'again')
  const small = await first.client.uploadFile(noise(10), { ...facts, filename: 'small.bin' })
  t.match(small, { byte_size: 10 }, 'a small file is one request')
})
