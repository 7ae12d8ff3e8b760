import t from 'tap'
import { imagesWork } from '../../app/product/images-work.ts'
import { filesStack } from '../../support/files-stack.ts'
import { fieldsOf, testOrg } from '../../support/ingress.ts'
import { until } from '../../support/until.ts'
import { look, photo } from './pictures.ts'

t.setTimeout(240_000)
const stack = await filesStack(t)
const { ask, send, settled } = stack
const { db, ingress } = stack.base
await stack.base.startWorkers({ CLAMD_SOCKET: stack.clamd.socket }, 'core,scan,images')

const sent = await send(await photo(800, 600), { filename: 'photo.jpg', content_type: 'image/jpeg' })
const id = sent.body.object_id as string
await settled(id)
await ask(`PATCH /v1/files/objects/${id}`, { body: { visibility: 'public' } })
const get = (query: string) => fetch(`${ingress.url}/f/${id}/photo.jpg?${query}`)
const size = async (reply: Response) => {
  const { width, height } = await look(Buffer.from(await reply.arrayBuffer()))
  return [width, height]
}

t.test('a preset is created, replaced, read, listed, filtered and deleted', async (t) => {
  const made = await ask('PUT /v1/files/image-presets/card', { body: { width: 200, height: 200, fit: 'cover' } })
  t.equal(made.status, 200, made.text)
  t.match(made.body, { name: 'card', width: 200, height: 200, fit: 'cover', format: 'auto', quality: null })
  t.strictSame(await size(await get('preset=card')), [200, 200])
  t.strictSame(await size(await get('preset=card&dpr=2')), [400, 400])
  t.equal((await ask('PUT /v1/files/image-presets/large', { body: { width: 2_000, height: 3_000 } })).status, 200)
  t.equal((await get('preset=large&dpr=4')).status, 200, 'no side of the result is longer than the maximum')
  t.equal((await ask('DELETE /v1/files/image-presets/large')).status, 200)
  t.equal((await ask('PUT /v1/files/image-presets/card', { body: { width: 100, format: 'webp' } })).status, 200)
  t.match((await ask('GET /v1/files/image-presets/card')).body, { width: 100, height: null, fit: 'inside' })
  await until(async () => (await size(await get('preset=card')))[0] === 100, { what: 'the new size is used' })
  await ask('PUT /v1/files/image-presets/wide', { body: { width: 700 } })
  t.same(
    (await ask('GET /v1/files/image-presets')).body.data.map(({ name }: { name: string }) => name),
    ['wide', 'card'],
  )
  t.equal((await ask('GET /v1/files/image-presets?format=webp')).body.data.length, 1)
  t.match((await ask('DELETE /v1/files/image-presets/wide')).body, { name: 'wide', deleted: true })
  t.equal((await ask('DELETE /v1/files/image-presets/wide')).status, 404)
  t.equal((await ask('GET /v1/files/image-presets/wide')).status, 404)
  await until(async () => (await get('preset=wide')).status === 400, { what: 'the preset is gone' })
})

t.test('every wrong field of a preset is named', async (t) => {
  const body = {
    width: 0,
    height: 9_999,
    fit: 'x',
    position: 'up',
    background: '#fff',
    format: 'bmp',
    quality: 0,
    w: 1,
  }
  const reply = await ask('PUT /v1/files/image-presets/No%20Name', { body })
  t.equal(reply.status, 400)
  t.strictSame(fieldsOf(reply), [
    ...['body.background', 'body.fit', 'body.format', 'body.height', 'body.position', 'body.quality', 'body.w'],
    ...['body.width', 'path.name'],
  ])
})

t.test('presets belong to one organisation, and need the scope', async (t) => {
  const { keys } = await testOrg(db, ['files:read', 'files:write'])
  const { keys: readers } = await testOrg(db, ['files:read'])
  t.equal((await ask('GET /v1/files/image-presets/card', { key: keys.main })).status, 404)
  t.same((await ask('GET /v1/files/image-presets', { key: keys.main })).body.data, [])
  t.equal((await ask('PUT /v1/files/image-presets/a', { key: readers.main, body: {} })).status, 403)
  t.equal(
    (await ask('PATCH /v1/files/image-settings', { key: readers.main, body: { only_presets: true } })).status,
    403,
  )
})

t.test('with only presets, other sizes need a signature', async (t) => {
  t.same((await ask('GET /v1/files/image-settings')).body, { only_presets: false })
  t.equal((await get('w=123')).status, 200)
  const signed = await ask(`POST /v1/files/objects/${id}/image-url`, {
    body: { width: 150, height: 150, fit: 'cover' },
  })
  t.equal(signed.status, 200, signed.text)
  t.same((await ask('PATCH /v1/files/image-settings', { body: { only_presets: true } })).body, { only_presets: true })
  await until(async () => (await get('w=124')).status === 403, { what: 'the setting is used' })
  const refused = (await (await get('w=124')).json()) as { error: { code: string } }
  t.equal(refused.error.code, 'presets_only')
  t.equal((await get('w=123')).status, 403, 'also a stored variant')
  t.equal((await get('preset=card')).status, 200)
  t.equal((await get('unoptimised=true')).status, 200)
  const url = new URL(signed.body.url)
  const shown = await fetch(`${ingress.url}${url.pathname}${url.search}`)
  t.strictSame(await size(shown), [150, 150])
  const image = url.searchParams.get('image') ?? ''
  t.equal((await get(`image=${image.slice(0, -2)}xx`)).status, 400)
  const other = (await send(await photo(80, 60), { filename: 'photo.jpg', content_type: 'image/jpeg' })).body.object_id
  await settled(other)
  await ask(`PATCH /v1/files/objects/${other}`, { body: { visibility: 'public' } })
  t.equal((await fetch(`${ingress.url}/f/${other}/photo.jpg?image=${image}`)).status, 400, 'of another image')
  await ask('PATCH /v1/files/image-settings', { body: { only_presets: false } })
  t.equal((await ask(`POST /v1/files/objects/${id}/image-url`, { body: { width: 3_000, dpr: 2 } })).status, 400)
})

t.test('an organisation has up to 100 presets', async (t) => {
  const { keys } = await testOrg(db, ['files:read', 'files:write'])
  const key = keys.main
  const replies = await Promise.all(
    Array.from({ length: 101 }, (_, i) => ask(`PUT /v1/files/image-presets/p${i}`, { key, body: { width: 10 } })),
  )
  const refused = replies.filter(({ status }) => status !== 200)
  t.equal(refused.length, 1)
  t.match(refused[0]?.body, { error: { code: 'too_many_presets' } })
})

t.test('a product that is built with the SDK shows its photos', async (t) => {
  const { keys } = await testOrg(db, ['files:read', 'files:write'])
  await imagesWork(t, { base_url: ingress.url, keys: { millrace: keys.main } })
})
