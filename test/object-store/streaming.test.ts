import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import t, { type Test } from 'tap'
import { unframe } from '../../ops/embedded/object-store/protocol/chunks.ts'
import { until } from '../support/until.ts'
import { blobFiles, hmac, type Seed, send, sign, startFixture, type Wire } from './fixture.ts'

const store = await startFixture(t)
const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')
const put: Wire = { method: 'PUT', path: '/media/framed' }
const get: Wire = { method: 'GET', path: '/media/framed' }
const data = Buffer.from('0123456789'.repeat(20_000))
const sum = Buffer.from(crc32(data).toString(16).padStart(8, '0'), 'hex').toString('base64')
const trailer = `x-amz-checksum-crc32:${sum}`

t.test('the examples of the S3 API Reference are taken apart, and not if a byte differs', async (t) => {
  // "Signature Calculations for the Authorization Header: Transferring Payload in Multiple Chunks", and the same
  // "(Including Trailing Headers)": 66,560 letters a in two chunks.
  const key = '20130524/us-east-1/s3/aws4_request'
    .split('/')
    .reduce<Buffer>(hmac, Buffer.from('AWS4wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'))
  const scope = '20130524/us-east-1/s3/aws4_request'
  const seed = (signature: string) => ({ key, timestamp: '20130524T000000Z', scope, signature })
  const frame = (letters: number, signature: string) =>
    `${letters.toString(16)};chunk-signature=${signature}\r\n${'a'.repeat(letters)}${letters > 0 ? '\r\n' : ''}`
  const plain = [
    frame(65_536, 'ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648'),
    frame(1024, '0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497'),
    frame(0, 'b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9'),
    '\r\n',
  ].join('')
  const trailing = [
    frame(65_536, 'b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2'),
    frame(1024, '1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7'),
    frame(0, '2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992'),
    'x-amz-checksum-crc32c:sOO8/Q==\r\n',
    'x-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n\r\n',
  ].join('')
  const taken = async (body: string, start: string, trailers: string[], slice: number) => {
    const fields = new Map<string, string>()
    const source = (async function* () {
      for (let at = 0; at < body.length; at += slice) yield Buffer.from(body.slice(at, at + slice))
    })()
    let text = ''
    for await (const chunk of unframe(source, { seed: seed(start), trailers }, fields)) text += chunk.toString()
    return [text, [...fields]]
  }
  const start = '4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9'
  const other = '106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e'
  for (const slice of [1, 1000, 100_000]) {
    t.same(await taken(plain, start, [], slice), ['a'.repeat(66_560), []])
    const fields = [['x-amz-checksum-crc32c', 'sOO8/Q==']]
    t.same(await taken(trailing, other, ['x-amz-checksum-crc32c'], slice), ['a'.repeat(66_560), fields])
  }
  await t.rejects(taken(plain.replace('aaa', 'aab'), start, [], 1000), /signature/)
  await t.rejects(taken(trailing.replace('sOO8', 'sOO9'), other, ['x-amz-checksum-crc32c'], 1000), /signature/)
})

/** Frames and signs the data as two chunks. */
function frame(seed: Seed, trailers: string, chunks = [data.subarray(0, 70_000), data.subarray(70_000)]): Buffer {
  let last = seed.signature
  const signed = (kind: string, ...hashes: string[]) => {
    const text = [`AWS4-HMAC-SHA256-${kind}`, seed.timestamp, seed.scope, last, ...hashes].join('\n')
    last = hmac(seed.key, text).toString('hex')
    return last
  }
  const framed = [...chunks, Buffer.alloc(0)].flatMap((chunk) => [
    Buffer.from(`${chunk.length.toString(16)};chunk-signature=${signed('PAYLOAD', sha256(''), sha256(chunk))}\r\n`),
    ...(chunk.length > 0 ? [chunk, Buffer.from('\r\n')] : []),
  ])
  const end = trailers && `${trailers}\r\nx-amz-trailer-signature:${signed('TRAILER', sha256(`${trailers}\n`))}\r\n`
  return Buffer.concat([...framed, Buffer.from(`${end}\r\n`)])
}

function signedStream(trailers: string, length = data.length): Wire & { seed: Seed } {
  const headers = { 'x-amz-decoded-content-length': `${length}`, 'content-encoding': 'aws-chunked' }
  const payload = `STREAMING-AWS4-HMAC-SHA256-PAYLOAD${trailers && '-TRAILER'}`
  const announced = trailers ? { 'x-amz-trailer': 'x-amz-checksum-crc32' } : {}
  return sign(store, { ...put, headers: { ...headers, ...announced } }, { payload })
}

