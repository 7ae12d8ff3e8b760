import '../support/webhooks-environment.ts'
import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { z } from 'zod'
import { Storage } from '#lib/storage/storage.ts'
import { sql } from '#sql/db.ts'
import { startObjectStore } from '../../ops/embedded/object-store/server.ts'
import { filesStack } from '../support/files-stack.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { eicar } from './archives.ts'

t.setTimeout(300_000)
const run = promisify(execFile)
const stack = await filesStack(t)
const { ask, base } = stack
await base.startWorkers({ CLAMD_SOCKET: stack.clamd.socket, OUTBOUND_ALLOWED: '127.0.0.1' }, 'core,scan,web')

/** The store of a customer: another process could run it as well. */
const dir = await mkdtemp(join(tmpdir(), 'millrace-customer-'))
const keys = { accessKey: 'AKIDCUSTOMER', secretKey: 'of/the+customer' }
const options = { host: '127.0.0.1', port: 0, dir, region: 'eu-test-1', buckets: ['inbox'], ...keys }
const customer = await startObjectStore(options)
const at = { endpoint: customer.url, region: 'eu-test-1', bucket: 'inbox' }
const storage = new Storage({ ...at, publicEndpoint: customer.url, ...keys })
t.teardown(async () => {
  await customer.close()
  await rm(dir, { recursive: true, force: true })
})
/** curl judges the tags. */
const curl = async (key: string, ...args: string[]) => {
  const path = key.split('/').map(encodeURIComponent).join('/')
  const user = ['--aws-sigv4', 'aws:amz:eu-test-1:s3', '--user', `${keys.accessKey}:${keys.secretKey}`]
  return (await run('curl', ['-sS', '-f', ...user, ...args, `${customer.url}/inbox/${path}?tagging=`])).stdout
}
const readTags = async (key: string) =>
  Object.fromEntries(
    [...(await curl(key)).matchAll(/<Tag><Key>(.*?)<\/Key><Value>(.*?)<\/Value><\/Tag>/g)].map(([, name, value]) => [
      name,
      value,
    ]),
  )
const writeTag = async (key: string, name: string, value: string) => {
  const text = `<Tagging><TagSet><Tag><Key>${name}</Key><Value>${value}</Value></Tag></TagSet></Tagging>`
  const headers = ['Content-Type: application/xml', `x-amz-content-sha256: ${hash('sha256', text)}`]
  await curl(key, '-X', 'PUT', ...headers.flatMap((one) => ['-H', one]), '--data-binary', text)
}

const credentials = { access_key_id: keys.accessKey, secret_access_key: keys.secretKey }
const connect = async (more: object = {}) =>
  await ask('POST /v1/files/buckets', { body: { name: 'Inbox', ...at, ...credentials, ...more } })
const put = (key: string, bytes: string | Uint8Array, contentType = 'text/plain') =>
  storage.put(key, Buffer.from(bytes), { contentType })
const scan = async (bucket_id: string, key: string, more: object = {}) =>
  (await ask('POST /v1/files/bucket-scans', { body: { bucket_id, key, ...more } })).body.scan_id as string
// biome-ignore lint/suspicious/noExplicitAny: the tests look at every field of a scan.
const ended = (id: string, is = (one: any) => one.finished_at !== null && one.tag !== 'waiting'): Promise<any> =>
  until(
    async () => {
      const { body } = await ask(`GET /v1/files/bucket-scans/${id}`)
      return is(body) && body
    },
    { timeout: 90_000, what: `the scan ${id} ends` },
  )

const made = await connect()
const { id: inbox } = made.body

t.test('a bucket is connected and tested; its secret is sealed and never returned', async (t) => {
  t.match(made, { status: 201, body: { name: 'Inbox', ...at, addressing: 'path', state: 'unverified' } })
  t.match(await ask(`POST /v1/files/buckets/${inbox}/test`), { status: 200, body: { ok: true, error: null } })
  const { body, text } = await ask(`GET /v1/files/buckets/${inbox}`)
  t.match(body, { state: 'active', reason: null })
  const stored = await base.db.oneFirst(sql.type(z.object({ secret_key: z.string() }))`
    select secret_key from files.buckets where id = ${inbox}`)
  for (const shown of [made.text, text, stored]) t.notMatch(shown, keys.secretKey)
  const { keys: others } = await testOrg(base.db, ['files:read', 'files:write'])
  for (const request of [`GET /v1/files/buckets/${inbox}`, `POST /v1/files/buckets/${inbox}/test`])
    t.equal((await ask(request, { key: others.main as string })).status, 404, request)
  const foreign = { bucket_id: inbox, key: 'x' }
  t.equal((await ask('POST /v1/files/bucket-scans', { key: others.main as string, body: foreign })).status, 404)
})

