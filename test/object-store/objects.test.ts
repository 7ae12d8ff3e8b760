import { createHash } from 'node:crypto'
import { request } from 'node:http'
import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import * as s3 from '@aws-sdk/client-s3'
import t from 'tap'
import { until } from '../support/until.ts'
import { blobFiles, send, sign, startFixture } from './fixture.ts'

const store = await startFixture(t)
const client = store.client()
const plain = store.client({ requestChecksumCalculation: 'WHEN_REQUIRED', responseChecksumValidation: 'WHEN_REQUIRED' })
const Bucket = 'media'
const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 7919) >>> 5))
const md5 = (data: Buffer) => `"${createHash('md5').update(data).digest('hex')}"`
const pieces = () => Readable.from([bytes.subarray(0, 1), bytes.subarray(1, 200_000), bytes.subarray(200_000)])
const put = (Key: string, Body = 'x', more: Partial<s3.PutObjectCommandInput> = {}) =>
  client.send(new s3.PutObjectCommand({ Bucket, Key, Body, ...more }))
const read = async (Key: string, more: Partial<s3.GetObjectCommandInput> = {}) => {
  const answer = await client.send(new s3.GetObjectCommand({ Bucket, Key, ...more }))
  return { ...answer, data: Buffer.from((await answer.Body?.transformToByteArray()) ?? []) }
}

t.test('what the SDK puts comes back, from buffers and streams, with checksums and without', async (t) => {
  const bodies: [string, s3.S3Client, Buffer | Readable | string][] = [
    ['buffer', client, bytes],
    ['stream', client, pieces()],
    ['plain buffer', plain, bytes],
    ['plain stream', plain, pieces()],
    ['empty', client, ''],
  ]
  for (const [Key, sender, Body] of bodies) {
    const ContentLength = Key === 'empty' ? 0 : bytes.length
    const { ETag } = await sender.send(new s3.PutObjectCommand({ Bucket, Key, Body, ContentLength }))
    const expected = Key === 'empty' ? Buffer.alloc(0) : bytes
    t.equal(ETag, md5(expected), `${Key}: the ETag is the MD5`)
    t.ok((await read(Key)).data.equals(expected), `${Key}: the bytes are the same`)
  }
})

t.test('headers and metadata come back, and a signed request may override them', async (t) => {
  const stored = {
    ContentType: 'video/mp4',
    CacheControl: 'max-age=5',
    ContentDisposition: 'inline',
    ContentLanguage: 'de',
  }
  await put('headers', 'x', { ...stored, Metadata: { owner: 'a%20b', 'two-words': 'a b' } })
  const head = await client.send(new s3.HeadObjectCommand({ Bucket, Key: 'headers' }))
  t.match(head, {
    ...stored,
    ContentLength: 1,
    Metadata: { owner: 'a%20b', 'two-words': 'a b' },
    AcceptRanges: 'bytes',
  })
  t.ok(Date.now() - Number(head.LastModified) < 60_000)
  const disposition = "attachment; filename*=UTF-8''%C3%BC.mp4"
  const answer = await read('headers', { ResponseContentDisposition: disposition, ResponseContentType: 'text/plain' })
  t.match(answer, { ContentDisposition: disposition, ContentType: 'text/plain', CacheControl: 'max-age=5' })
  const split = { method: 'GET', path: '/media/headers?response-content-type=a%0D%0Ax%3A%20y' }
  t.match(await send(store, sign(store, split)), { status: 400, code: 'InvalidArgument' })
})

t.test('every checksum is computed, checked, kept and returned', async (t) => {
  // Check values of "123456789": CRC RevEng catalogue, and FIPS 180-4 with node:crypto.
  const data = '123456789'
  const sha = (name: string) => createHash(name).update(data).digest('base64')
  const sums = {
    CRC32: 'y/Q5Jg==',
    CRC32C: '4waSgw==',
    CRC64NVME: 'rosUhgp5mIg=',
    SHA1: sha('sha1'),
    SHA256: sha('sha256'),
  }
  for (const [name, sum] of Object.entries(sums)) {
    await put('sum', data, { [`Checksum${name}`]: sum })
    t.match(await read('sum', { ChecksumMode: 'ENABLED' }), { [`Checksum${name}`]: sum, ChecksumType: 'FULL_OBJECT' })
    const wrong = put('sum', 'other', { [`Checksum${name}`]: sum })
    await t.rejects(wrong, { name: 'BadDigest' })
  }
  // The SDK implements each algorithm separately, and the store rejects a different result.
  const long = async (ChecksumAlgorithm: s3.ChecksumAlgorithm) =>
    await client.send(new s3.PutObjectCommand({ Bucket, Key: 'long', Body: bytes, ChecksumAlgorithm }))
  t.match((await long('CRC32C')).ChecksumCRC32C, /^.{6}==$/)
  t.match((await long('CRC64NVME')).ChecksumCRC64NVME, /^.{11}=$/)
  await t.rejects(put('sum', 'other', { ContentMD5: createHash('md5').update(data).digest('base64') }), {
    name: 'BadDigest',
  })
  await t.rejects(put('sum', 'other', { ContentMD5: 'short' }), { name: 'InvalidDigest' })
  t.equal((await read('sum')).data.toString(), data, 'what was refused did not replace the object')
  const other = {
    method: 'PUT',
    path: '/media/sum',
    headers: { 'x-amz-checksum-crc16': 'AAA=' },
    body: 'x',
  }
  t.match(await send(store, sign(store, other)), { status: 501, code: 'NotImplemented' })
})

