import t from 'tap'
import { unframe } from '../../ops/embedded/object-store/protocol/chunks.ts'
import { hmac } from './fixture.ts'

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
