import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'tap'
import { Storage } from '#lib/storage.ts'

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
  await t.rejects(storage.deleteAll('k'), { message: 'The store kept 1 objects, kept as AccessDenied: No.' })
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
