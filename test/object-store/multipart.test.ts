import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import * as s3 from '@aws-sdk/client-s3'
import t from 'tap'
import { until } from '../support/until.ts'
import { blobFiles, send, sign, startFixture } from './fixture.ts'

const store = await startFixture(t)
const client = store.client()
const plain = store.client({ requestChecksumCalculation: 'WHEN_REQUIRED' })
const Bucket = 'media'
const whole = 5 << 20
const part = (letter: string, size = whole) => Buffer.alloc(size, letter)

async function begin(Key: string, more: Partial<s3.CreateMultipartUploadCommandInput> = {}) {
  const { UploadId = '' } = await client.send(new s3.CreateMultipartUploadCommand({ Bucket, Key, ...more }))
  const address = { Bucket, Key, UploadId }
  return {
    address,
    async upload(PartNumber: number, Body: Buffer): Promise<s3.CompletedPart> {
      const { ETag, ChecksumSHA256 } = await client.send(
        new s3.UploadPartCommand({ ...address, PartNumber, Body, ChecksumAlgorithm: more.ChecksumAlgorithm }),
      )
      return { PartNumber, ETag, ...(ChecksumSHA256 ? { ChecksumSHA256 } : {}) }
    },
    complete: (...Parts: s3.CompletedPart[]) =>
      client.send(new s3.CompleteMultipartUploadCommand({ ...address, MultipartUpload: { Parts } })),
  }
}

t.test('parts become an object in the order of their numbers', async (t) => {
  const upload = await begin('whole', { ContentType: 'video/mp4', Metadata: { a: 'b' } })
  const last = await upload.upload(7, part('c', 3))
  const [first, second] = await Promise.all([upload.upload(1, part('a')), upload.upload(3, part('b'))])
  const digests = [part('a'), part('b'), part('c', 3)].map((data) => createHash('md5').update(data).digest())
  const etag = `"${createHash('md5').update(Buffer.concat(digests)).digest('hex')}-3"`
  t.equal((await upload.complete(first, second, last)).ETag, etag)
  const { Body, ...answer } = await client.send(new s3.GetObjectCommand({ Bucket, Key: 'whole' }))
  t.match(answer, { ETag: etag, ContentType: 'video/mp4', Metadata: { a: 'b' }, ContentLength: 2 * whole + 3 })
  const data = Buffer.from((await Body?.transformToByteArray()) ?? [])
  t.ok(data.equals(Buffer.concat([part('a'), part('b'), part('c', 3)])))
})

t.test('ranges reach across parts, and a part can be read by its number', async (t) => {
  const read = async (more: Partial<s3.GetObjectCommandInput>) => {
    const { Body, ContentRange, PartsCount } = await client.send(
      new s3.GetObjectCommand({ Bucket, Key: 'whole', ...more }),
    )
    return [await Body?.transformToString(), ContentRange, PartsCount]
  }
  const size = 2 * whole + 3
  t.same(await read({ Range: `bytes=${whole - 2}-${whole + 1}` }), [
    'aabb',
    `bytes ${whole - 2}-${whole + 1}/${size}`,
    undefined,
  ])
  t.same(await read({ Range: 'bytes=-4' }), ['bccc', `bytes ${size - 4}-${size - 1}/${size}`, undefined])
  t.same(await read({ PartNumber: 3 }), ['ccc', `bytes ${size - 3}-${size - 1}/${size}`, 3])
  await t.rejects(read({ PartNumber: 4 }), { name: 'InvalidPartNumber' })
})

t.test('a completion that was answered may be asked for again, and no part comes after it', async (t) => {
  const upload = await begin('again')
  const only = await upload.upload(1, part('a', 10))
  const { ETag } = await upload.complete(only)
  t.equal((await upload.complete(only)).ETag, ETag)
  await t.rejects(upload.complete({ ...only, PartNumber: 2, ETag: `"${'0'.repeat(32)}"` }), { name: 'NoSuchUpload' })
  await t.rejects(upload.upload(2, part('b', 10)), { name: 'NoSuchUpload' })
  await t.rejects(client.send(new s3.AbortMultipartUploadCommand(upload.address)), { name: 'NoSuchUpload' })
})

