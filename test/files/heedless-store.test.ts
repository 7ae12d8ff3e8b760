import t from 'tap'
import { Storage } from '#lib/storage/storage.ts'
import * as objects from '#sql/files/objects.ts'
import { filesStack, put, tryPut } from '../support/files-stack.ts'
import { heedlessStore } from '../support/heedless-store.ts'
import { storeKeys, testStore } from '../support/video-stack.ts'

t.setTimeout(60_000)

/** A files area on a store that ignores the conditions of copies. */
async function onHeedless(tags?: 'other') {
  const real = await testStore(t)
  const heedless = await heedlessStore(t, real.url, tags)
  const { url } = heedless
  const storage = new Storage({ endpoint: url, publicEndpoint: url, ...storeKeys })
  const stack = await filesStack(t, { store: { ...real, url, storage } })
  const complete = (id: string) => stack.ask(`POST /v1/files/uploads/${id}/complete`, { body: {} })
  return { ...stack, real, heedless, complete }
}

t.test('on a store that ignores conditions nobody exchanges the bytes while an upload is completed', async (t) => {
  const { start, complete, base, heedless, real } = await onHeedless()
  const upload = await start('looked at')
  await put(upload, 'looked at')
  const exchange = async (to: string) => {
    if (!to.startsWith('files/objects/')) return
    const { status } = await tryPut(upload.upload_url, 'exchanged', upload.upload_headers)
    t.equal(status, 200)
  }
  heedless.beforeCopy = exchange
  const refused = await complete(upload.object_id)
  t.equal(refused.status, 409, refused.text)
  t.match(refused.body, { error: { message: /replaced while the upload was completed/ } })
  t.same(await real.list(`files/objects/${upload.object_id}/`), [], 'the copy is gone')
  t.match(await objects.findAny(base.db, upload.object_id), { place: 'incoming', held_key: null })

  heedless.beforeCopy = async () => {}
  const taken = await complete(upload.object_id)
  t.equal(taken.status, 200, taken.text)
  const { held_key } = (await objects.findAny(base.db, upload.object_id)) ?? {}
  t.equal(`${Buffer.from(await real.storage.readWhole(held_key ?? ''))}`, 'exchanged')
})

t.test('on one that does not tell what it copied nothing is taken in', async (t) => {
  const { start, complete, base, real } = await onHeedless('other')
  const upload = await start('looked at')
  await put(upload, 'looked at')
  t.equal((await complete(upload.object_id)).status, 500)
  t.same(await real.list(`files/objects/${upload.object_id}/`), [])
  t.match(await objects.findAny(base.db, upload.object_id), { place: 'incoming', held_key: null })
})
