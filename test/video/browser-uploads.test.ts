import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import t from 'tap'
import { z } from 'zod'
import * as keys from '#sql/account/keys.ts'
import { sql } from '#sql/db.ts'
import { startBrowser, watchedPage } from '../support/browser.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'

t.setTimeout(240_000)
const stack = await videoStack(t, { areas: ['files'] })
const { ingress, db } = stack
const { ask } = ingress
const org = await testOrg(db, ['stream:read', 'stream:write', 'files:read', 'files:write'])
const key = org.keys.main

/** Serves an empty page, and the client's source as browsers run it, from an origin that is not the API's. */
async function pageOrigin(): Promise<string> {
  const source = fileURLToPath(new URL('../../sdk/node/src/', import.meta.url))
  const server = createServer(async (request, response) => {
    const path = request.url ?? '/'
    if (!path.endsWith('.ts')) return void response.setHeader('content-type', 'text/html').end('<title>page</title>')
    const text = stripTypeScriptTypes(await readFile(source + path.slice(1), 'utf8'))
    response.setHeader('content-type', 'text/javascript').end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const [origin, foreign, browser] = await Promise.all([pageOrigin(), pageOrigin(), startBrowser(t)])
const { page, errors } = await watchedPage(browser)
const failed: string[] = []
page.on('requestfailed', (request) => failed.push(`${request.method()} ${request.failure()?.errorText}`))
await page.goto(origin)

/** More than one part. */
const bytes = 6 * 1024 * 1024

const startVideo = async (browser: object = { origins: [origin] }, more: object = {}) =>
  (await ask('POST /v1/stream/uploads', { key, body: { bytes, filename: 'noise.bin', browser, ...more } })).body

const startFile = async (byte_size: number) => {
  const facts = { product_key: 'crm', tenant_id: 'acme', filename: 'note.txt', content_type: 'text/plain', byte_size }
  return (await ask('POST /v1/files/uploads', { key, body: { ...facts, browser: { origins: [origin] } } })).body
}

/** Uploads zeros from a page; returns what came of it, or the error's words. */
const send = (from: Page, method: 'uploadVideo' | 'uploadFile', session: unknown, size: number) =>
  from.evaluate(`(async () => {
    const { Millrace } = await import('/index.ts')
    const client = new Millrace({ baseUrl: ${JSON.stringify(ingress.url)}, maxRetries: 0 })
    const source = new Uint8Array(${size})
    return await client.${method}(source, { session: ${JSON.stringify(session)} }).catch((error) => String(error))
  })()`) as Promise<Record<string, string> | string>

/** Asks as a page of an origin does. */
const askFrom = (from: string, request: string, token: string, body?: unknown) =>
  ask(request, { key: token, headers: { origin: from }, ...(body ? { body } : {}) })

t.test('a page sends a video with the token of its upload, and no key', async (t) => {
  const session = await startVideo()
  const { uploadId, assetId, upload_token } = session
  const ends = Date.parse(session.upload_token_expires_at) - Date.now()
  t.ok(ends > 3_500_000 && ends <= 3_600_000, 'an hour unless said')
  t.same(await send(page, 'uploadVideo', session, bytes), { uploadId, assetId })
  t.same([errors, failed], [[], []], 'nothing is logged of parts that arrived')
  t.match((await ask(`GET /v1/stream/assets/${assetId}`, { key })).body, { status: 'processing', bytes })

  t.test('completing again answers the same; nothing else is open any more', async (t) => {
    const path = `/v1/stream/uploads/${uploadId}`
    t.match(await askFrom(origin, `POST ${path}/complete`, upload_token, {}), { status: 201, body: { assetId } })
    for (const [request, body] of [
      [`GET ${path}`, undefined],
      [`POST ${path}/parts/sign`, { partNumbers: [1] }],
      [`DELETE ${path}`, undefined],
    ] as const) {
      const refused = await askFrom(origin, request, upload_token, body)
      t.match(refused, { status: 401, body: { error: { message: /expired because its upload has ended/ } } }, request)
    }
  })
})

t.test('a page sends a file with the token of its upload', async (t) => {
  const session = await startFile(1_000)
  t.match(await send(page, 'uploadFile', session, 1_000), { object_id: session.object_id, byte_size: 1_000 })
  t.same([errors, failed], [[], []])
  for (const verb of ['GET', 'DELETE']) {
    const refused = await askFrom(origin, `${verb} /v1/files/objects/${session.object_id}`, session.upload_token)
    t.match(refused, { status: 401 }, verb)
  }
  const link = await askFrom(
    origin,
    `POST /v1/files/objects/${session.object_id}/download-url`,
    session.upload_token,
    {},
  )
  t.match(link, { status: 401 }, 'what it has sent it may not read')
})

t.test('an upload that broke off goes on with the same token', async (t) => {
  const session = await startVideo()
  const path = `/v1/stream/uploads/${session.uploadId}`
  const signed = await askFrom(origin, `POST ${path}/parts/sign`, session.upload_token, { partNumbers: [1] })
  const [part] = signed.body.parts
  t.equal((await fetch(part.url, { method: 'PUT', body: new Uint8Array(part.bytes) })).status, 200)
  t.same((await askFrom(origin, `GET ${path}`, session.upload_token)).body.partsReceived, [1])
  t.match(await send(page, 'uploadVideo', session, bytes), { uploadId: session.uploadId })
})

t.test('another size is refused, by the client and by storage', async (t) => {
  const [video, file] = await Promise.all([startVideo(), startFile(1_000)])
  t.match(await send(page, 'uploadVideo', video, bytes + 1), /has 6291456 bytes, but this source has 6291457/)
  t.match(await send(page, 'uploadFile', file, 999), /has 1000 bytes, but this source has 999/)
  const headers = file.upload_headers
  t.equal((await fetch(file.upload_url, { method: 'PUT', headers, body: new Uint8Array(999) })).status, 403)
  const path = `POST /v1/stream/uploads/${video.uploadId}/parts/sign`
  const [part] = (await askFrom(origin, path, video.upload_token, { partNumbers: [2] })).body.parts
  t.equal((await fetch(part.url, { method: 'PUT', body: new Uint8Array(part.bytes + 1) })).status, 403)
})

t.test('a token opens its own upload, for pages of its origins, until it ends', async (t) => {
  const [mine, other, file] = await Promise.all([startVideo(), startVideo(), startFile(10)])
  const path = `/v1/stream/uploads/${other.uploadId}`
  const requests = [
    [`GET ${path}`, undefined],
    [`POST ${path}/parts/sign`, { partNumbers: [1] }],
    [`POST ${path}/complete`, {}],
    [`DELETE ${path}`, undefined],
    [`POST /v1/files/uploads/${file.object_id}/complete`, {}],
    [`DELETE /v1/files/objects/${file.object_id}`, undefined],
  ] as const
  for (const [request, body] of requests) {
    const refused = await askFrom(origin, request, mine.upload_token, body)
    t.match(refused, { status: 403, body: { error: { message: /for a different upload/ } } }, request)
  }
  for (const request of ['GET /v1/stream/assets', `POST /v1/stream/uploads/${mine.uploadId}/pause`])
    t.equal((await askFrom(origin, request, mine.upload_token)).status, 401, request)
  const another = await askFrom(origin, 'POST /v1/stream/uploads', mine.upload_token, { bytes })
  t.match(another, { status: 403, body: { error: { message: /It cannot start another/ } } })
  const [body, mac] = mine.upload_token.split('.')
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString())
  const forged = Buffer.from(JSON.stringify({ ...claims, upload_id: other.uploadId })).toString('base64url')
  t.equal((await askFrom(origin, `GET ${path}`, `${forged}.${mac}`)).status, 401, 'what it says is signed')

  const own = `GET /v1/stream/uploads/${mine.uploadId}`
  const listed = await askFrom(origin, own, mine.upload_token)
  t.same([listed.status, listed.headers.get('access-control-allow-origin')], [200, origin])
  t.match(listed.headers.get('vary'), /Origin/)
  const refused = await askFrom(foreign, own, mine.upload_token)
  t.match(refused, { status: 403, body: { error: { message: `This upload token cannot be used on ${foreign}.` } } })
  t.equal(refused.headers.get('access-control-allow-origin'), null)
  t.equal((await ask(own, { key: mine.upload_token })).status, 200, 'what is no page says no origin')
  const { page: elsewhere } = await watchedPage(browser)
  await elsewhere.goto(foreign)
  t.match(await send(elsewhere, 'uploadVideo', mine, bytes), /ConnectionError/, 'no page of another origin')
  t.same((await ask(own, { key })).body.partsReceived, [])
})

t.test('a token that is over is told so to the page', async (t) => {
  const session = await startVideo({ origins: [origin], expires_in: 60 })
  const clock = Date.now
  t.teardown(() => {
    Date.now = clock
  })
  Date.now = () => clock() + 61_000
  t.match(await send(page, 'uploadVideo', session, bytes), /This upload token has expired/)
})

t.test('a token ends with the key that started its upload', async (t) => {
  const session = await startVideo()
  const request = `GET /v1/stream/uploads/${session.uploadId}`
  t.equal((await askFrom(origin, request, session.upload_token)).status, 200)
  const second = await testOrg(db, ['stream:write'])
  const started = await ask('POST /v1/stream/uploads', {
    key: second.keys.main,
    body: { bytes, browser: { origins: [origin] } },
  })
  const { uploadId, upload_token } = started.body
  const own = `GET /v1/stream/uploads/${uploadId}`
  t.equal((await askFrom(origin, own, upload_token)).status, 200, 'a key that may start may have its page look')
  const [row] = await keys.list(db, second.org.id)
  await keys.revoke(db, second.org.id, String(row?.id))
  await until(async () => (await askFrom(origin, own, upload_token)).status === 401, {
    timeout: 10_000,
    what: 'it ends',
  })
})

t.test('repeats of a start get the same session, and no token is kept', async (t) => {
  const more = { idempotencyKey: 'once' }
  const first = await startVideo({ origins: [origin] }, more)
  const second = await startVideo({ origins: [origin] }, more)
  t.same(second, first)
  const kept = await db.anyFirst(sql.type(z.object({ reply: z.string() }))`
    select reply from account.idempotency where reply like ${`%${first.uploadId}%`}`)
  t.equal(kept.length, 1)
  t.notMatch(kept[0], first.upload_token)
})

t.test('what cannot be meant is refused by name; without `browser` there is no token', async (t) => {
  const bad = { origins: ['https://example.com/page', '*'], expires_in: 59, more: 1 }
  const refused = await ask('POST /v1/stream/uploads', { key, body: { bytes, browser: bad } })
  t.equal(refused.status, 400)
  t.same(fieldsOf(refused), [
    'body.browser.expires_in',
    'body.browser.more',
    'body.browser.origins.0',
    'body.browser.origins.1',
  ])
  const plain = await ask('POST /v1/stream/uploads', { key, body: { bytes } })
  t.same([plain.status, plain.body.upload_token], [201, undefined])
  t.match(await send(page, 'uploadVideo', plain.body, bytes), /no `upload_token`. Start it with `browser/)
})

t.test('a preflight is answered for what takes such tokens, and for nothing beside', async (t) => {
  const preflight = (path: string) =>
    ask(`OPTIONS ${path}`, { headers: { origin, 'access-control-request-method': 'POST' } })
  const { uploadId } = await startVideo()
  const open = await preflight(`/v1/stream/uploads/${uploadId}/parts/sign`)
  t.same([open.status, open.headers.get('access-control-allow-origin')], [204, origin])
  t.match(open.headers.get('access-control-allow-headers'), /authorization/)
  const shut = await preflight('/v1/stream/assets')
  t.equal(shut.headers.get('access-control-allow-origin'), null)
})