t.test('parts that are missing, changed, out of order or too small do not become an object', async (t) => {
  const upload = await begin('broken')
  const one = await upload.upload(1, part('a'))
  const small = await upload.upload(2, part('b', whole - 1))
  const three = await upload.upload(3, part('c', 1))
  await t.rejects(upload.complete(one, small, three), { name: 'EntityTooSmall' })
  await t.rejects(upload.complete(three, one), { name: 'InvalidPartOrder' })
  await t.rejects(upload.complete(one, one), { name: 'InvalidPartOrder' })
  await t.rejects(upload.complete(one, { ...three, PartNumber: 4 }), { name: 'InvalidPart' })
  await t.rejects(upload.complete(one, { ...three, ETag: one.ETag }), { name: 'InvalidPart' })
  await t.rejects(upload.complete(), { name: 'MalformedXML' })
  await t.rejects(upload.upload(0, part('d', 1)), { name: 'InvalidArgument' })
  await t.rejects(upload.upload(10_001, part('d', 1)), { name: 'InvalidArgument' })
  await t.rejects(client.send(new s3.HeadObjectCommand({ Bucket, Key: 'broken' })), { name: 'NotFound' })
  await upload.complete(one, three)
  const { ContentLength } = await client.send(new s3.HeadObjectCommand({ Bucket, Key: 'broken' }))
  t.equal(ContentLength, whole + 1, 'it may leave out a part that was uploaded')
})

t.test('a part that is uploaded again replaces the first', async (t) => {
  const upload = await begin('replaced')
  const first = await upload.upload(1, part('a', 4))
  const second = await upload.upload(1, part('b', 4))
  await t.rejects(upload.complete(first), { name: 'InvalidPart' })
  await upload.complete(second)
  const { Body } = await client.send(new s3.GetObjectCommand({ Bucket, Key: 'replaced' }))
  t.equal(await Body?.transformToString(), 'bbbb')
})

t.test('parts are listed page by page, and uploads by key', async (t) => {
  const upload = await begin('listed/1')
  const other = await begin('listed/2')
  const again = await begin('listed/1')
  for (const number of [5, 1, 9]) await upload.upload(number, part('a', number))
  const found: unknown[] = []
  for await (const page of s3.paginateListParts({ client, pageSize: 2 }, upload.address))
    found.push(page.Parts?.map(({ PartNumber, Size }) => [PartNumber, Size]))
  t.same(found, [
    [
      [1, 1],
      [5, 5],
    ],
    [[9, 9]],
  ])
  const list = async (more: Partial<s3.ListMultipartUploadsCommandInput>) =>
    client.send(new s3.ListMultipartUploadsCommand({ Bucket, Prefix: 'listed/', ...more }))
  const ids = [upload, again, other].map(({ address }) => address.UploadId)
  t.same(
    (await list({})).Uploads?.map(({ UploadId }) => UploadId),
    ids,
  )
  const page = await list({ MaxUploads: 1 })
  t.match(page, { IsTruncated: true, NextKeyMarker: 'listed/1', NextUploadIdMarker: ids[0] })
  const next = await list({ KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker })
  t.same(
    next.Uploads?.map(({ UploadId }) => UploadId),
    ids.slice(1),
  )
  t.same(
    (await list({ KeyMarker: 'listed/1' })).Uploads?.map(({ UploadId }) => UploadId),
    ids.slice(2),
  )
})

t.test('an aborted upload is gone with its parts', async (t) => {
  const before = (await blobFiles(store.dir)).length
  const upload = await begin('aborted')
  const one = await upload.upload(1, part('a', 10))
  t.equal((await blobFiles(store.dir)).length, before + 1)
  await client.send(new s3.AbortMultipartUploadCommand(upload.address))
  await t.rejects(upload.complete(one), { name: 'NoSuchUpload' })
  await t.rejects(client.send(new s3.ListPartsCommand(upload.address)), { name: 'NoSuchUpload' })
  await until(async () => (await blobFiles(store.dir)).length === before, { what: 'the parts gone' })
})

