import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import * as plans from '#sql/account/plans.ts'
import { sql } from '#sql/db.ts'
import { sourceKey } from '#sql/video/uploads.ts'
import { film, numbered } from '../media/sources.ts'
import { testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { noise, videoStack } from '../support/video-stack.ts'
import { fileServer, ranged } from './file-server.ts'

t.setTimeout(240_000)
const stack = await videoStack(t)
const { ask, db, store } = stack
const MiB = 1024 ** 2
const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '60', '-pix_fmt', 'yuv420p']
const small = await readFile(await film(join(stack.data, 'a.mp4'), numbered('30', 2, '160:90'), { codec }))

/** A film with a box behind it that players skip (ISO/IEC 14496-12 8.1.2), so that it comes in several parts. */
const large = Buffer.concat([small, Buffer.from([1, 0x40, 0, 8]), Buffer.from('free'), noise(12 * MiB)])

let release: () => void = () => {}
const held = new Promise<void>((resolve) => {
  release = resolve
})
const server = await fileServer(t, {
  '/film.mp4': ranged(large, { most: (number) => (number < 3 ? 9 * MiB : large.length) }),
  '/held.mp4': (request, response, number) => {
    if (number > 1) return ranged(large)(request, response, number)
    response.writeHead(200, { etag: '"v1"', 'accept-ranges': 'bytes', 'content-length': String(large.length) })
    response.write(large.subarray(0, 9 * MiB))
    void held.then(() => response.destroy())
  },
  '/changed.mp4': (request, response, number) =>
    ranged(number === 1 ? large : small, { tag: `"v${number}"`, most: () => (number === 1 ? 9 * MiB : small.length) })(
      request,
      response,
      number,
    ),
  '/plain.mp4': (_, response, number) => {
    response.writeHead(200)
    if (number === 1) response.write(small.subarray(0, 1000), () => response.destroy())
    else response.end(small)
  },
  '/busy.mp4': (request, response, number) => {
    if (number === 1) response.writeHead(503, { 'retry-after': '1' }).end()
    else ranged(small)(request, response, number)
  },
  '/empty.mp4': (_, response) => response.writeHead(200, { 'content-length': '0' }).end(),
  '/gone.mp4': (_, response) => response.writeHead(410).end(),
  '/inside': (_, response) => response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end(),
  '/far': (_, response) => response.writeHead(302, { location: '/film.mp4' }).end(),
  '/round': (_, response) => response.writeHead(302, { location: '/round' }).end(),
  '/huge.mp4': (_, response) => {
    response.writeHead(200)
    response.on('drain', () => response.write(noise(MiB)))
    response.write(noise(MiB))
  },
})
const environment = { OUTBOUND_ALLOWED: '127.0.0.1, ::1' }

const fetchFile = async (path: string, more: Record<string, unknown> = {}, key = stack.key) => {
  const reply = await ask('POST /v1/stream/imports', { key, body: { url: server.url(path), ...more } })
  t.equal(reply.status, 201, reply.text)
  return reply.body.assetId as string
}
const readBy = async (assetId: string, key: string) => (await ask(`GET /v1/stream/assets/${assetId}`, { key })).body
const ended = (assetId: string, status: string, key = stack.key) =>
  until(
    async () => {
      const asset = await readBy(assetId, key)
      return asset.status === status && asset
    },
    { timeout: 60_000, what: `${assetId} is ${status}` },
  )
const sourceOf = async (assetId: string) => hash('sha256', await store.storage.readWhole(sourceKey(assetId)), 'hex')

const workers = await stack.startWorkers(environment, 'core,web')

t.test('a connection that breaks off is gone on with by ranges, and what comes is what the server has', async (t) => {
  const assetId = await fetchFile('/film.mp4', { title: 'Film', metadata: { a: 'b' } })
  const asset = await ended(assetId, 'processing')
  t.match(asset, { title: 'Film', metadata: { a: 'b' }, filename: 'film.mp4', bytes: large.length })
  t.match(asset.import, { state: 'fetched', bytesReceived: large.length, bytes: large.length, progress_percent: 100 })
  t.equal(await sourceOf(assetId), hash('sha256', large, 'hex'))
  const [first, ...others] = server.of('/film.mp4')
  t.match(first, { range: undefined })
  for (const { range, ifRange } of others) t.match({ range, ifRange }, { range: /^bytes=\d{7,}-$/, ifRange: '"v1"' })
  const counted = await db.oneFirst(sql.unsafe`select bytes from account.storage where org_id = ${stack.orgId}`)
  t.equal(counted, large.length)
})