t.test('objects are scanned in their bucket, and get the verdict as an additional tag', async (t) => {
  await put('in/letter.txt', 'Dear Ada')
  await put('in/bad.txt', eicar)
  await put('in/photo.png', '#!/bin/sh\necho', 'image/png')
  await storage.put('in/tagged &.txt', Buffer.from('tagged'), { contentType: 'text/plain' })
  await writeTag('in/tagged &.txt', 'project', 'a &amp; b')
  const scans = await Promise.all(
    ['in/letter.txt', 'in/bad.txt', 'in/photo.png', 'in/tagged &.txt'].map(async (key) =>
      ended(await scan(inbox, key)),
    ),
  )
  t.match(scans, [
    { status: 'clean', tag: 'written', byte_size: 8, sha256: /^[0-9a-f]{64}$/, error: null, etag: /^"/ },
    { status: 'infected', tag: 'written', reasons: [{ code: 'malware' }] },
    { status: 'suspicious', tag: 'written', reasons: [{ code: 'type_mismatch' }] },
    { status: 'clean', tag: 'written' },
  ])
  t.same(await readTags('in/letter.txt'), { 'millrace-verdict': 'clean' })
  t.same(await readTags('in/bad.txt'), { 'millrace-verdict': 'infected' })
  t.same(await readTags('in/tagged &.txt'), { project: 'a &amp; b', 'millrace-verdict': 'clean' })
  const by = async (query: string) =>
    (await ask(`GET /v1/files/bucket-scans?${query}`)).body.data.map(({ key }: { key: string }) => key)
  t.same(await by('status=infected'), ['in/bad.txt'])
  t.same(await by(`sha256=${scans[0].sha256}`), ['in/letter.txt'])
  t.same(await by(`bucket_id=${inbox}&key=in/photo.png&tag=written`), ['in/photo.png'])
  await until(async () => (await base.store.list('files/buckets/')).length === 0, { what: 'no copy is left' })
})

t.test('objects that cannot be read have a clear status', async (t) => {
  t.match(await ended(await scan(inbox, 'missing.txt')), { status: 'error', error: { code: 'not_found' }, tag: 'off' })
  const { body: nowhere } = await connect({ bucket: 'no-such-bucket' })
  t.match((await ask(`POST /v1/files/buckets/${nowhere.id}/test`)).body, { ok: false, error: { code: 'not_found' } })
  const { body: wrong } = await connect({ secret_access_key: 'wrong' })
  t.match(await ended(await scan(wrong.id, 'in/letter.txt')), { status: 'error', error: { code: 'access_denied' } })
  t.match((await ask(`GET /v1/files/buckets/${wrong.id}`)).body, { state: 'failing', reason: /403/ })
  const rotated = await ask(`PATCH /v1/files/buckets/${wrong.id}`, { body: credentials })
  t.match(rotated.body, { state: 'unverified', reason: null })
  t.match(await ended(await scan(wrong.id, 'in/letter.txt')), { status: 'clean' })
  t.equal((await ask(`DELETE /v1/files/buckets/${wrong.id}`)).status, 200)
  t.equal((await ask(`GET /v1/files/bucket-scans?bucket_id=${wrong.id}`)).body.data.length, 0)
})

/** A bucket that answers as told, on loopback. */
async function stranger(answer: RequestListener): Promise<string> {
  // The test of the connection lists the bucket.
  const server = createServer((req, res) => {
    if (req.url?.includes('list-type')) res.end('<ListBucketResult/>')
    else answer(req, res)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return (await connect({ endpoint })).body.id
}

t.test('the tag of a replaced object is not written, or is removed again', async (t) => {
  let heads = 0
  const written: string[] = []
  const before = await stranger((req, res) => {
    if (req.url?.includes('tagging')) throw new Error('No tag is written.')
    res.writeHead(200, { etag: heads++ === 0 ? '"old"' : '"new"', 'content-length': 4 }).end('text')
  })
  t.match(await ended(await scan(before, 'a')), { status: 'clean', etag: '"old"', tag: 'changed' })
  let puts = 0
  const during = await stranger((req, res) => {
    if (req.method === 'PUT') {
      puts++
      req.on('data', (chunk) => written.push(String(chunk))).on('end', () => res.writeHead(200).end())
    } else if (req.url?.includes('tagging')) {
      const tag = puts > 0 ? '<Tag><Key>millrace-verdict</Key><Value>clean</Value></Tag>' : ''
      res.end(`<Tagging><TagSet><Tag><Key>own</Key><Value>1</Value></Tag>${tag}</TagSet></Tagging>`)
    } else res.writeHead(200, { etag: puts === 0 ? '"old"' : '"new"', 'content-length': 4 }).end('text')
  })
  t.match(await ended(await scan(during, 'a')), { status: 'clean', tag: 'changed' })
  t.match(written, [/own.*millrace-verdict.*clean/, /^(?!.*millrace).*own/])
})

t.test('no tag is written after tags are turned off', async (t) => {
  const turned = Promise.withResolvers<void>()
  const tagged: unknown[] = []
  const bucket = await stranger((req, res) => {
    if (req.url?.includes('tagging')) tagged.push(req.method)
    void turned.promise.then(() => res.writeHead(200, { etag: '"o"', 'content-length': 4 }).end('text'))
  })
  const waiting = await scan(bucket, 'a')
  t.match(await ask(`PATCH /v1/files/buckets/${bucket}`, { body: { writes_tags: false } }), { status: 200 })
  turned.resolve()
  t.match(await ended(waiting), { status: 'clean', tag: 'off' })
  t.same(tagged, [])
})

t.test('an answer that is too long is not reported as a refused address', async (t) => {
  const long = await stranger((req, res) => {
    if (req.url?.includes('tagging')) req.resume().on('end', () => res.end(`<Tagging>${' '.repeat(70_000)}</Tagging>`))
    else res.writeHead(200, { etag: '"l"', 'content-length': 4 }).end('text')
  })
  t.match(await ended(await scan(long, 'a')), { status: 'clean', tag: 'failed', tag_error: /^The response is longer/ })
})

t.test('a version is scanned and tagged as such', async (t) => {
  const asked: string[] = []
  const versioned = await stranger((req, res) => {
    asked.push(`${req.method} ${new URL(req.url ?? '', 'http://x').search}`)
    if (req.url?.includes('tagging')) req.resume().on('end', () => res.end('<Tagging><TagSet/></Tagging>'))
    else res.writeHead(200, { etag: '"v"', 'x-amz-version-id': 'v7', 'content-length': 4 }).end('text')
  })
  const one = await ended(await scan(versioned, 'a', { version_id: 'v7' }))
  t.match(one, { status: 'clean', version_id: 'v7', scanned_version: 'v7', tag: 'written' })
  t.equal(asked.length, 3)
  for (const query of asked) t.match(query, 'versionId=v7')
})

t.test('an unreliable bucket is tried again; one that stays silent holds no slot of the scanner', async (t) => {
  let calls = 0
  const flaky = await stranger((req, res) => {
    if (req.url?.includes('tagging')) return void req.resume().on('end', () => res.end('<Tagging><TagSet/></Tagging>'))
    if (req.method === 'GET' && calls++ === 0) return void res.writeHead(503).end()
    res.writeHead(200, { etag: '"f"', 'content-length': 4 }).end('text')
  })
  t.match(await ended(await scan(flaky, 'a')), { status: 'clean', tag: 'written' })
  const silent = await stranger(() => {})
  for (let i = 0; i < 8; i++) await scan(silent, `silent-${i}`)
  const upload = (await stack.send('not held up')).body
  t.equal((await stack.settled(upload.object_id)).scan_status, 'clean')
  t.equal((await ask(`DELETE /v1/files/buckets/${silent}`)).status, 200)
})

t.test('addresses that are not public are refused, and every invalid field is named', async (t) => {
  for (const endpoint of [
    'http://10.0.0.1',
    'http://169.254.169.254',
    'http://[::1]',
    'ftp://example.com',
    'https://a@b.com',
  ])
    t.same(fieldsOf(await connect({ endpoint })), ['body.endpoint'], endpoint)
  const wrong = await ask('POST /v1/files/buckets', {
    body: { name: '', endpoint: 'https://example.com/x', region: 'Eu!', bucket: 'A/B', access_key_id: '', colour: 1 },
  })
  t.same(
    fieldsOf(wrong).toSorted(),
    ['access_key_id', 'bucket', 'colour', 'endpoint', 'name', 'region', 'secret_access_key'].map(
      (name) => `body.${name}`,
    ),
  )
  t.same(fieldsOf(await ask(`PATCH /v1/files/buckets/${inbox}`, { body: { access_key_id: 'x' } })), [
    'body.secret_access_key',
  ])
  const above = { bucket_id: inbox, key: 'a/../b' }
  t.same(fieldsOf(await ask('POST /v1/files/bucket-scans', { body: above })), ['body.key'])
  const bad = { bucket_id: 'x', key: 'ü'.repeat(600), version_id: '' }
  t.same(fieldsOf(await ask('POST /v1/files/bucket-scans', { body: bad })), [
    'body.bucket_id',
    'body.key',
    'body.version_id',
  ])
})