t.test('checksums of parts become the checksum of the object', async (t) => {
  const upload = await begin('summed', { ChecksumAlgorithm: 'SHA256' })
  const bodies = [part('a'), part('b', 5)]
  const sha = (data: Buffer) => createHash('sha256').update(data).digest()
  const parts = [await upload.upload(1, part('a')), await upload.upload(2, part('b', 5))]
  t.same(
    parts.map(({ ChecksumSHA256 }) => ChecksumSHA256),
    bodies.map((body) => sha(body).toString('base64')),
  )
  const [first, second] = parts as [s3.CompletedPart, s3.CompletedPart]
  const wrong = { ...second, ChecksumSHA256: first.ChecksumSHA256 }
  await t.rejects(upload.complete(first, wrong), { name: 'InvalidPart' })
  const expected = `${sha(Buffer.concat(bodies.map(sha))).toString('base64')}-2`
  t.match(await upload.complete(first, second), { ChecksumSHA256: expected, ChecksumType: 'COMPOSITE' })
  const head = await client.send(new s3.HeadObjectCommand({ Bucket, Key: 'summed', ChecksumMode: 'ENABLED' }))
  t.match(head, { ChecksumSHA256: expected, ChecksumType: 'COMPOSITE' })
})

t.test('the CRC-64 of an object in parts is that of all its bytes', async (t) => {
  const ChecksumAlgorithm = 'CRC64NVME'
  const bytes = Buffer.concat([part('a'), part('b', whole + 12_345), part('c', 7)])
  const one = await client.send(new s3.PutObjectCommand({ Bucket, Key: 'once', Body: bytes, ChecksumAlgorithm }))
  const sum = { ChecksumCRC64NVME: one.ChecksumCRC64NVME ?? '', ChecksumType: 'FULL_OBJECT' as const }
  const begun = await client.send(
    new s3.CreateMultipartUploadCommand({ Bucket, Key: 'in parts', ChecksumAlgorithm, ChecksumType: 'FULL_OBJECT' }),
  )
  t.match(begun, { ChecksumAlgorithm, ChecksumType: 'FULL_OBJECT' })
  const address = { Bucket, Key: 'in parts', UploadId: begun.UploadId }
  const ends = [whole, 2 * whole + 12_345, bytes.length]
  const Parts: s3.CompletedPart[] = []
  for (const [i, end] of ends.entries()) {
    const Body = bytes.subarray(ends[i - 1] ?? 0, end)
    // One client sends a checksum, one does not, one streams and sends it as a trailer.
    const stated = i === 1 ? {} : { ChecksumAlgorithm: ChecksumAlgorithm as s3.ChecksumAlgorithm }
    const sent = i === 2 ? { Body: Readable.from([Body]), ContentLength: Body.length } : { Body }
    const put = new s3.UploadPartCommand({ ...address, PartNumber: i + 1, ...sent, ...stated })
    const { ETag, ChecksumCRC64NVME } = await (i === 1 ? plain : client).send(put)
    Parts.push({ PartNumber: i + 1, ETag, ChecksumCRC64NVME })
  }
  t.match(await client.send(new s3.ListPartsCommand(address)), { Parts: Parts.map((each) => ({ ...each })) })
  const complete = (more: object) =>
    client.send(new s3.CompleteMultipartUploadCommand({ ...address, MultipartUpload: { Parts }, ...more }))
  await t.rejects(complete({ ...sum, ChecksumCRC64NVME: 'AAAAAAAAAAA=' }), { name: 'BadDigest' })
  t.match(await complete(sum), sum)
  const head = await client.send(new s3.HeadObjectCommand({ Bucket, Key: 'in parts', ChecksumMode: 'ENABLED' }))
  t.match(head, sum)
  const begin = (more: object) => client.send(new s3.CreateMultipartUploadCommand({ Bucket, Key: 'no', ...more }))
  await t.rejects(begin({ ChecksumAlgorithm, ChecksumType: 'COMPOSITE' }), { name: 'InvalidRequest' })
  await t.rejects(begin({ ChecksumAlgorithm: 'CRC32', ChecksumType: 'FULL_OBJECT' }), { name: 'NotImplemented' })
})

