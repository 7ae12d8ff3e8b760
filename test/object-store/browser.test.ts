import * as s3 from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import t from 'tap'
import { send, startFixture } from './fixture.ts'

const store = await startFixture(t)
const client = store.client({
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
})
const Bucket = 'media'
const origin = { origin: 'https://app.example' }

t.test('bytes go up and down by presigned URLs alone', async (t) => {
  const Key = 'a b/ü+.mp4'
  const up = await getSignedUrl(client, new s3.PutObjectCommand({ Bucket, Key, Metadata: { a: 'b' } }))
  const answer = await fetch(up, { method: 'PUT', body: 'content', headers: { 'content-type': 'video/mp4' } })
  t.equal(answer.status, 200)
  t.equal(answer.headers.get('etag'), '"9a0364b9e99bb480dd25e1f0284c8555"')
  const disposition = `attachment; filename="ü.mp4"`
  const get = new s3.GetObjectCommand({ Bucket, Key, ResponseContentDisposition: disposition })
  const down = await fetch(await getSignedUrl(client, get), { headers: { range: 'bytes=-4' } })
  t.same([down.status, await down.text()], [206, 'tent'])
  t.equal(down.headers.get('content-type'), 'video/mp4')
  t.equal(down.headers.get('x-amz-meta-a'), 'b', 'metadata that was hoisted into the query is stored')
  const sent = Buffer.from(down.headers.get('content-disposition') ?? '', 'latin1').toString()
  t.equal(sent, disposition)
  const head = await fetch(await getSignedUrl(client, new s3.HeadObjectCommand({ Bucket, Key })), { method: 'HEAD' })
  t.same([head.status, head.headers.get('content-length')], [200, '7'])
})

t.test('parts go up by presigned URLs, listed and completed by the server that signed them', async (t) => {
  const { UploadId } = await client.send(new s3.CreateMultipartUploadCommand({ Bucket, Key: 'parts' }))
  const address = { Bucket, Key: 'parts', UploadId }
  const bodies = ['a'.repeat(5 << 20), 'end']
  for (const [at, body] of bodies.entries()) {
    const url = await getSignedUrl(client, new s3.UploadPartCommand({ ...address, PartNumber: at + 1 }))
    t.equal((await fetch(url, { method: 'PUT', body })).status, 200)
  }
  const { Parts = [] } = await client.send(new s3.ListPartsCommand(address))
  t.same(
    Parts.map(({ Size }) => Size),
    [5 << 20, 3],
  )
  const MultipartUpload = { Parts: Parts.map(({ PartNumber, ETag }) => ({ PartNumber, ETag })) }
  await client.send(new s3.CompleteMultipartUploadCommand({ ...address, MultipartUpload }))
  const url = await getSignedUrl(client, new s3.GetObjectCommand({ Bucket, Key: 'parts' }))
  t.equal(await (await fetch(url)).text(), bodies.join(''))
})

t.test('what a presigned URL says of the content is binding', async (t) => {
  const ChecksumSHA256 = 'LCa0a2j/xo/5m0U8HTBBNBNCLXBkg7+g+YpeiGJm564=' // of "foo"
  const command = new s3.PutObjectCommand({ Bucket, Key: 'bound', ContentType: 'text/plain', ChecksumSHA256 })
  const url = await getSignedUrl(client, command, {
    signableHeaders: new Set(['content-type']),
    unhoistableHeaders: new Set(['x-amz-checksum-sha256']),
  })
  const put = async (body: string, type: string, sum = ChecksumSHA256) => {
    const headers = { 'content-type': type, 'x-amz-checksum-sha256': sum }
    return (await fetch(url, { method: 'PUT', body, headers })).status
  }
  t.equal(await put('foo', 'text/html'), 403)
  t.equal(await put('foo', 'text/plain', 'AAAA'), 403)
  t.equal(await put('bar', 'text/plain'), 400)
  await t.rejects(client.send(new s3.HeadObjectCommand({ Bucket, Key: 'bound' })), { name: 'NotFound' })
  t.equal(await put('foo', 'text/plain'), 200)
})

t.test('a preflight is answered without a signature', async (t) => {
  const asked = 'authorization,content-type,x-amz-date'
  const preflight = { 'access-control-request-method': 'PUT', 'access-control-request-headers': asked }
  const answer = await send(store, {
    method: 'OPTIONS',
    path: '/media/x?partNumber=1',
    headers: { ...origin, ...preflight },
  })
  t.match(answer, {
    status: 204,
    headers: {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': /GET.*PUT.*POST.*DELETE/,
      'access-control-allow-headers': asked,
    },
  })
})

t.test('a page of any origin may read answers and errors with the headers that matter', async (t) => {
  const exposed = (headers: Record<string, unknown>) => `${headers['access-control-expose-headers']}`.split(', ')
  const refused = await send(store, { method: 'GET', path: '/media/x', headers: origin })
  const url = new URL(await getSignedUrl(client, new s3.ListObjectsV2Command({ Bucket })))
  const listed = await send(store, { method: 'GET', path: url.pathname + url.search, headers: origin })
  t.same([refused.status, listed.status], [403, 200])
  for (const { headers } of [refused, listed]) {
    t.equal(headers['access-control-allow-origin'], '*')
    const names = exposed(headers)
    for (const name of ['ETag', 'Content-Range', 'x-amz-checksum-crc32', 'x-amz-request-id']) t.ok(names.includes(name))
  }
})
