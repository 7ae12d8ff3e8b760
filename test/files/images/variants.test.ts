import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { filesStack } from '../../support/files-stack.ts'
import { fieldsOf } from '../../support/ingress.ts'
import { until } from '../../support/until.ts'
import { animation, look, photo, transparent } from './pictures.ts'

t.setTimeout(240_000)
const stack = await filesStack(t)
const { ask, send, settled } = stack
const { db, ingress, store } = stack.base
await stack.base.startWorkers({ CLAMD_SOCKET: stack.clamd.socket }, 'core,scan,images')

const browser = 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8'

/** Uploads a public image. Returns its ID, and the function that requests it. */
async function uploaded(bytes: Buffer | string, filename: string, content_type: string) {
  const id = (await send(bytes, { filename, content_type })).body.object_id as string
  const { scan_status } = await settled(id)
  if (scan_status !== 'clean') throw new Error(`${filename} is ${scan_status}.`)
  await ask(`PATCH /v1/files/objects/${id}`, { body: { visibility: 'public' } })
  const get = (query: string, headers: Record<string, string> = {}) =>
    fetch(`${ingress.url}/f/${id}/${filename}?${query}`, { headers })
  const shown = async (query: string, accept = '*/*') => {
    const got = await get(query, { accept })
    const bytes = Buffer.from(await got.arrayBuffer())
    if (got.status !== 200) throw new Error(`${query}: ${got.status} ${bytes}`)
    return { got, bytes, ...(await look(bytes)) }
  }
  return { id, get, shown }
}

const isRed = ([r = 0, g = 0, b = 0]: number[]) => r > 230 && g < 30 && b < 30
const isBlue = ([r = 0, g = 0, b = 0]: number[]) => r < 30 && g < 30 && b > 230

const large = await uploaded(await photo(1_600, 1_200), 'large.jpg', 'image/jpeg')

t.test('an image comes in the size and the best format that a client accepts', async (t) => {
  const { shown } = large
  const asked = await shown('w=400', browser)
  t.match(asked, { type: 'avif', width: 400, height: 300 })
  t.equal(asked.got.headers.get('content-type'), 'image/avif')
  t.match(asked.got.headers.get('vary'), /accept/i)
  t.ok(isRed(asked.left) && isBlue(asked.right))
  t.match(await shown('w=400', 'image/webp,*/*'), { type: 'webp', width: 400 })
  t.match(await shown('w=400'), { type: 'jpeg', width: 400, height: 300, exif: undefined })
  t.match(await shown('w=400', 'image/avif;q=0'), { type: 'jpeg' })
  for (const type of ['avif', 'webp', 'jpeg', 'png']) {
    const named = await shown(`w=200&format=${type}`, browser)
    t.match(named, { type, width: 200, height: 150, exif: undefined })
  }
})

t.test('width, height and fit are as in CSS, and nothing is enlarged by default', async (t) => {
  const { shown } = large
  const size = async (query: string) => {
    const { width, height } = await shown(query)
    return [width, height]
  }
  t.strictSame(await size('w=200&h=200'), [200, 150])
  t.strictSame(await size('w=200&h=200&fit=cover'), [200, 200])
  t.strictSame(await size('w=200&h=200&fit=contain'), [200, 200])
  t.strictSame(await size('w=200&h=200&fit=outside'), [267, 200])
  t.strictSame(await size('w=200&h=200&fit=fill'), [200, 200])
  t.strictSame(await size('h=300'), [400, 300])
  t.strictSame(await size('w=200&dpr=2'), [400, 300])
  t.strictSame(await size('w=3000'), [1_600, 1_200])
  t.strictSame(await size('w=2000&enlarge=true'), [2_000, 1_500])
  t.ok(isRed((await shown('w=100&h=200&fit=cover&position=left')).right), 'the left part is kept')
  t.ok(isBlue((await shown('w=100&h=200&fit=cover&position=right')).left), 'the right part is kept')
  const bars = await shown('w=300&h=100&fit=contain&background=00ff00&format=png')
  t.strictSame((await look(bars.bytes)).width, 300)
  const [small, good] = [await shown('w=800&q=10'), await shown('w=800&q=95')]
  t.ok(small.bytes.length < good.bytes.length)
})

t.test('every bad parameter is named', async (t) => {
  const bad = 'w=0&h=5000&fit=round&position=up&background=red&format=bmp&q=101&enlarge=1&animated=no&dpr=9'
  const reply = await large.get(bad)
  t.equal(reply.status, 400)
  const body = await reply.json()
  t.strictSame(fieldsOf({ body } as never), [
    ...['query.animated', 'query.background', 'query.dpr', 'query.enlarge', 'query.fit', 'query.format'],
    ...['query.h', 'query.position', 'query.q', 'query.w'],
  ])
  t.match(reply.headers.get('cache-control'), /no-store/)
  for (const query of ['w=1&w=2', 'w=3000&dpr=2', 'preset=card&w=3', 'w=1e3', 'w=-1', 'w=', 'preset=x', 'image=abc'])
    t.equal((await large.get(query)).status, 400, query)
  t.equal((await large.get('other=1')).headers.get('content-type'), 'image/jpeg')
})

