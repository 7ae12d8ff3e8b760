import { createHash, randomBytes } from 'node:crypto'
import type { Page } from 'playwright-core'
import t from 'tap'
import { startBrowser, watchedPage } from '../support/browser.ts'
import { filesStack } from '../support/files-stack.ts'
import { testOrg } from '../support/ingress.ts'
import { moduleSite } from '../support/module-site.ts'
import { partBytes } from '../support/parts.ts'
import { until } from '../support/until.ts'

t.setTimeout(240_000)
const stack = await filesStack(t, { areas: ['video'] })
const { base, ask, settled } = stack
const { ingress, db } = base
const { keys } = await testOrg(db, ['stream:read', 'stream:write'])
const [origin, browser] = await Promise.all([
  moduleSite(t, {
    '@uppy/core': '@uppy/core',
    '@uppy/aws-s3': '@uppy/aws-s3',
    'millrace/uppy': '/sdk/node/src/uppy.ts',
  }),
  startBrowser(t),
])
const { page } = await watchedPage(browser)
const cdp = await page.context().newCDPSession(page)
await stack.startWorkers()

/** Bytes that a page can make again after a reload. */
const size = 3 * partBytes + 123
const seed = randomBytes(4).readUInt32LE()
const contentOf = (given: number) => {
  const words = new Uint32Array(Math.ceil(size / 4))
  for (let i = 0, x = given || 1; i < words.length; i++) {
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    words[i] = x
  }
  return Buffer.from(words.buffer).subarray(0, size)
}
const sha256 = createHash('sha256').update(contentOf(seed)).digest('hex')

const token = async (area: 'files' | 'stream') => {
  const limits = { max_bytes: 10 * size, max_files: 9, origins: [origin] }
  const owner = area === 'files' ? { product_key: 'crm', tenant_id: 'acme' } : {}
  const options = { body: { ...owner, ...limits }, ...(area === 'stream' && { key: keys.main }) }
  const reply = await ask(`POST /v1/${area}/upload-tokens`, options)
  if (reply.status !== 201) throw new Error(reply.text)
  return reply.body.upload_token as string
}

/** Sets up Uppy as a customer's page does. The page starts each upload with its token. */
async function open(from: Page, area: 'files' | 'stream', start: string): Promise<void> {
  await from.goto(origin)
  await from.evaluate(`(async () => {
    const [{ default: Uppy }, { default: AwsS3 }, { connectUppy }] = await Promise.all(
      ['@uppy/core', '@uppy/aws-s3', 'millrace/uppy'].map((name) => import(name)))
    const uppy = new Uppy({ autoProceed: false })
    const path = '${area}' === 'files' ? '/v1/files/uploads/multipart' : '/v1/stream/uploads'
    const { options } = connectUppy(uppy, {
      baseUrl: '${ingress.url}',
      area: '${area}',
      async start({ name, type, size }) {
        const facts = '${area}' === 'files'
          ? { filename: name, content_type: type, byte_size: size } : { filename: name, bytes: size }
        const response = await fetch('${ingress.url}' + path, {
          method: 'POST',
          headers: { authorization: 'Bearer ${start}', 'content-type': 'application/json' },
          body: JSON.stringify(facts),
        })
        if (!response.ok) throw new Error((await response.json()).error.message)
        return await response.json()
      },
    })
    uppy.use(AwsS3, options)
    window.parts = []
    uppy.on('s3-multipart:part-uploaded', (_, part) => window.parts.push(part.PartNumber))
    uppy.on('upload-success', (_, { body }) => { window.key = body.key })
    window.uppy = uppy
    window.add = () => {
      const words = new Uint32Array(Math.ceil(${size} / 4))
      for (let i = 0, x = ${seed} || 1; i < words.length; i++) {
        x ^= x << 13; x ^= x >>> 17; x ^= x << 5; words[i] = x
      }
      const data = new File([new Uint8Array(words.buffer, 0, ${size})], 'backup.bin', { type: 'application/octet-stream', lastModified: 1 })
      uppy.addFile({ name: data.name, type: data.type, data })
    }
    add()
  })()`)
}

