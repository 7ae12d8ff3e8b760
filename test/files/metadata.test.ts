import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { HeadObjectCommand, type HeadObjectCommandOutput, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import t from 'tap'
import type { Storage } from '#lib/storage/storage.ts'
import { sql } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'
import { quarantine } from '#tasks/files/quarantine.ts'
import { stripMetadata } from '#tasks/files/strip-metadata.ts'
import { eicar } from '../../ops/embedded/signatures.ts'
import { filesStack, put, tryPut } from '../support/files-stack.ts'
import { storeKeys } from '../support/video-stack.ts'

t.setTimeout(240_000)
const stack = await filesStack(t)
const { ask, base, start } = stack
const { db, store } = base
// Without the pool whose clock would strip what is to be stripped here.
await base.startWorkers({ CLAMD_SOCKET: stack.clamd.socket }, 'scan')
const { bucket: Bucket, accessKey: accessKeyId, secretKey: secretAccessKey, region } = storeKeys
const endpoint = { endpoint: store.url, region, forcePathStyle: true }
const s3 = new S3Client({ ...endpoint, credentials: { accessKeyId, secretAccessKey } })
t.teardown(() => s3.destroy())

const find = async (id: string) => (await objects.findAny(db, id)) as objects.FileObject
const complete = (id: string) => ask(`POST /v1/files/uploads/${id}/complete`, { body: {} })

/** What the store answers for the bytes of an object besides those and their length. */
async function metadataOf(key: string | null) {
  const head: HeadObjectCommandOutput = await s3.send(new HeadObjectCommand({ Bucket, Key: key ?? '' }))
  const { $metadata, AcceptRanges, ContentLength, ETag, LastModified, Metadata = {}, ...more } = head
  return { ...more, ...(Object.keys(Metadata).length > 0 && { Metadata }) }
}

/** Everything that a PUT can say of its bytes. */
const said = {
  ContentType: 'text/plain',
  ContentEncoding: 'br',
  ContentDisposition: 'inline',
  ContentLanguage: 'tlh',
  CacheControl: 'public, max-age=31536000',
  Expires: new Date('2038-01-19'),
  Metadata: { sender: 'somebody' },
}
const plain = { ContentType: 'text/plain' }

/** Completes an upload, and puts its held bytes again as copies were once made: with all that their uploader said. */
async function heldAsOnce(bytes: string): Promise<objects.FileObject> {
  const upload = await start(bytes)
  await put(upload, bytes)
  await complete(upload.object_id)
  await stack.settled(upload.object_id)
  const object = await find(upload.object_id)
  await sayAll(object.held_key, bytes)
  await db.query(sql.typeAlias('void')`update files.objects set metadata_stripped = false where id = ${object.id}`)
  return object
}

const sayAll = (Key: string | null, Body: string) =>
  s3.send(new PutObjectCommand({ Bucket, Key: Key ?? '', Body, ...said }))

/** Moves an infected object into quarantine; returns its key there. */
async function putAway({ id, held_key }: objects.FileObject): Promise<string | null> {
  await quarantine.run({ objectId: id, key: held_key ?? '' }, tools)
  const moved = await find(id)
  t.equal(moved.place, 'quarantine')
  return moved.held_key
}

// biome-ignore lint/suspicious/noExplicitAny: what this task does not use is not made.
const tools: any = { db, storage: store.storage, signal: new AbortController().signal }
/** The storage but for what happens on its way. */
const storageBut = (but: Partial<Storage>) => ({
  head: (key: string) => store.storage.head(key),
  copy: (...copied: Parameters<Storage['copy']>) => store.storage.copy(...copied),
  remove: (key: string) => store.storage.remove(key),
  ...but,
})
const strip = () => stripMetadata.run({}, tools)

t.test('bytes that arrive with a content-encoding are refused, and taken without one', async (t) => {
  const encoders = { br: brotliCompressSync, deflate: deflateSync, gzip: gzipSync, zstd: zstdCompressSync }
  for (const [encoding, encode] of Object.entries(encoders)) {
    const bytes = encode(Buffer.from(eicar))
    const upload = await start(bytes)
    await put(upload, bytes, { 'content-encoding': encoding })
    const refused = await complete(upload.object_id)
    t.match(refused, { status: 409, body: { error: { code: 'content_encoded' } } }, encoding)
    t.strictSame(refused.body.error.details, { content_encoding: encoding })
    t.strictSame(await store.list(`files/objects/${upload.object_id}/`), [], 'nothing of it is held')
    await put(upload, bytes)
    t.equal((await complete(upload.object_id)).status, 200, 'put again as it is')
    const { held_key } = await find(upload.object_id)
    t.strictSame(await metadataOf(held_key), plain)
  }
  const upload = await start('framed')
  await put(upload, 'framed', { 'content-encoding': 'AWS-chunked, Br' })
  t.match(await complete(upload.object_id), { status: 409, body: { error: { details: { content_encoding: 'br' } } } })
})

t.test('what an SDK streams as aws-chunked is no content-encoding, and is not served as one', async (t) => {
  const upload = await start('streamed')
  await put(upload, 'streamed', { 'content-encoding': 'aws-chunked' })
  t.equal((await complete(upload.object_id)).status, 200)
  t.equal((await stack.settled(upload.object_id)).scan_status, 'clean')
  const { got, bytes } = await stack.download(upload.object_id)
  t.equal(bytes?.toString(), 'streamed')
  t.equal(got?.headers.get('content-encoding'), null)
})

t.test('nothing that the uploader says of the bytes is served, but their type', async (t) => {
  const upload = await start('<script>alert(1)</script>', { filename: 'note.txt' })
  const unsigned = {
    'cache-control': 'public, max-age=31536000',
    'content-disposition': 'inline; filename=run.html',
    'content-language': 'tlh',
    expires: 'Tue, 19 Jan 2038 03:14:07 GMT',
  }
  for (const name of ['x-amz-meta-sender', 'x-amz-website-redirect-location', 'x-amz-storage-class']) {
    const headers = { ...upload.upload_headers, [name]: 'https://elsewhere.example/' }
    t.equal((await tryPut(upload.upload_url, '<script>alert(1)</script>', headers)).status, 403, name)
  }
  await put(upload, '<script>alert(1)</script>', unsigned)
  await complete(upload.object_id)
  await stack.settled(upload.object_id)
  const { held_key } = await find(upload.object_id)
  t.strictSame(await metadataOf(held_key), plain)

  const other = await start('of another store')
  const { incoming_key } = await find(other.object_id)
  await s3.send(
    new PutObjectCommand({ Bucket, Key: incoming_key, Body: 'of another store', ...said, ContentEncoding: undefined }),
  )
  await complete(other.object_id)
  t.equal((await stack.settled(other.object_id)).scan_status, 'clean')
  t.strictSame(await metadataOf((await find(other.object_id)).held_key), plain)
  const { got } = await stack.download(other.object_id)
  t.match(got?.headers.get('content-disposition'), /^attachment; filename="note.txt"/)
  t.equal(got?.headers.get('content-type'), 'text/plain')
  for (const name of ['cache-control', 'content-encoding', 'content-language', 'expires', 'x-amz-meta-sender'])
    t.equal(got?.headers.get(name), null, name)
})

t.test('an infected object is put away with its type alone', async (t) => {
  t.strictSame(await metadataOf(await putAway(await heldAsOnce(eicar))), plain)
})

t.test('what was held with more than its type is stripped of it, once, wherever it lies', async (t) => {
  const kept = await heldAsOnce('held long ago')
  const others = await Promise.all(['two', 'three'].map(heldAsOnce))
  const lies = await putAway(await heldAsOnce(eicar))
  await sayAll(lies, eicar)
  await strip()
  for (const key of [kept.held_key, ...others.map(({ held_key }) => held_key), lies])
    t.strictSame(await metadataOf(key), plain)
  const { bytes } = await stack.download(kept.id)
  t.equal(bytes?.toString(), 'held long ago')

  await sayAll(kept.held_key, 'held long ago')
  await strip()
  t.match(await metadataOf(kept.held_key), { ContentEncoding: 'br' }, 'what was seen to is not looked at again')
})

t.test('nobody is sent to bytes that wait to be stripped', async (t) => {
  const object = await heldAsOnce('asked for at once')
  const { got, bytes } = await stack.download(object.id)
  t.equal(got?.headers.get('content-encoding'), null)
  t.equal(bytes?.toString(), 'asked for at once')
  t.strictSame(await metadataOf(object.held_key), plain)
})

t.test('bytes that are moved while they are stripped are not brought back', async (t) => {
  const object = await heldAsOnce('moved meanwhile')
  const moved = storageBut({
    async copy(...copied) {
      const done = await store.storage.copy(...copied)
      await db.query(sql.typeAlias('void')`update files.objects set deleted_at = now() where id = ${object.id}`)
      return done
    },
  })
  await stripMetadata.run({}, { ...tools, storage: moved })
  t.strictSame(await store.list(`files/objects/${object.id}/`), [])
})

t.test('one object that the store keeps failing on keeps no other from being stripped', async (t) => {
  const all = await Promise.all(['first', 'second', 'third'].map(heldAsOnce))
  const failing = storageBut({
    async head(key) {
      if (key === all[0]?.held_key) throw new Error('InternalError')
      return await store.storage.head(key)
    },
  })
  await t.rejects(stripMetadata.run({}, { ...tools, storage: failing }), /InternalError/)
  const seen = await Promise.all(all.map(async ({ held_key }) => await metadataOf(held_key)))
  t.match(seen, [{ ContentEncoding: 'br' }, {}, {}])
  t.strictSame(seen.slice(1), [plain, plain])
  await strip()
  t.strictSame(await metadataOf(all[0]?.held_key ?? null), plain)
})