async function refuses(t: Test, wire: Wire, body: Buffer | string, code: string, status = 400): Promise<void> {
  const before = await blobFiles(store.dir)
  t.match(await send(store, { ...wire, body }), { status, code })
  t.equal((await send(store, sign(store, get))).body, data.toString(), 'the object is what it was')
  await until(async () => `${await blobFiles(store.dir)}` === `${before}`, {
    what: 'the store without bytes left over',
  })
}

t.test('signed chunks are stored without their frames, with trailing headers and without', async (t) => {
  for (const trailers of ['', trailer]) {
    const wire = signedStream(trailers)
    t.match(await send(store, { ...wire, body: frame(wire.seed, trailers) }), { status: 200 })
    const answer = await send(store, sign(store, { ...get, headers: { 'x-amz-checksum-mode': 'ENABLED' } }))
    t.equal(answer.body, data.toString())
    t.equal(answer.headers['content-encoding'], undefined)
    t.equal(answer.headers['x-amz-checksum-crc32'], trailers ? sum : undefined)
  }
})

t.test('a signed stream that was tampered with is refused', async (t) => {
  const wire = signedStream(trailer)
  const body = frame(wire.seed, trailer)
  const text = body.toString('latin1')
  const forged = 'SignatureDoesNotMatch'
  await refuses(t, wire, text.replace('012345', '012346'), forged, 403)
  await refuses(t, wire, text.replace(/signature=./, 'signature=g'), 'IncompleteBody')
  await refuses(t, wire, text.replace(sum, 'AAAAAA=='), forged, 403)
  await refuses(t, wire, text.replace(/\r\nx-amz-trailer-signature:\w+/, ''), forged, 403)
  await refuses(t, wire, text.replaceAll(/;chunk-signature=\w+/g, ''), 'IncompleteBody')
  const swapped = frame(wire.seed, trailer, [data.subarray(70_001), data.subarray(0, 70_001)])
  await refuses(t, wire, swapped, 'BadDigest')
  const short = frame(wire.seed, trailer).subarray(0, 60_000)
  await refuses(t, wire, short, 'IncompleteBody')
  await refuses(t, wire, Buffer.concat([body, Buffer.from('more')]), 'IncompleteBody')
  const plain = signedStream('')
  const cut = Buffer.from(
    frame(plain.seed, '')
      .toString('latin1')
      .replace(/0;chunk-signature=\w+\r\n/, ''),
    'latin1',
  )
  await refuses(t, plain, cut, 'IncompleteBody')
})

t.test('an unsigned stream is held to its trailing checksum, its frames and its length', async (t) => {
  const stream = (length = data.length, trailer = 'x-amz-checksum-crc32') =>
    sign(
      store,
      { ...put, headers: { 'x-amz-decoded-content-length': `${length}`, 'x-amz-trailer': trailer } },
      { payload: 'STREAMING-UNSIGNED-PAYLOAD-TRAILER' },
    )
  const size = data.length.toString(16)
  const body = `${size}\r\n${data}\r\n0\r\n${trailer}\r\n\r\n`
  t.match(await send(store, { ...stream(), body }), { status: 200, headers: { 'x-amz-checksum-crc32': sum } })
  // The SDK sends it with what it computes itself, and the store answers it.
  const sdk = { Bucket: 'other', Key: 'summed', Body: data, ChecksumAlgorithm: 'CRC64NVME' as const }
  const { ChecksumCRC64NVME: sum64 } = await store.client().send(new PutObjectCommand(sdk))
  const crc64 = `${size}\r\n${data}\r\n0\r\nx-amz-checksum-crc64nvme:${sum64}\r\n\r\n`
  const wire64 = stream(data.length, 'x-amz-checksum-crc64nvme')
  t.match(await send(store, { ...wire64, body: crc64 }), {
    status: 200,
    headers: { 'x-amz-checksum-crc64nvme': sum64 },
  })
  await refuses(t, stream(data.length, 'x-amz-checksum-crc64nvme'), crc64.replace('012345', '012346'), 'BadDigest')
  await refuses(t, stream(), body.replace('012345', '012346'), 'BadDigest')
  await refuses(t, stream(), body.replace(sum, 'AAAAAA=='), 'BadDigest')
  await refuses(t, stream(), body.replace(`${trailer}\r\n`, ''), 'MalformedTrailerError')
  await refuses(t, stream(), body.replace(trailer, `${trailer}\r\nx-amz-meta-a:b`), 'MalformedTrailerError')
  await refuses(t, stream(data.length + 1), body, 'IncompleteBody')
  await refuses(t, stream(), body.replace(size, 'zz'), 'IncompleteBody')
  await refuses(t, stream(), body.replace(size, (data.length - 1).toString(16)), 'IncompleteBody')
  await refuses(t, stream(), '', 'IncompleteBody')
  const unknown = sign(store, put, { payload: 'STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD' })
  await refuses(t, unknown, body, 'NotImplemented', 501)
})