t.test('parts are copied from objects of the store, whole or by a range, as clients copy what is large', async (t) => {
  const bytes = randomBytes(2 * whole + 3)
  const original = await begin('original')
  await original.complete(
    await original.upload(1, bytes.subarray(0, whole)),
    await original.upload(2, bytes.subarray(whole)),
  )
  await client.send(new s3.PutObjectCommand({ Bucket, Key: 'end é', Body: 'the end' }))
  for (const ChecksumAlgorithm of [undefined, 'SHA256'] as const) {
    const to = { Bucket: 'other', Key: 'copied' }
    const { UploadId } = await client.send(new s3.CreateMultipartUploadCommand({ ...to, ChecksumAlgorithm }))
    const copy = async (PartNumber: number, more: Partial<s3.UploadPartCopyCommandInput> = {}) => {
      const input = { ...to, UploadId, PartNumber, CopySource: `${Bucket}/original`, ...more }
      const { CopyPartResult } = await client.send(new s3.UploadPartCopyCommand(input))
      const { ETag, ChecksumSHA256 } = CopyPartResult ?? {}
      return { PartNumber, ETag, ...(ChecksumSHA256 && { ChecksumSHA256 }) }
    }
    // Across the boundary of the original’s parts.
    const middle = `bytes=${whole - 7}-${2 * whole + 1}`
    const Parts = [
      await copy(1),
      await copy(2, { CopySourceRange: middle }),
      await copy(9, { CopySource: `${Bucket}/${encodeURIComponent('end é')}` }),
    ]
    const expected = [bytes, bytes.subarray(whole - 7, 2 * whole + 2), Buffer.from('the end')]
    for (const [i, part] of expected.entries()) {
      t.equal(Parts[i]?.ETag, `"${createHash('md5').update(part).digest('hex')}"`)
      const sum = ChecksumAlgorithm && createHash('sha256').update(part).digest('base64')
      t.equal(Parts[i]?.ChecksumSHA256, sum)
    }
    const refused: [Partial<s3.UploadPartCopyCommandInput>, string][] = [
      [{ CopySource: `${Bucket}/missing` }, 'NoSuchKey'],
      [{ CopySource: 'nowhere/x' }, 'NoSuchBucket'],
      [{ CopySourceRange: `bytes=0-${bytes.length}` }, 'InvalidArgument'],
      [{ CopySourceRange: 'bytes=5-4' }, 'InvalidArgument'],
      [{ CopySourceRange: 'bytes=-5' }, 'InvalidArgument'],
      [{ CopySourceIfMatch: '"other"' }, 'PreconditionFailed'],
      [{ PartNumber: 10_001 }, 'InvalidArgument'],
      [{ UploadId: 'none' }, 'NoSuchUpload'],
    ]
    for (const [more, name] of refused) await t.rejects(copy(3, more), { name }, JSON.stringify(more))
    await client.send(new s3.CompleteMultipartUploadCommand({ ...to, UploadId, MultipartUpload: { Parts } }))
    const { Body } = await client.send(new s3.GetObjectCommand(to))
    t.ok(Buffer.concat(expected).equals(Buffer.from((await Body?.transformToByteArray()) ?? [])))
  }
})

t.test('a body that is not the XML it should be is refused', async (t) => {
  const { UploadId } = (await begin('xml')).address
  const bodies = [
    '',
    'text',
    '<CompleteMultipartUpload>',
    '<CompleteMultipartUpload/><CompleteMultipartUpload/>',
    '<!DOCTYPE x [<!ENTITY a "b">]><CompleteMultipartUpload/>',
    '<CompleteMultipartUpload><Part><ETag>&a;</ETag><PartNumber>1</PartNumber></Part></CompleteMultipartUpload>',
    `${'<a>'.repeat(5000)}`,
    '<Delete><Object><Key>x</Key></Object></Delete>',
  ]
  for (const body of bodies) {
    const wire = { method: 'POST', path: `/media/xml?uploadId=${UploadId}`, body }
    t.match(await send(store, sign(store, wire)), { status: 400, code: 'MalformedXML' }, body.slice(0, 60))
  }
})
