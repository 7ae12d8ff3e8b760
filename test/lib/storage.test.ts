import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { truncate, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { test } from 'tap'
import { Storage } from '#lib/storage/storage.ts'
import { until } from '../support/until.ts'

test('deleting states a Content-MD5, which old stores want, and says when the store kept something', async (t) => {
  const listing = '<ListBucketResult><Contents><Key>kept</Key><Size>1</Size></Contents></ListBucketResult>'
  const kept =
    '<DeleteResult><Error><Key>kept</Key><Code>AccessDenied</Code><Message>No.</Message></Error></DeleteResult>'
  let asked: { headers: IncomingHttpHeaders; body: string } | undefined
  const server = createServer(async (request, response) => {
    const body = await text(request)
    if (request.method === 'POST') asked = { headers: request.headers, body }
    response.end(request.method === 'POST' ? kept : listing)
  }).listen(0, '127.0.0.1')
  t.teardown(() => void server.close().closeAllConnections())
  await once(server, 'listening')
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const keys = { accessKey: 'a', secretKey: 'b', region: 'us-east-1', bucket: 'x' }
  const storage = new Storage({ ...keys, endpoint, publicEndpoint: endpoint })
  await t.rejects(storage.deleteAll('k'), { message: 'The store did not delete 1 objects. kept: AccessDenied: No.' })
  t.match(asked?.body, '<Key>kept</Key>')
  t.equal(
    asked?.headers['content-md5'],
    createHash('md5')
      .update(asked?.body ?? '')
      .digest('base64'),
  )
  t.same(
    Object.keys(asked?.headers ?? {}).filter((name) => name.includes('checksum')),
    [],
  )
})

test('when one part of a large object is refused the others are given up, and the upload', async (t) => {
  let [others, givenUp, aborted] = [0, 0, 0]
  const server = createServer(async (request, response) => {
    const part = /partNumber=(\d+)/.exec(request.url ?? '')?.[1]
    if (request.method === 'POST') {
      response.end('<InitiateMultipartUploadResult><UploadId>one</UploadId></InitiateMultipartUploadResult>')
    } else if (part === undefined) {
      aborted += 1
      response.writeHead(204).end()
    } else if (part === '1') {
      await buffer(request)
      // The other calls are in progress by then and stay there.
      while (others < 2) await once(server, 'another')
      response.writeHead(403).end('<Error><Code>AccessDenied</Code><Message>No.</Message></Error>')
    } else {
      request.resume()
      others += 1
      server.emit('another')
      response.once('close', () => (givenUp += 1))
    }
  }).listen(0, '127.0.0.1')
  t.teardown(() => void server.close().closeAllConnections())
  await once(server, 'listening')
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const keys = { accessKey: 'a', secretKey: 'b', region: 'us-east-1', bucket: 'x' }
  const storage = new Storage({ ...keys, endpoint, publicEndpoint: endpoint })
  const file = join(t.testdir({}), 'large')
  await writeFile(file, '')
  await truncate(file, 6 * 16 * 1024 ** 2)
  await t.rejects(storage.upload(file, 'large', { contentType: 'video/mp4' }), { name: 'AccessDenied' })
  t.equal(others, 2, 'no further part is begun')
  await until(() => givenUp === 2, { what: 'the two parts on their way end', timeout: 5_000 })
  t.equal(aborted, 1)
})

test('all that is sent states its length, which some stores demand, and an answer without an entity tag will do', async (t) => {
  const bodies: { method: string; bytes: number; headers: IncomingHttpHeaders }[] = []
  const server = createServer(async (request, response) => {
    const { headers, method = '', url = '' } = request
    const isStated = headers['content-length'] !== undefined && headers['transfer-encoding'] === undefined
    if (method === 'PUT' || url.includes('uploadId='))
      bodies.push({ method, bytes: (await buffer(request)).length, headers })
    if (!isStated && bodies.length > 0)
      return response.writeHead(411).end('<Error><Code>MissingContentLength</Code></Error>')
    if (method === 'PUT') return response.writeHead(200, { etag: '"0"' }).end()
    response.end(
      url.includes('uploadId=')
        ? '<CompleteMultipartUploadResult><ETag></ETag></CompleteMultipartUploadResult>'
        : '<InitiateMultipartUploadResult><UploadId>one</UploadId></InitiateMultipartUploadResult>',
    )
  }).listen(0, '127.0.0.1')
  t.teardown(() => void server.close().closeAllConnections())
  await once(server, 'listening')
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const keys = { accessKey: 'a', secretKey: 'b', region: 'us-east-1', bucket: 'x' }
  const storage = new Storage({ ...keys, endpoint, publicEndpoint: endpoint })
  const file = join(t.testdir({ small: 'small' }), 'large')
  await writeFile(file, '')
  await truncate(file, 16 * 1024 ** 2 + 1)
  const type = { contentType: 'text/plain' }
  await storage.put('empty', new Uint8Array(), type)
  await storage.put('bytes', new Uint8Array(10), type)
  await storage.upload(join(file, '../small'), 'small', type)
  await storage.upload(file, 'large', type)
  t.same(
    bodies
      .filter(({ method }) => method === 'PUT')
      .map(({ bytes }) => bytes)
      .sort((a, b) => a - b),
    [0, 1, 5, 10, 16 * 1024 ** 2],
  )
  for (const { bytes, headers } of bodies) {
    t.match(headers, { 'content-length': String(bytes) })
    t.notMatch(headers['content-encoding'], 'aws-chunked')
  }
})