const upload = (from: Page) =>
  from.evaluate(`uppy.upload().then(({ successful, failed }) => ({
    successful: successful.length, failed: failed.map(({ error }) => error), key: window.key, parts: window.parts }))`) as Promise<{
    successful: number
    failed: string[]
    key: string
    parts: number[]
  }>

/** Starts an upload in a page, and returns when storage has this many parts. */
async function untilParts(from: Page, many: number): Promise<void> {
  await from.evaluate('void (window.done = uppy.upload())')
  await until(async () => ((await from.evaluate('window.parts.length')) as number) >= many, { what: 'parts arrive' })
}

t.test('Uppy sends a file in parts', async (t) => {
  await open(page, 'files', await token('files'))
  const { key, ...result } = await upload(page)
  t.same(result, { successful: 1, failed: [], parts: [1, 2, 3, 4] })
  t.match(await settled(key), { scan_status: 'clean', sha256, byte_size: size, tenant_id: 'acme' })
})

t.test('Uppy sends a video in parts', async (t) => {
  await open(page, 'stream', await token('stream'))
  const { key, ...result } = await upload(page)
  t.same(result, { successful: 1, failed: [], parts: [1, 2, 3, 4] })
  t.match((await ask(`GET /v1/stream/uploads/${key}`, { key: keys.main })).body, { state: 'completed', bytes: size })
})

t.test('a page that lost its network continues when it is back', async (t) => {
  await open(page, 'files', await token('files'))
  const network = (offline: boolean, bytesPerSecond = -1) =>
    cdp.send('Network.emulateNetworkConditions', {
      offline,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: bytesPerSecond,
    })
  await cdp.send('Network.enable')
  await network(false, 8_000_000)
  await untilParts(page, 1)
  await network(true)
  await until(async () => (await page.evaluate('navigator.onLine')) === false, { what: 'the page is offline' })
  const before = (await page.evaluate('window.parts.length')) as number
  await network(false)
  const result = (await page.evaluate(`window.done.then(async (first) => {
    const last = first.failed.length > 0 ? await uppy.retryAll() : first
    return { successful: last.successful.length, key: window.key, parts: window.parts }
  })`)) as { successful: number; key: string; parts: number[] }
  t.equal(result.successful, 1)
  t.ok(before < 4, 'it was cut before its end')
  t.same(result.parts, [1, 2, 3, 4], 'no part is sent twice')
  t.match(await settled(result.key), { scan_status: 'clean', sha256 })
})

t.test('a reloaded page sends only the missing parts', async (t) => {
  const start = await token('files')
  await open(page, 'files', start)
  await cdp.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: 8_000_000,
  })
  await untilParts(page, 2)
  const had = (await page.evaluate('window.parts')) as number[]
  const [opened] = (await ask('GET /v1/files/uploads')).body.data
  await open(page, 'files', start)
  await cdp.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: -1,
  })
  const { key, parts, successful } = await upload(page)
  t.same([successful, key], [1, opened.object_id], 'the same upload')
  t.notOk(
    parts.some((part) => had.includes(part)),
    `${had} were there, ${parts} were sent`,
  )
  t.match(await settled(key), { scan_status: 'clean', sha256 })
})

t.test('a cancelled upload is aborted, and an error of the API is shown', async (t) => {
  await open(page, 'files', await token('files'))
  await cdp.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: 8_000_000,
  })
  await untilParts(page, 1)
  const [opened] = (await ask('GET /v1/files/uploads')).body.data
  await page.evaluate('uppy.cancelAll()')
  await until(async () => (await ask(`GET /v1/files/uploads/${opened.object_id}`)).status === 404, { what: 'it ends' })
  const tiny = { product_key: 'crm', tenant_id: 'acme', max_bytes: 10, origins: [origin] }
  await open(page, 'files', (await ask('POST /v1/files/upload-tokens', { body: tiny })).body.upload_token)
  const { failed } = await upload(page)
  t.match(failed, [/byte_size.*must be at most 10 with this upload token/])
})