t.test('the tag changes with the parameters, and conditions and ranges work', async (t) => {
  const first = await large.shown('w=300')
  const tag = first.got.headers.get('etag') ?? ''
  t.not((await large.shown('w=301')).got.headers.get('etag'), tag)
  t.equal((await large.get('w=300', { 'if-none-match': tag })).status, 304)
  const part = await large.get('w=300', { range: 'bytes=0-9' })
  t.equal(part.status, 206)
  t.ok(first.bytes.subarray(0, 10).equals(Buffer.from(await part.arrayBuffer())))
})

t.test('EXIF orientation is applied, and metadata is removed', async (t) => {
  const turned = await uploaded(await photo(400, 200, { orientation: 6 }), 'turned.jpg', 'image/jpeg')
  const shown = await turned.shown('w=100&format=png')
  t.match(shown, { width: 100, height: 200, exif: undefined })
  t.match((await ask(`GET /v1/files/objects/${turned.id}/image`)).body, { width: 200, height: 400, frames: 1 })
})

t.test('transparent images stay transparent, except in JPEG', async (t) => {
  const clear = await uploaded(await transparent(64, 64), 'clear.png', 'image/png')
  t.match(await clear.shown('w=32'), { type: 'png', alpha: true })
  t.match(await clear.shown('w=32', browser), { type: 'avif', alpha: true })
  t.strictSame((await clear.shown('w=32&format=jpeg')).left, [255, 255, 255])
  t.strictSame((await clear.shown('w=32&format=png&background=0000ff')).left, [0, 0, 255])
})

t.test('animations stay animated, or are their first frame', async (t) => {
  for (const type of ['gif', 'webp'] as const) {
    const bytes = await animation(type)
    const moving = await uploaded(bytes, `moving.${type}`, `image/${type}`)
    t.match(await moving.shown('w=60', browser), { type: 'webp', width: 60, height: 40, frames: 3 })
    t.match(await moving.shown('w=60'), { type: 'gif', width: 60, frames: 3 })
    t.match(await moving.shown('w=60&animated=false', browser), { type: 'avif', width: 60, frames: 1 })
    t.match(await moving.shown('w=60&format=png', browser), { type: 'png', frames: 1 })
    t.ok((await moving.shown('w=60&unoptimised=true')).bytes.equals(bytes), 'the original bytes')
    t.match((await ask(`GET /v1/files/objects/${moving.id}/image`)).body, { width: 120, height: 80, frames: 3 })
  }
})

t.test('files that are not raster images are rejected with the reason', async (t) => {
  const svg = await uploaded('<svg xmlns="http://www.w3.org/2000/svg"><rect/></svg>', 'a.svg', 'image/svg+xml')
  const note = await uploaded('only text', 'note.txt', 'text/plain')
  for (const [{ get, id }, words] of [
    [svg, /browsers scale SVG/],
    [note, /Only images/],
  ] as const) {
    const reply = await get('w=100')
    t.equal(reply.status, 409)
    const { error } = (await reply.json()) as { error: object }
    t.match(error, { code: 'not_transformable', message: words })
    t.equal((await ask(`GET /v1/files/objects/${id}/image`)).status, 409)
  }
})

t.test('a variant is created once, is stored, counts as storage, and is deleted with its object', async (t) => {
  const one = await uploaded(await photo(640, 480), 'one.jpg', 'image/jpeg')
  const stored = () =>
    db.oneFirst(sql.type(z.object({ bytes: z.number() }))`
    select bytes from account.storage where org_id = (select org_id from files.objects where id = ${one.id})`)
  const before = await stored()
  const all = await Promise.all(Array.from({ length: 12 }, () => one.shown('w=320', browser)))
  t.equal(new Set(all.map(({ got }) => got.headers.get('etag'))).size, 1)
  const keys = await store.list(`files/variants/${one.id}/`)
  t.equal(keys.length, 1)
  t.equal((await stored()) - before, all[0]?.bytes.length)
  const { data } = (await ask(`GET /v1/files/objects/${one.id}/variants`)).body
  t.match(data, [{ content_type: 'image/avif', width: 320, height: 240, byte_size: all[0]?.bytes.length }])
  t.equal((await ask(`DELETE /v1/files/objects/${one.id}`)).status, 200)
  t.equal((await one.get('w=320')).status, 404)
  await until(async () => (await store.list(`files/variants/${one.id}/`)).length === 0, { what: 'the bytes are gone' })
  t.equal(
    (
      await db.any(sql.type(z.object({ id: z.string() }))`
    select id::text from files.image_variants where object_id = ${one.id}`)
    ).length,
    0,
  )
})
