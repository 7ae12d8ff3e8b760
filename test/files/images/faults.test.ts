import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'
import t from 'tap'
import { z } from 'zod'
import { TransientEngineError } from '#lib/engine-trouble.ts'
import { sql } from '#sql/db.ts'
import * as rows from '#sql/files/images/variants.ts'
import { makeVariant } from '#tasks/files/make-variant.ts'
import { rescan } from '#tasks/files/rescan.ts'
import { sweepVariants } from '#tasks/files/sweep-variants.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { filesStack } from '../../support/files-stack.ts'
import { until } from '../../support/until.ts'
import { look, photo } from './pictures.ts'

t.setTimeout(300_000)
const stack = await filesStack(t)
const { ask, send, settled } = stack
const { db, ingress, store } = stack.base
const another = await stack.base.another()
await stack.startWorkers()
const startImages = () => stack.base.startWorkers({}, 'images')
let painters = await startImages()

async function uploaded(bytes: Buffer, filename = 'photo.jpg', content_type = 'image/jpeg') {
  const id = (await send(bytes, { filename, content_type })).body.object_id as string
  const { scan_status } = await settled(id)
  await ask(`PATCH /v1/files/objects/${id}`, { body: { visibility: 'public' } })
  const get = (query: string, url = ingress.url) => fetch(`${url}/f/${id}/${filename}?${query}`)
  const codeOf = async (query: string) => {
    const reply = await get(query)
    const { error } = (await reply.json()) as { error: { code: string; details?: { fault?: string } } }
    return [reply.status, error.code, error.details?.fault]
  }
  return { id, get, codeOf, scan_status, keys: () => store.list(`files/variants/${id}/`) }
}

/** A PNG of any size whose pixels are missing. */
function hollowPng(width: number, height: number): Buffer {
  const chunk = (name: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0])
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  const parts = [chunk('IHDR', head), chunk('IDAT', deflateSync(Buffer.alloc(1_000))), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...parts])
}

t.test(
  'bombs and damaged images are rejected with the reason, and other images are served at the same time',
  async (t) => {
    const whole = await photo(2_000, 1_500)
    const good = await uploaded(whole)
    const cases = [
      ['too_many_pixels', hollowPng(60_000, 60_000), 'bomb.png', 'image/png'],
      ['damaged', hollowPng(300, 300), 'hollow.png', 'image/png'],
      ['damaged', whole.subarray(0, 3_000), 'torn.jpg', 'image/jpeg'],
    ] as const
    for (const [fault, bytes, filename, type] of cases) {
      const bad = await uploaded(bytes, filename, type)
      t.equal(bad.scan_status, 'clean', filename)
      t.strictSame(await bad.codeOf('w=100'), [409, 'not_transformable', fault], filename)
      t.strictSame(await bad.codeOf('w=101'), [409, 'not_transformable', fault], `${filename} again`)
      t.equal((await bad.get('unoptimised=true')).status, 200, 'the original is served')
      t.equal((await ask(`GET /v1/files/objects/${bad.id}/image`)).status, 409)
      t.equal((await good.get(`w=${100 + (bytes.length % 97)}`)).status, 200)
    }
    t.equal((await good.get('w=4096&h=2&fit=outside&enlarge=true')).status, 200)
    const narrow = await uploaded(await photo(4, 2_000))
    t.equal((await narrow.get('w=4000&h=1&fit=outside&enlarge=true')).status, 400, 'the result would be too large')
  },
)

t.test('a size that takes too long ends no other size, and is tried again later', async (t) => {
  const one = await uploaded(await photo(1_000, 1_000))
  t.equal((await one.get('w=90')).status, 200)
  const org_id = await db.oneFirst(sql.type(z.object({ org_id: z.string() }))`
    select org_id from files.objects where id = ${one.id}`)
  const late = new TransientEngineError('timeout', 'The image engine did not answer in time.')
  const images = { transform: () => Promise.reject(late) }
  const tools = {
    db,
    images,
    sources: { read: async () => Buffer.alloc(0) },
    signal: new AbortController().signal,
  } as never
  for (const width of [91, 92, 93]) {
    const recipe = `format=png&width=${width}`
    const variant = await rows.insert(db, { org_id, object_id: one.id, recipe })
    const payload = { variantId: variant?.id ?? '', objectId: one.id }
    await t.rejects(Promise.resolve(makeVariant.run(payload, tools)), late)
    await makeVariant.giveUp?.(payload, late, { db, runId: undefined })
    t.equal((await one.get(`w=${width}&format=png`)).status, 400)
  }
  t.equal((await one.get('w=94')).status, 200)
  await db.query(sql.typeAlias('void')`
    update files.image_variants set created_at = now() - interval '2 hours' where object_id = ${one.id}`)
  t.equal((await one.get('w=91&format=png')).status, 200)
})

