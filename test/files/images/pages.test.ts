import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { get, signedIn, submit } from '../../app/fixture.ts'
import { filesStack } from '../../support/files-stack.ts'
import { until } from '../../support/until.ts'
import { look, photo } from './pictures.ts'

t.setTimeout(180_000)
const stack = await filesStack(t, { areas: ['app', 'account'] })
const { ask, send, settled } = stack
const { db, ingress } = stack.base
const { url } = ingress
await stack.base.startWorkers({ CLAMD_SOCKET: stack.clamd.socket }, 'core,scan,images')
const started = await stack.start('nothing')
const orgId = await db.oneFirst(sql.type(z.object({ org_id: z.string() }))`
  select org_id::text from files.objects where id = ${started.object_id}`)
const developer = await signedIn(db, url, orgId, 'developer')
const viewer = await signedIn(db, url, orgId, 'viewer')
const path = '/app/files/image-presets'
const form = {
  width: '200',
  height: '100',
  fit: 'cover',
  position: 'centre',
  background: '',
  format: 'auto',
  quality: '',
}

t.test('a preset is created, changed and deleted by forms, and only by members who may', async (t) => {
  t.match((await get(url, path, viewer)).text, 'No presets yet')
  t.notMatch((await get(url, path, viewer)).text, `${path}/new`)
  t.equal((await submit(url, `${path}/new`, viewer, { ...form, name: 'card' })).status, 403)
  const bad = { ...form, name: 'Big Card', width: '9999', quality: 'x' }
  const refused = await submit(url, `${path}/new`, developer, bad)
  t.equal(refused.status, 400)
  t.match(refused.text, /must be a number/)
  const made = await submit(url, `${path}/new`, developer, { ...form, name: 'card', options: ['animated'] })
  t.equal(made.status, 303, made.text)
  t.match((await get(url, path, developer)).text, '200 × 100')
  t.equal((await submit(url, `${path}/new`, developer, { ...form, name: 'card' })).status, 400)
  const changed = await submit(url, `${path}/card`, developer, {
    ...form,
    width: '240',
    options: ['animated', 'enlarge'],
  })
  t.equal(changed.status, 303, changed.text)
  t.match((await ask('GET /v1/files/image-presets/card')).body, { width: 240, enlarge: true, animated: true })
  await submit(url, `${path}/new`, developer, { ...form, name: 'other' })
  t.equal((await submit(url, `${path}/other/delete`, developer, {})).status, 303)
  t.equal((await ask('GET /v1/files/image-presets/other')).status, 404)
  t.equal((await get(url, `${path}/other`, developer)).status, 404)
})

t.test('the rule for parameters is set by a form', async (t) => {
  t.equal((await submit(url, `${path}/settings`, developer, { only_presets: 'yes' })).status, 303)
  t.same((await ask('GET /v1/files/image-settings')).body, { only_presets: true })
  t.match((await get(url, path, developer)).text, 'accept only these presets')
  t.equal((await submit(url, `${path}/settings`, developer, {})).status, 303)
  t.same((await ask('GET /v1/files/image-settings')).body, { only_presets: false })
})

t.test('the page of an image has its URLs, and previews also while it is private', async (t) => {
  const id = (await send(await photo(480, 320), { filename: 'p.jpg', content_type: 'image/jpeg' })).body.object_id
  await settled(id)
  await until(async () => (await ask(`GET /v1/files/objects/${id}`)).body.image !== null, { what: 'the size is known' })
  const page = await get(url, `/app/files/${id}`, developer)
  t.match(page.text, `/f/${id}/p.jpg?preset=card`)
  t.match(page.text, '480 × 320 pixels')
  const preview = await get(url, `/app/files/${id}/image/card`, developer)
  t.equal(preview.status, 303, preview.text)
  const bytes = Buffer.from(await (await fetch(preview.headers.get('location') ?? '')).arrayBuffer())
  t.match(await look(bytes), { width: 240, height: 100 })
  t.equal((await get(url, `/app/files/${id}/image/none`, developer)).status, 404)
  t.equal((await get(url, `/app/files/${id}/image/card`, viewer)).status, 403)
})
