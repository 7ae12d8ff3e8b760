import { request } from 'node:http'
import {
  CreateMultipartUploadCommand,
  GetObjectCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import t, { type Test } from 'tap'
import { authorize } from '../../ops/embedded/object-store/protocol/authorize.ts'
import type { Call } from '../../ops/embedded/object-store/protocol/call.ts'
import { until } from '../support/until.ts'
import { type Answer, blobFiles, type Signing, send, sign, startFixture, type Wire } from './fixture.ts'

const store = await startFixture(t)
const client = store.client({ requestChecksumCalculation: 'WHEN_REQUIRED' })
const get: Wire = { method: 'GET', path: '/media/kept' }
const put: Wire = { method: 'PUT', path: '/media/kept', body: 'another body' }
const later = (minutes: number) => new Date(Date.now() + minutes * 60_000)

await client.send(new PutObjectCommand({ Bucket: 'media', Key: 'kept', Body: 'kept' }))

async function refuses(t: Test, wire: Wire, code: string): Promise<Answer> {
  const before = await blobFiles(store.dir)
  const answer = await send(store, wire)
  t.match(answer, { status: 403, code })
  t.match(answer.body, /<Error>.*<Message>.+<\/Message>.*<Resource>.+<\/Resource><RequestId>\w+<\/RequestId><\/Error>/)
  t.match(answer.headers['x-amz-request-id'], /^\w{16}$/)
  const kept = await send(store, sign(store, get))
  t.equal(kept.body, 'kept', 'the object is what it was')
  const list = await send(store, sign(store, { method: 'GET', path: '/media?list-type=2' }))
  t.equal(list.body.match(/<Key>/g)?.length, 1, 'nothing else is stored')
  await until(async () => `${await blobFiles(store.dir)}` === `${before}`, {
    what: 'the store without bytes left over',
  })
  return answer
}

t.test('a signature by another hand than the SDK is accepted', async (t) => {
  const wire = { method: 'PUT', path: '/other/a%20%2B%C3%BC/b', headers: { 'x-amz-meta-a': 'b' }, body: 'x' }
  t.equal((await send(store, sign(store, wire))).status, 200)
  t.equal((await send(store, sign(store, { method: 'GET', path: '/other?list-type=2' }))).status, 200)
})

t.test('the examples of the S3 API Reference are accepted at their time, and not if a byte differs', async (t) => {
  // "Authenticating Requests: Signature Calculations for the Authorization Header", GET Object and GET Bucket Lifecycle.
  const identity = {
    accessKey: 'AKIAIOSFODNN7EXAMPLE',
    secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    region: 'us-east-1',
  }
  const hash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
  const headers = (signed: string, signature: string) => [
    ['host', 'examplebucket.s3.amazonaws.com'],
    ['x-amz-content-sha256', hash],
    ['x-amz-date', '20130524T000000Z'],
    [
      'authorization',
      `AWS4-HMAC-SHA256 Credential=${identity.accessKey}/20130524/us-east-1/s3/aws4_request,SignedHeaders=${signed},Signature=${signature}`,
    ],
  ]
  const call = (path: string, pairs: string[][], lines: string[][]) =>
    ({
      method: 'GET',
      rawPath: path,
      path,
      pairs,
      query: new Map(),
      headers: new Map(lines as never),
    }) as unknown as Call
  const at = Date.UTC(2013, 4, 24)
  const object = call(
    '/test.txt',
    [],
    [
      ...headers(
        'host;range;x-amz-content-sha256;x-amz-date',
        'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
      ),
      ['range', 'bytes=0-9'],
    ],
  )
  t.equal(authorize(object, identity, at).payload, hash)
  t.throws(() => authorize({ ...object, path: '/test.txu', rawPath: '/test.txu' }, identity, at), /signature/)
  const signature = 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543'
  const lifecycle = call('/', [['lifecycle', '']], headers('host;x-amz-content-sha256;x-amz-date', signature))
  t.equal(authorize(lifecycle, identity, at).payload, hash)
})

t.test('what was changed after signing is refused', async (t) => {
  const signed = sign(store, { ...put, headers: { 'x-amz-meta-a': 'one', 'content-length': '12' } })
  await refuses(t, { ...signed, path: '/media/other' }, 'SignatureDoesNotMatch')
  await refuses(t, { ...signed, method: 'POST' }, 'SignatureDoesNotMatch')
  await refuses(t, { ...signed, path: '/media/kept?tagging' }, 'SignatureDoesNotMatch')
  await refuses(t, { ...signed, headers: { ...signed.headers, 'x-amz-meta-a': 'two' } }, 'SignatureDoesNotMatch')
  await refuses(
    t,
    { ...signed, headers: { ...signed.headers, 'content-length': '5' }, body: 'short' },
    'SignatureDoesNotMatch',
  )
  await refuses(t, { ...signed, body: 'changed body' }, 'XAmzContentSHA256Mismatch')
  const listing = sign(store, { method: 'GET', path: '/media?list-type=2&prefix=a' })
  await refuses(t, { ...listing, path: '/media?list-type=2&prefix=' }, 'SignatureDoesNotMatch')
})

t.test('a header of S3 that the signature does not cover is refused', async (t) => {
  for (const unsigned of [{ 'x-amz-meta-a': 'b' }, { 'x-amz-copy-source': 'media/kept' }, { 'x-amz-acl': 'private' }])
    await refuses(t, sign(store, put, { unsigned }), 'AccessDenied')
})

t.test('who has another key, secret, scope or clock is refused', async (t) => {
  const cases: [Signing, string][] = [
    [{ accessKey: 'AKIDOTHER' }, 'InvalidAccessKeyId'],
    [{ secretKey: 'a guess' }, 'SignatureDoesNotMatch'],
    [{ region: 'us-east-1' }, 'AuthorizationHeaderMalformed'],
    [{ service: 'sts' }, 'AuthorizationHeaderMalformed'],
    [{ time: later(-16) }, 'RequestTimeTooSkewed'],
    [{ time: later(16) }, 'RequestTimeTooSkewed'],
  ]
  for (const [signing, code] of cases) await refuses(t, sign(store, put, signing), code)
  t.equal((await send(store, sign(store, get, { time: later(-14) }))).status, 200, 'a clock may be off by 14 minutes')
})

t.test('a request without a signature, or with half of one, is refused', async (t) => {
  await refuses(t, put, 'AccessDenied')
  await refuses(t, get, 'AccessDenied')
  await refuses(t, { ...put, headers: { authorization: 'Basic YTpi' } }, 'AuthorizationHeaderMalformed')
  await refuses(
    t,
    { ...put, headers: { authorization: 'AWS4-HMAC-SHA256 Credential=x' } },
    'AuthorizationHeaderMalformed',
  )
  await refuses(
    t,
    { ...put, path: '/media/kept?X-Amz-Algorithm=AWS4-HMAC-SHA256' },
    'AuthorizationQueryParametersError',
  )
  const token = sign(store, { ...put, headers: { 'x-amz-security-token': 'abc' } })
  await refuses(t, token, 'InvalidToken')
})

t.test('a presigned URL that is changed, expired, early, or good for over a week is refused', async (t) => {
  const command = new PutObjectCommand({ Bucket: 'media', Key: 'kept' })
  const presign = async (options: Parameters<typeof getSignedUrl>[2]) => {
    const { pathname, search } = new URL(await getSignedUrl(client, command, options))
    return { ...put, path: pathname + search }
  }
  const good = await presign({ expiresIn: 60 })
  await refuses(t, { ...good, path: good.path.replace('/kept', '/other') }, 'SignatureDoesNotMatch')
  await refuses(t, { ...good, path: good.path.replace('Expires=60', 'Expires=6000') }, 'SignatureDoesNotMatch')
  await refuses(t, { ...good, path: `${good.path}&uploadId=a&partNumber=1` }, 'SignatureDoesNotMatch')
  await refuses(t, { ...good, path: good.path.replace(/Signature=./, 'Signature=x') }, 'SignatureDoesNotMatch')
  await refuses(t, { method: 'DELETE', path: good.path }, 'SignatureDoesNotMatch')
  await refuses(t, { ...good, headers: { 'x-amz-meta-a': 'b' } }, 'AccessDenied')
  await refuses(t, await presign({ expiresIn: 60, signingDate: later(-2) }), 'AccessDenied')
  await refuses(t, await presign({ expiresIn: 60, signingDate: later(16) }), 'AccessDenied')
  // The SDK refuses to sign for more than a week, so the number is changed. It is checked before the signature.
  const long = { ...good, path: good.path.replace('Expires=60', 'Expires=604801') }
  await refuses(t, long, 'AuthorizationQueryParametersError')
  const read = new GetObjectCommand({ Bucket: 'media', Key: 'kept' })
  const url = await getSignedUrl(client, read, { expiresIn: 604_800, signingDate: later(-7 * 24 * 60 + 1) })
  t.equal(await (await fetch(url)).text(), 'kept', 'a week is not too long')
})

t.test('the checksum of nothing, which the SDK presigns by default, is not held against the body', async (t) => {
  const byDefault = store.client()
  const empty = { SHA256: '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=', CRC64NVME: 'AAAAAAAAAAA=' }
  const presigned = async (signed: Promise<string>) => {
    const { searchParams, pathname, search } = new URL(await signed)
    return { searchParams, ...(await send(store, { method: 'PUT', path: pathname + search, body: 'kept' })) }
  }
  const put = (more: Partial<PutObjectCommandInput> = {}) =>
    presigned(getSignedUrl(byDefault, new PutObjectCommand({ Bucket: 'media', Key: 'kept', ...more })))
  const whole = await put()
  t.equal(whole.searchParams.get('x-amz-checksum-crc32'), 'AAAAAA==')
  t.equal(whole.status, 200)
  t.equal((await send(store, sign(store, get))).body, 'kept')
  for (const [algorithm, sum] of Object.entries(empty))
    t.equal((await put({ [`Checksum${algorithm}`]: sum })).status, 200, algorithm)
  const at = { Bucket: 'media', Key: 'parts' }
  const { UploadId } = await byDefault.send(new CreateMultipartUploadCommand(at))
  const part = await presigned(getSignedUrl(byDefault, new UploadPartCommand({ ...at, UploadId, PartNumber: 1 })))
  t.equal(part.searchParams.get('x-amz-checksum-crc32'), 'AAAAAA==')
  t.equal(part.status, 200)
  t.match(await put({ ChecksumCRC32: 'y/Q5Jg==' }), { status: 400, code: 'BadDigest' }, 'a checksum of bytes is')
})

t.test('a presigned length is the only length', async (t) => {
  const command = new PutObjectCommand({ Bucket: 'media', Key: 'kept', ContentLength: 4 })
  const url = new URL(await getSignedUrl(client, command, { signableHeaders: new Set(['content-length']) }))
  t.match(url.search, 'content-length')
  const wire = { method: 'PUT', path: url.pathname + url.search }
  await refuses(t, { ...wire, body: 'longer than four', headers: { 'content-length': 16 } }, 'SignatureDoesNotMatch')
  await refuses(t, { ...wire, body: 'kept', headers: { 'transfer-encoding': 'chunked' } }, 'SignatureDoesNotMatch')
  t.equal((await send(store, { ...wire, body: 'kept', headers: { 'content-length': 4 } })).status, 200)
})

t.test('a client that waits to be told is refused before it sends its body, and told to go on otherwise', async (t) => {
  const headers = { 'content-length': `${put.body?.length}` }
  t.same(await putWhenTold(sign(store, { ...put, headers }, { secretKey: 'a guess' })), { status: 403, told: false })
  t.same(await putWhenTold(sign(store, { ...put, path: '/other/told', headers })), { status: 200, told: true })
})

t.test('a client that sends on and on still reads the answer', async (t) => {
  const body = Buffer.alloc(32 << 20)
  t.match(await send(store, sign(store, { ...put, body }, { secretKey: 'a guess' })), { status: 403 })
})

function putWhenTold({ path, headers = {}, body }: Wire): Promise<{ status: number | undefined; told: boolean }> {
  return new Promise((resolve, reject) => {
    let told = false
    const { port } = store
    const outgoing = request({
      port,
      method: 'PUT',
      path,
      headers: { ...headers, expect: '100-continue' },
      agent: false,
    })
    outgoing.on('continue', () => {
      told = true
      outgoing.end(body)
    })
    outgoing.on('response', (response) => {
      response.resume().on('end', () => {
        resolve({ status: response.statusCode, told })
        outgoing.destroy()
      })
    })
    outgoing.on('error', reject)
    outgoing.flushHeaders()
  })
}