t.test('two servers make a variant once', async (t) => {
  const one = await uploaded(await photo(1_200, 900))
  const replies = await Promise.all(
    Array.from({ length: 10 }, (_, i) => one.get('w=600', i % 2 ? ingress.url : another.url)),
  )
  t.ok(replies.every(({ status }) => status === 200))
  t.equal(new Set(replies.map(({ headers }) => headers.get('etag'))).size, 1)
  t.equal((await one.keys()).length, 1)
})

t.test('a killed worker loses nothing: another worker creates the response', async (t) => {
  const one = await uploaded(await photo(4_000, 3_000))
  const asked = one.get('w=3800&format=avif&q=90')
  await until(
    () =>
      db.exists(sql.type(z.object({ id: z.string() }))`
      select id from jobs_images._private_jobs where locked_by is not null`),
    { what: 'the job runs', every: 10 },
  )
  await painters.kill()
  painters = await startImages()
  const reply = await asked.then((first) => (first.status === 503 ? one.get('w=3800&format=avif&q=90') : first))
  t.equal(reply.status, 200)
  t.match(await look(Buffer.from(await reply.arrayBuffer())), { type: 'avif', width: 3_800 })
  t.equal((await one.keys()).length, 1)
})

t.test('without a worker, a request ends with 503 and stored variants are served', async (t) => {
  const one = await uploaded(await photo(300, 200))
  t.equal((await one.get('w=30')).status, 200)
  await painters.stop()
  const [waits, stored] = await Promise.all([one.get('w=40'), one.get('w=30')])
  t.equal(stored.status, 200)
  t.equal(waits.status, 503)
  t.match(waits.headers.get('retry-after'), /^\d+$/)
  painters = await startImages()
  t.equal((await until(async () => (await one.get('w=40')).status === 200)) && 200, 200)
})

t.test('a new version has its own variants', async (t) => {
  const one = await uploaded(await photo(400, 300))
  const first = await one.get('w=50&format=png')
  const bytes = await photo(300, 300)
  const started = await ask(`POST /v1/files/objects/${one.id}/versions`, {
    body: { content_type: 'image/jpeg', byte_size: bytes.length },
  })
  const { object_id, upload_url, upload_headers } = started.body
  await fetch(upload_url, { method: 'PUT', body: bytes as never, headers: upload_headers })
  await ask(`POST /v1/files/uploads/${object_id}/complete`, { body: {} })
  await settled(object_id)
  const second = await one.get('w=50&format=png')
  t.not(second.headers.get('etag'), first.headers.get('etag'))
  t.match(await look(Buffer.from(await second.arrayBuffer())), { width: 50, height: 50 })
})

t.test('when storage is used up, no new variant is stored', async (t) => {
  const one = await uploaded(await photo(200, 200))
  t.equal((await one.get('w=20')).status, 200)
  const add = (bytes: number) => db.query(sql.typeAlias('void')`update account.storage set bytes = bytes + ${bytes}`)
  await add(9e15)
  t.strictSame((await one.codeOf('w=21')).slice(0, 2), [409, 'storage_full'])
  t.equal((await one.get('w=20')).status, 200)
  await add(-9e15)
  t.equal((await one.get('w=21')).status, 200)
})

t.test('variants that are made at the same time do not exceed the storage together', async (t) => {
  const one = await uploaded(await photo(400, 400))
  const size = (await (await one.get('w=200&format=png')).arrayBuffer()).byteLength
  const Stored = sql.type(z.object({ bytes: z.number(), max: z.number() }))
  const read = () =>
    db.one(Stored`
      select s.bytes, p.storage_bytes as max from account.storage as s
        join account.orgs as o on o.id = s.org_id join account.plans as p on p.name = o.plan
        join files.objects as f on f.org_id = o.id where f.id = ${one.id}`)
  const { bytes, max } = await read()
  const add = (n: number) => db.query(sql.typeAlias('void')`update account.storage set bytes = bytes + ${n}`)
  const filler = max - bytes - Math.round(size * 1.5)
  await add(filler)
  const widths = [199, 198, 197]
  const replies = await Promise.all(widths.map((w) => one.get(`w=${w}&format=png`)))
  t.strictSame(replies.map(({ status }) => status).toSorted(), [200, 409, 409])
  const after = await read()
  t.ok(after.bytes <= after.max, `${after.bytes} of ${after.max} bytes`)
  t.equal((await one.keys()).length, 2)
  await add(-filler)
  for (const w of widths) t.equal((await one.get(`w=${w}&format=png`)).status, 200, 'it is made when there is storage')
})

