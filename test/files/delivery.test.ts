import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import t from 'tap'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import { notifyChanged } from '#sql/video/domains.ts'
import { requestClosure } from '#tasks/account/rules/closure.ts'
import { provide } from '../../ingress/http/container.ts'
import * as services from '../../ingress/http/services.ts'
import { fieldsOf } from '../support/ingress.ts'
import { ownDomain } from '../support/own-domain.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'
import { publisher } from './deliverable.ts'

t.setTimeout(120_000)
const stack = await videoStack(t, { areas: ['files'] })
const { db } = stack
const { url } = stack.ingress
const mine = await publisher(stack)
const digits = '0123456789'

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(path.startsWith('http') ? path : url + path, { method, headers, redirect: 'manual' })
const statusOf = async (path: string) => (await get(path)).status
const codeOf = async (path: string) => {
  const answer = await get(path)
  if (answer.status === 200) return 200
  const { error } = (await answer.json()) as { error: { code: string } }
  return `${answer.status} ${error.code}`
}
const setStatus = (id: string, status: string) =>
  db.query(sql.typeAlias('void')`update files.objects set scan_status = ${status} where id = ${id}`)

t.test('visibility decides which clients can load a file', async (t) => {
  const id = await mine.store(digits)
  const path = `/f/${id}/note.txt`
  t.equal(await codeOf(path), '404 not_found', 'an object is private at first')
  t.match((await mine.ask(`GET /v1/files/objects/${id}`)).body, { visibility: 'private', url: null })
  t.match((await mine.show(id, 'signed')).body, { visibility: 'signed', url: null })
  t.equal(await codeOf(path), '403 token_invalid')
  t.match((await mine.show(id, 'public')).body, { visibility: 'public', url: `${url}${path}` })
  t.equal(await (await get(path)).text(), digits)
  t.equal(await codeOf(`/f/${newId()}/note.txt`), '404 not_found')
  t.equal(await codeOf('/f/1/note.txt'), '404 not_found')
  t.equal(await codeOf(`${path}?token=x&utm_source=mail`), 200, 'a public file needs no token')
  await mine.show(id, 'private')
  t.equal(await codeOf(path), '404 not_found', 'it is gone with the next request')
  const { data } = (await mine.ask('GET /v1/files/objects?visibility=private')).body
  t.ok(data.some((one: { object_id: string }) => one.object_id === id))
  t.strictSame((await mine.ask('GET /v1/files/objects?visibility=public')).body.data, [])
})

t.test('visibility can be set at the upload', async (t) => {
  const id = await mine.store(digits, { visibility: 'public', filename: 'Bericht für Ä & Ö.txt' })
  const { body } = await mine.ask(`GET /v1/files/objects/${id}`)
  t.equal(body.url, `${url}/f/${id}/Bericht%20f%C3%BCr%20%C3%84%20%26%20%C3%96.txt`)
  const answer = await get(body.url)
  t.equal(await answer.text(), digits)
  t.match(answer.headers.get('content-disposition'), "filename*=UTF-8''Bericht%20f%C3%BCr%20%C3%84%20%26%20%C3%96.txt")
})