t.test('ranges are those of RFC 9110', async (t) => {
  await put('range', '0123456789')
  const ranges: [string, string, string | undefined][] = [
    ['bytes=0-0', '0', 'bytes 0-0/10'],
    ['bytes=3-', '3456789', 'bytes 3-9/10'],
    ['bytes=-3', '789', 'bytes 7-9/10'],
    ['bytes=-99', '0123456789', 'bytes 0-9/10'],
    ['bytes=8-99', '89', 'bytes 8-9/10'],
    ['bytes=5-2', '0123456789', undefined],
    ['bytes=0-1,4-5', '0123456789', undefined],
    ['lines=0-1', '0123456789', undefined],
  ]
  for (const [Range, data, ContentRange] of ranges) {
    const answer = await read('range', { Range })
    t.same([Range, `${answer.data}`, answer.ContentRange], [Range, data, ContentRange])
    t.equal(answer.$metadata.httpStatusCode, ContentRange ? 206 : 200)
    t.equal(answer.ContentLength, data.length)
  }
  for (const range of ['bytes=10-', 'bytes=-0']) {
    const answer = await send(store, sign(store, { method: 'GET', path: '/media/range', headers: { range } }))
    t.match(answer, { status: 416, code: 'InvalidRange', headers: { 'content-range': 'bytes */10' } })
  }
})

t.test('conditions hold on reading and on writing', async (t) => {
  const { ETag = '' } = await put('if', 'first')
  const status = async (more: Partial<s3.GetObjectCommandInput>) =>
    read('if', more).then(
      ({ $metadata }) => $metadata.httpStatusCode,
      (error: s3.S3ServiceException) => error.$metadata.httpStatusCode,
    )
  const [past, future] = [new Date(Date.now() - 60_000), new Date(Date.now() + 60_000)]
  t.equal(await status({ IfMatch: ETag }), 200)
  t.equal(await status({ IfMatch: '"other"' }), 412)
  t.equal(await status({ IfNoneMatch: ETag }), 304)
  t.equal(await status({ IfNoneMatch: '"other"' }), 200)
  t.equal(await status({ IfModifiedSince: past }), 200)
  t.equal(await status({ IfModifiedSince: future }), 304)
  t.equal(await status({ IfUnmodifiedSince: past }), 412)
  t.equal(await status({ IfMatch: ETag, IfUnmodifiedSince: past }), 200)
  await t.rejects(put('if', 'second', { IfNoneMatch: '*' }), { name: 'PreconditionFailed' })
  await t.rejects(put('if', 'second', { IfMatch: '"other"' }), { name: 'PreconditionFailed' })
  await put('if', 'second', { IfMatch: ETag })
  t.equal(`${(await read('if')).data}`, 'second')
})

t.test('of many that put a key only where there is none, one succeeds', async (t) => {
  const tries = Array.from({ length: 8 }, (_, at) => put('race', `body ${at}`, { IfNoneMatch: '*' }))
  const results = await Promise.allSettled(tries)
  const winner = results.findIndex(({ status }) => status === 'fulfilled')
  t.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
  t.equal(`${(await read('race')).data}`, `body ${winner}`)
})

t.test('of many that put a key at once, the last one wins whole', async (t) => {
  const bodies = Array.from({ length: 6 }, (_, at) => Buffer.alloc(2_000_000, `${at}`))
  await Promise.all(bodies.map((Body) => client.send(new s3.PutObjectCommand({ Bucket, Key: 'many', Body }))))
  const { data, ETag } = await read('many')
  t.ok(
    bodies.some((body) => body.equals(data)),
    'the object is one of the bodies',
  )
  t.equal(ETag, md5(data))
})

t.test('a copy has bytes and headers, and outlives its source', async (t) => {
  const key = 'a b/ü+%.mp4'
  const { ETag = '' } = await put(key, 'copied', { ContentType: 'video/mp4', Metadata: { a: 'b' } })
  const CopySource = `media/${encodeURIComponent(key)}`
  const copy = (Key: string, more: Partial<s3.CopyObjectCommandInput>) =>
    client.send(new s3.CopyObjectCommand({ Bucket: 'other', Key, CopySource, ...more }))
  await t.rejects(copy('copy', { CopySourceIfMatch: '"other"' }), { name: 'PreconditionFailed' })
  t.equal((await copy('copy', { CopySourceIfMatch: ETag })).CopyObjectResult?.ETag, ETag)
  await copy('changed', { MetadataDirective: 'REPLACE', ContentType: 'text/plain' })
  await client.send(new s3.DeleteObjectCommand({ Bucket, Key: key }))
  const answer = await read('copy', { Bucket: 'other' })
  t.match(answer, { ContentType: 'video/mp4', Metadata: { a: 'b' }, ETag })
  t.equal(`${answer.data}`, 'copied')
  t.match(await read('changed', { Bucket: 'other' }), { ContentType: 'text/plain', Metadata: {} })
  await t.rejects(copy('again', {}), { name: 'NoSuchKey' })
  await t.rejects(copy('again', { CopySource: 'nowhere/x' }), { name: 'NoSuchBucket' })
})