t.test('the least recently used variant makes room, and unused ones are deleted', async (t) => {
  const one = await uploaded(await photo(200, 200))
  await one.get('w=10')
  await db.query(sql.typeAlias('void')`
    update files.image_variants set used_at = now() - interval '20 days' where object_id = ${one.id}`)
  await db.query(sql.typeAlias('void')`
    insert into files.image_variants (id, org_id, object_id, recipe, state)
    select gen_random_uuid(), org_id, ${one.id}, 'width=' || (1000 + n), 'original'
    from files.image_variants, generate_series(1, ${rows.maxVariants - 1}) as n where object_id = ${one.id}`)
  t.equal((await one.keys()).length, 1)
  t.equal((await one.get('w=12')).status, 200)
  await until(async () => (await one.keys()).length === 1, { what: 'the bytes of the oldest are deleted' })
  const { data } = (await ask(`GET /v1/files/objects/${one.id}/variants`)).body
  t.equal(data.length, rows.maxVariants)
  t.equal(data.filter((v: { recipe: string }) => /width=10(&|$)/.test(v.recipe)).length, 0)
  await db.query(sql.typeAlias('void')`
    update files.image_variants set used_at = now() - interval '31 days' where object_id = ${one.id}`)
  await enqueue(db, sweepVariants, {})
  await until(async () => (await one.keys()).length === 0, { what: 'unused variants are deleted' })
  t.equal((await one.get('w=12')).status, 200, 'and made again')
  await db.query(sql.typeAlias('void')`
    update files.image_variants set byte_size = ${rows.maxVariantBytes + 1} where object_id = ${one.id}`)
  t.equal((await one.get('w=13')).status, 200)
  await until(async () => (await one.keys()).length === 1, { what: 'variants with too many bytes are deleted' })
})

t.test('a variant with lost bytes is created again', async (t) => {
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
  const one = await uploaded(
    await sharp({ create: { width: 800, height: 800, channels: 3, background: '#888', noise } })
      .jpeg()
      .toBuffer(),
  )
  const bytes = (await (await one.get('w=700&format=png')).arrayBuffer()).byteLength
  t.ok(bytes > 256 * 1024, 'too large for the memory of the ingress')
  for (const key of await one.keys()) await store.storage.remove(key)
  t.equal((await one.get('w=700&format=png')).status, 503)
  t.equal((await (await one.get('w=700&format=png')).arrayBuffer()).byteLength, bytes)
})

t.test('random parameters have a defined answer', async (t) => {
  const one = await uploaded(await photo(64, 64))
  const names = 'w h fit position background format q enlarge animated dpr preset image unoptimised'.split(' ')
  const values = [
    '',
    '0',
    '-1',
    '1e9',
    '50',
    'NaN',
    'true',
    'cover',
    'avif',
    '%00',
    '\u{1f600}',
    '../..',
    'a'.repeat(500),
  ]
  let seed = 7
  const pick = <T>(of: readonly T[]): T => {
    seed = (seed * 48_271) % 2_147_483_647
    return of[seed % of.length] as T
  }
  for (let i = 0; i < 150; i++) {
    const query = Array.from({ length: 1 + (i % 3) }, () => `${pick(names)}=${encodeURIComponent(pick(values))}`)
    const { status } = await one.get(query.join('&'))
    t.ok([200, 400].includes(status), `${query}: ${status}`)
  }
})

t.test('an infected image takes its variants with it', async (t) => {
  const bytes = await photo(500, 300)
  const one = await uploaded(
    Buffer.concat([bytes.subarray(0, -2), Buffer.from('a marker of this test'), bytes.subarray(-2)]),
  )
  t.equal(one.scan_status, 'clean')
  t.equal((await one.get('w=100')).status, 200)
  const hex = Buffer.from('a marker of this test').toString('hex')
  await writeFile(join(stack.clamd.signatures, 'new.ndb'), `Test.Image:0:*:${hex}\n`)
  await stack.clamd.reload()
  await until(
    async () => {
      await enqueue(db, rescan, {}, { key: 'rescan' })
      return (await one.get('w=100')).status === 404
    },
    { what: 'the variant is not served', every: 100 },
  )
  await until(async () => (await one.keys()).length === 0, { what: 'its bytes are deleted' })
})