t.test('only a clean version is delivered, and each version has its own tag', async (t) => {
  const id = await mine.store('the first', { visibility: 'public' })
  const path = `/f/${id}/note.txt`
  const tagOf = async () => (await get(path)).headers.get('etag') ?? ''
  const first = await tagOf()
  t.match(first, /^"1-[0-9a-f]{32}"$/)
  const second = await mine.replace(id, 'the second')
  t.equal(await (await get(path)).text(), 'the second')
  t.not(await tagOf(), first)
  t.equal((await get(path, { 'if-none-match': first })).status, 200)
  t.equal(await codeOf(`/f/${second}/note.txt`), '404 not_found', 'a version has no URL of its own')
  t.equal((await mine.ask(`GET /v1/files/objects/${second}`)).body.visibility, 'public')
  const third = await mine.replace(id, 'the second')
  t.match(await tagOf(), /^"3-/, 'also with the same bytes')
  for (const version of [third, second]) await setStatus(version, 'infected')
  t.equal(await (await get(path)).text(), 'the first')
  t.equal(await tagOf(), first)
  await setStatus(id, 'suspicious')
  t.equal(await codeOf(path), '404 not_found')
})

t.test('conditions', async (t) => {
  const id = await mine.store(digits, { visibility: 'public' })
  const path = `/f/${id}/note.txt`
  const whole = await get(path)
  const [etag, modified] = [whole.headers.get('etag') ?? '', whole.headers.get('last-modified') ?? '']
  await whole.text()
  t.match(whole.headers.get('cache-control'), 'public, max-age=5, must-revalidate')
  const statusWith = async (headers: Record<string, string>) => (await get(path, headers)).status
  t.equal(await statusWith({ 'if-none-match': etag }), 304)
  t.equal(await statusWith({ 'if-none-match': `"other", W/${etag}` }), 304)
  t.equal(await statusWith({ 'if-none-match': '"other"', 'if-modified-since': modified }), 200)
  t.equal(await statusWith({ 'if-modified-since': modified }), 304)
  t.equal(await statusWith({ 'if-modified-since': new Date(Date.now() + 60_000).toUTCString() }), 200)
  t.equal(await statusWith({ 'if-modified-since': 'yesterday' }), 200)
  t.equal(await statusWith({ 'if-match': '"other"' }), 412)
  t.equal(await statusWith({ 'if-match': etag, range: 'bytes=1-2' }), 206)
  t.equal(await statusWith({ 'if-range': etag, range: 'bytes=1-2' }), 206)
  t.equal(await statusWith({ 'if-range': modified, range: 'bytes=1-2' }), 206)
  t.equal(await statusWith({ 'if-range': '"other"', range: 'bytes=1-2' }), 200)
  t.equal(await statusWith({ 'if-range': `W/${etag}`, range: 'bytes=1-2' }), 200)
  const head = await get(path, {}, 'HEAD')
  t.match([head.status, head.headers.get('content-length'), head.headers.get('etag')], [200, '10', etag])
  const kept = await get(path, { 'if-none-match': etag })
  t.equal(kept.headers.get('etag'), etag)
  t.equal(kept.headers.get('content-type'), null)
})

t.test('curl loads parts', async (t) => {
  const large = Buffer.alloc(700_000, digits)
  const run = promisify(execFile)
  for (const bytes of [Buffer.from(digits), large]) {
    const id = await mine.store(bytes, { visibility: 'public', filename: 'part.bin' })
    const curl = async (...args: string[]) => {
      const { stdout } = await run('curl', ['-s', '-i', ...args, `${url}/f/${id}/part.bin`], { maxBuffer: 2 ** 21 })
      const [head = '', ...rest] = stdout.split('\r\n\r\n')
      return { head: head.toLowerCase(), text: rest.join('\r\n\r\n') }
    }
    const end = bytes.length - 1
    const cases: [string, number, number][] = [
      ['2-4', 2, 4],
      ['0-0', 0, 0],
      ['5-', 5, end],
      ['-3', end - 2, end],
      [`0-${end + 100}`, 0, end],
      ['-9999999', 0, end],
    ]
    for (const [range, from, to] of cases) {
      const { head, text } = await curl('-r', range)
      t.match(head, /^http\/1\.1 206 /, range)
      t.match(head, `content-range: bytes ${from}-${to}/${bytes.length}`, range)
      t.match(head, `content-length: ${to - from + 1}`, range)
      t.equal(text, bytes.subarray(from, to + 1).toString(), range)
    }
    for (const range of [`${end + 1}-`, '-0']) {
      const { head, text } = await curl('-r', range)
      t.match(head, /^http\/1\.1 416 /, range)
      t.match(head, `content-range: bytes */${bytes.length}`, range)
      t.equal(text, '')
    }
    for (const range of ['0-1,3-4', 'x-y', '4-2', '-']) {
      const { head, text } = await curl('-H', `Range: bytes=${range}`)
      t.match(head, /^http\/1\.1 200 /, range)
      t.equal(text.length, bytes.length, range)
    }
    t.match((await curl('-I')).head, `content-length: ${bytes.length}`)
  }
  const empty = await mine.store('', { visibility: 'public' })
  const answer = await get(`/f/${empty}/note.txt`, { range: 'bytes=0-' })
  t.match([answer.status, answer.headers.get('content-range')], [416, 'bytes */0'])
  t.equal(await (await get(`/f/${empty}/note.txt`)).text(), '')
})

t.test('headers protect pages from files, and other sites can embed them', async (t) => {
  const cases: [type: string, served: string, inline: boolean, sandboxed: boolean][] = [
    ['image/png', 'image/png', true, false],
    ['application/pdf', 'application/pdf', true, false],
    ['text/plain', 'text/plain; charset=utf-8', true, true],
    ['image/svg+xml', 'image/svg+xml', true, true],
    ['text/html', 'text/html; charset=utf-8', false, true],
    ['application/xhtml+xml', 'application/xhtml+xml', false, true],
    ['text/javascript', 'application/octet-stream', false, true],
    ['text/css', 'application/octet-stream', false, true],
    ['application/wasm', 'application/octet-stream', false, true],
    ['application/zip', 'application/zip', false, true],
    ['application/x-unheard-of', 'application/x-unheard-of', false, true],
  ]
  for (const [type, served, inline, sandboxed] of cases) {
    const id = await mine.store(digits, { visibility: 'public', type, content_type: 'image/gif' })
    const { headers } = await get(`/f/${id}/note.txt`)
    t.equal(headers.get('content-type'), served, type)
    t.match(headers.get('content-disposition'), inline ? /^inline; / : /^attachment; /, type)
    const policy = headers.get('content-security-policy') ?? ''
    t.equal(policy.startsWith("sandbox; default-src 'none';"), sandboxed, type)
    t.match(Object.fromEntries(headers), {
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-allow-origin': '*',
      'accept-ranges': 'bytes',
    })
    const saved = await get(`/f/${id}/note.txt?download`)
    t.match(saved.headers.get('content-disposition'), /^attachment; /)
  }
  const table = await mine.store('a,b', { visibility: 'public', type: 'text/plain', content_type: 'text/csv' })
  t.equal((await get(`/f/${table}/note.txt`)).headers.get('content-type'), 'text/csv; charset=utf-8')
  const declared = await mine.store(digits, { visibility: 'public', content_type: 'Text/HTML; charset=utf-16' })
  t.equal((await get(`/f/${declared}/note.txt`)).headers.get('content-type'), 'text/html; charset=utf-8')
})

t.test('a wrong name redirects to the right one, only for clients that can load the file', async (t) => {
  const id = await mine.store(digits, { visibility: 'public', filename: 'a b.txt' })
  const answer = await get(`/f/${id}/old.txt?w=100`)
  t.match([answer.status, answer.headers.get('location')], [302, `/f/${id}/a%20b.txt?w=100`])
  await mine.show(id, 'signed')
  t.equal(await codeOf(`/f/${id}/old.txt`), '403 token_invalid')
  await mine.show(id, 'private')
  t.equal(await codeOf(`/f/${id}/old.txt`), '404 not_found')
  t.equal(await codeOf(`/f/${id}/%E0%A4%A.txt`), '404 not_found')
})

t.test('signed URLs', async (t) => {
  const id = await mine.store('<p>hello', { type: 'text/html', filename: 'page.html' })
  const other = await mine.store(digits, { visibility: 'signed' })
  const refused = await mine.ask(`POST /v1/files/objects/${id}/signed-urls`, {})
  t.match([refused.status, refused.body.error.code], [409, 'object_private'])
  await mine.show(id, 'signed')
  const signed = await mine.sign(id, { expires_in: 600, disposition: 'inline' })
  const answer = await get(signed)
  t.match([answer.status, answer.headers.get('cache-control')], [200, 'private, no-cache'])
  t.match(answer.headers.get('content-disposition'), /^inline/)
  t.match((await get(`${signed}&download`)).headers.get('content-disposition'), /^attachment/)
  const token = new URL(signed).searchParams.get('token')
  t.equal(await codeOf(`/f/${other}/note.txt?token=${token}`), '403 token_invalid', 'it is for one object')
  t.equal(await codeOf(`/f/${id}/page.html?token=${token?.slice(0, -2)}`), '403 token_invalid')
  const rotated = [provide(services.signingSecret, 'another secret of the tests, long enough')]
  const after = await stack.another(db, { services: rotated })
  t.equal(await codeOf(signed.replace(url, after.url)), '403 token_invalid', 'the signing secret was rotated')
  const past = await mine.sign(id, { expires_in: 10 })
  const now = Date.now
  Date.now = () => now() + 11_000
  t.equal(await codeOf(past), '403 token_expired')
  Date.now = now
  const { body } = await mine.ask(`DELETE /v1/files/objects/${id}/signed-urls`)
  t.same(body, { object_id: id, revoked: true })
  t.equal(await codeOf(signed), '403 token_revoked')
  t.equal(await codeOf(await mine.sign(id)), 200)
  await mine.show(id, 'private')
  t.equal(await statusOf(signed), 404)
})

t.test('caches and signed URLs end with the object', async (t) => {
  const id = await mine.store(digits, { visibility: 'public' })
  const path = `/f/${id}/note.txt`
  const end = new Date(Date.now() + 3_900)
  await mine.ask(`PATCH /v1/files/objects/${id}`, { expires_at: end.toISOString() })
  t.match((await get(path)).headers.get('cache-control'), /^public, max-age=[0-3], must-revalidate$/)
  const { body } = await mine.ask(`POST /v1/files/objects/${id}/signed-urls`, { expires_in: 600 })
  t.ok(Date.parse(body.expires_at) <= end.getTime())
  t.ok(body.expires_in_seconds <= 4)
  await until(async () => (await statusOf(path)) === 404)
  t.equal(await statusOf(body.url), 404)
})

t.test('bad input', async (t) => {
  const id = await mine.store(digits, { visibility: 'signed' })
  const wrong = async (request: string, body?: unknown) => fieldsOf(await mine.ask(request, body)).toSorted()
  const [object, urls] = [`/v1/files/objects/${id}`, `/v1/files/objects/${id}/signed-urls`]
  const both = ['body.colour', 'body.visibility']
  t.same(await wrong(`PATCH ${object}`, { visibility: 'open', colour: 1 }), both)
  t.same(await wrong(`PATCH ${object}`, {}), ['body'])
  const bad = { expires_in: 5, disposition: 'x', host: 1, colour: 1 }
  t.same(
    await wrong(`POST ${urls}`, bad),
    Object.keys(bad)
      .map((name) => `body.${name}`)
      .toSorted(),
  )
  t.same(await wrong(`POST ${urls}`, { host: 'elsewhere.example' }), ['body.host'])
  t.same(await wrong('GET /v1/files/objects?visibility=open'), ['query.visibility'])
  const other = await publisher(stack)
  t.equal((await other.ask(`PATCH ${object}`, { visibility: 'public' })).status, 404)
  t.equal((await other.ask(`POST ${urls}`, {})).status, 404)
  t.equal((await other.ask(`DELETE ${urls}`)).status, 404)
  const version = await mine.replace(id, 'next')
  await mine.show(version, 'public')
  t.match((await mine.ask(`GET ${object}`)).body, { visibility: 'public' }, 'the visibility is that of all versions')
  t.equal((await mine.ask(`POST /v1/files/objects/${version}/signed-urls`, {})).status, 404)
})

t.test('a domain delivers only files of its organisation', async (t) => {
  const [theirs, host] = [await publisher(stack), `files-${newId()}.example.com`]
  await ownDomain(db, mine.orgId, host)
  await notifyChanged(db, host)
  const [own, foreign] = await Promise.all([
    mine.store(digits, { visibility: 'public' }),
    theirs.store(digits, { visibility: 'public' }),
  ])
  const ingress = await stack.another(db, { trustedProxies: ['127.0.0.1'] })
  const at = (id: string) =>
    fetch(`${ingress.url}/f/${id}/note.txt`, {
      headers: { 'x-forwarded-host': host, 'x-forwarded-for': '203.0.113.9' },
    })
  t.equal((await at(own)).status, 200)
  t.equal((await at(foreign)).status, 404)
  await mine.show(own, 'signed')
  const signed = await mine.sign(own, { host })
  t.match(signed, `https://${host}/f/${own}/note.txt?token=`)
  t.equal((await theirs.ask(`POST /v1/files/objects/${foreign}/signed-urls`, { host })).status, 400)
})

t.test('deleted objects and files of closed organisations are gone', async (t) => {
  const closed = await publisher(stack)
  const [deleted, left] = await Promise.all([
    closed.store(digits, { visibility: 'public' }),
    closed.store(digits, { visibility: 'public' }),
  ])
  t.equal(await statusOf(`/f/${deleted}/note.txt`), 200)
  await closed.ask(`DELETE /v1/files/objects/${deleted}`)
  t.equal(await statusOf(`/f/${deleted}/note.txt`), 404)
  t.equal(await statusOf(`/f/${left}/note.txt`), 200)
  const actor = { kind: 'user', id: 'u1', name: 'Ada' } as const
  await db.transaction((tx) => requestClosure(tx, { orgId: closed.orgId, actor }))
  t.equal(await statusOf(`/f/${left}/note.txt`), 404)
})

t.test('large files arrive complete', async (t) => {
  const bytes = Buffer.alloc(5_000_000, 'all of this ')
  const id = await mine.store(bytes, { visibility: 'public', filename: 'large.bin' })
  const got = Buffer.from(await (await get(`/f/${id}/large.bin`)).arrayBuffer())
  t.equal(hash('sha256', got), hash('sha256', bytes))
})