t.test('deleting is idempotent, one by one or many at once, and frees the bytes', async (t) => {
  const Key = '<&"\'> \u0007ü'
  await put(Key)
  await put('second')
  const before = (await blobFiles(store.dir)).length
  const Objects = [{ Key }, { Key: 'second' }, { Key: 'never there' }]
  const answer = await client.send(new s3.DeleteObjectsCommand({ Bucket, Delete: { Objects: Objects.slice(1) } }))
  t.same(answer.Deleted, Objects.slice(1))
  for (const _ of [1, 2]) {
    const { $metadata } = await client.send(new s3.DeleteObjectCommand({ Bucket, Key }))
    t.equal($metadata.httpStatusCode, 204)
  }
  await t.rejects(read(Key), { name: 'NoSuchKey' })
  await until(async () => (await blobFiles(store.dir)).length === before - 2, { what: 'the bytes gone' })
})

t.test('a reader keeps what is deleted or replaced under it', async (t) => {
  const body = Buffer.alloc(16 << 20, 'deleted while read')
  await client.send(new s3.PutObjectCommand({ Bucket, Key: 'big', Body: body }))
  const { Body } = await plain.send(new s3.GetObjectCommand({ Bucket, Key: 'big' }))
  await client.send(new s3.DeleteObjectCommand({ Bucket, Key: 'big' }))
  const data = Buffer.from((await Body?.transformToByteArray()) ?? [])
  t.equal(crc32(data), crc32(body))
})

t.test('an upload that breaks off leaves nothing', async (t) => {
  await put('broken off', 'old')
  const before = `${await blobFiles(store.dir)}`
  const wire = sign(store, { method: 'PUT', path: '/media/broken%20off' }, { payload: 'UNSIGNED-PAYLOAD' })
  const headers = { ...wire.headers, 'content-length': 10 }
  const upload = request({ port: store.port, method: 'PUT', path: wire.path, headers, agent: false })
  upload.on('error', () => undefined)
  upload.write('12345')
  await until(async () => `${await blobFiles(store.dir)}` !== before, { what: 'the upload begun' })
  upload.destroy()
  await until(async () => `${await blobFiles(store.dir)}` === before, { what: 'the bytes gone' })
  t.equal(`${(await read('broken off')).data}`, 'old')
})

t.test('a bucket says that it never had versions', async (t) => {
  const { Status, MFADelete } = await client.send(new s3.GetBucketVersioningCommand({ Bucket }))
  t.same([Status, MFADelete], [undefined, undefined])
  const { status, body } = await send(store, sign(store, { method: 'GET', path: '/media?versioning' }))
  t.equal(status, 200)
  t.match(body, /<VersioningConfiguration xmlns="[^"]+"(\/>|><\/VersioningConfiguration>)/)
  t.match(await send(store, sign(store, { method: 'GET', path: '/nowhere?versioning' })), { code: 'NoSuchBucket' })
})

t.test('what is not implemented says so', async (t) => {
  const code = async (method: string, path: string, headers = {}) => {
    const { status, code } = await send(store, sign(store, { method, path, headers }))
    return [status, code]
  }
  t.same(await code('PUT', '/media?versioning', { 'content-length': '0' }), [501, 'NotImplemented'])
  t.same(await code('GET', '/media?versions'), [501, 'NotImplemented'])
  t.same(await code('GET', '/media/x?acl'), [501, 'NotImplemented'])
  t.same(await code('PUT', '/media/x?acl', { 'content-length': '0' }), [501, 'NotImplemented'])
  const sse = { 'content-length': '0', 'x-amz-server-side-encryption': 'AES256' }
  t.same(await code('PUT', '/media/x', sse), [501, 'NotImplemented'])
  t.same(await code('PATCH', '/media/x'), [405, 'MethodNotAllowed'])
  t.same(await code('DELETE', '/media'), [405, 'MethodNotAllowed'])
  t.same(await code('PUT', '/media/x', { 'content-length': `${6 * 1024 ** 3}` }), [400, 'EntityTooLarge'])
  t.same(await code('GET', `/media/${'k'.repeat(1025)}`), [400, 'KeyTooLongError'])
  t.same(await code('GET', '/nowhere/x'), [404, 'NoSuchBucket'])
  t.same(await code('PUT', '/nowhere', { 'content-length': '0' }), [403, 'AccessDenied'])
  t.same(await code('PUT', '/media', { 'content-length': '0' }), [200, undefined])
})
