import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import t, { type Test } from 'tap'
import { until } from '../support/until.ts'
import { blobFiles, hmac, type Seed, send, sign, startFixture, type Wire } from './fixture.ts'

const store = await startFixture(t)
const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')
const put: Wire = { method: 'PUT', path: '/media/framed' }
const get: Wire = { method: 'GET', path: '/media/framed' }
const data = Buffer.from('0123456789'.repeat(20_000))
const sum = Buffer.from(crc32(data).toString(16).padStart(8, '0'), 'hex').toString('base64')
const trailer = `x-amz-checksum-crc32:${sum}`

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
  // The SDK sends its computed value, and the store returns it.
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