t.test('a worker that is killed costs the part that it was at, and the asset tells how far it is', async (t) => {
  const assetId = await fetchFile('/held.mp4?signature=secret')
  await until(async () => (await readBy(assetId, stack.key)).import.bytesReceived >= 8 * MiB)
  const during = await readBy(assetId, stack.key)
  t.match(during, { status: 'uploading', stage: 'Downloading the file', bytes: large.length })
  const { data } = (await ask('GET /v1/stream/assets?status=uploading', { key: stack.key })).body
  t.equal(data.find(({ id }: { id: string }) => id === assetId)?.stage, 'Downloading the file', 'a list says the same')
  t.match(during.import, {
    state: 'fetching',
    bytes: large.length,
    progress_percent: Math.floor((8 * MiB * 100) / large.length),
  })
  t.notMatch(JSON.stringify(during), 'secret')
  await workers.kill()
  release()
  await stack.startWorkers(environment, 'core,web')
  await ended(assetId, 'processing')
  t.equal(await sourceOf(assetId), hash('sha256', large, 'hex'))
  t.match(server.of('/held.mp4').slice(1), [{ range: `bytes=${8 * MiB}-`, ifRange: '"v1"' }])
  const kept = await db.oneFirst(sql.unsafe`select url from video.imports where asset_id = ${assetId}`)
  t.notMatch(kept, 'secret', 'what signs an address is forgotten')
})

t.test(
  'a file that changes meanwhile is fetched from its beginning; so is one that cannot be gone on with',
  async (t) => {
    for (const path of ['/changed.mp4', '/plain.mp4', '/busy.mp4', '/far']) {
      const assetId = await fetchFile(path)
      await ended(assetId, 'processing')
      t.equal(await sourceOf(assetId), hash('sha256', path === '/far' ? large : small, 'hex'), path)
    }
  },
)

t.test('what cannot be fetched fails with a code and a sentence, and leaves nothing behind', async (t) => {
  const codes: Record<string, string> = {
    '/gone.mp4': 'url_rejected',
    '/nothing.mp4': 'url_rejected',
    '/empty.mp4': 'empty',
    '/inside': 'url_refused',
    '/round': 'url_refused',
  }
  for (const [path, failure_code] of Object.entries(codes)) {
    const assetId = await fetchFile(path, { captions: [{ language: 'en' }] })
    const asset = await ended(assetId, 'failed')
    t.match(asset, { failure_code, failure_summary: /\w{4}.*\.$/, import: { state: 'failed' } }, path)
    t.match(asset.captions, [{ state: 'failed' }], 'captions that waited for it end, too')
  }
})

t.test('a plan’s limits hold, told beforehand or not', async (t) => {
  const plan = await plans.findForOrganisation(db, stack.orgId)
  await plans.put(db, { ...plan, name: 'tight', upload_bytes: 10 * MiB, storage_bytes: 11 * MiB })
  const { keys, org } = await testOrg(db, ['stream:read', 'stream:write'], { plan: 'tight' })
  for (const path of ['/far', '/huge.mp4']) {
    const asset = await ended(await fetchFile(path, {}, keys.main), 'failed', keys.main)
    t.match(asset, { failure_code: 'too_large', failure_summary: /[Pp]lan allows/ }, path)
  }
  await plans.put(db, { ...plan, name: 'tight', upload_bytes: 100 * MiB, storage_bytes: 11 * MiB })
  t.match(await ended(await fetchFile('/far', {}, keys.main), 'failed', keys.main), { failure_code: 'storage_full' })
  t.equal(await db.oneFirst(sql.unsafe`select bytes from account.storage where org_id = ${org.id}`), 0)
  await until(async () => (await store.list('video/sources/')).length === 6, { what: 'nothing of them is stored' })
})

t.test('one that is deleted while it is fetched is fetched no further', async (t) => {
  const assetId = await fetchFile('/huge.mp4')
  await until(async () => (await readBy(assetId, stack.key)).import.bytesReceived > 0)
  t.equal((await ask(`DELETE /v1/stream/assets/${assetId}`)).status, 200)
  await until(async () => {
    const runs = await db.anyFirst(sql.unsafe`select state from jobs.runs where subject = ${assetId}`)
    return runs.every((state: unknown) => state !== 'running' && state !== 'waiting')
  })
  t.equal((await ask(`GET /v1/stream/assets/${assetId}`)).status, 404)
})
