import t from 'tap'
import { Storage } from '#lib/storage/storage.ts'
import * as objects from '#sql/files/objects.ts'
import { testDatabase } from '../support/database.ts'
import { testClient } from '../support/files-client.ts'
import { put, tryPut } from '../support/files-stack.ts'
import { heedlessStore } from '../support/heedless-store.ts'
import { testOrg } from '../support/ingress.ts'
import { storeKeys, testStore, videoStack } from '../support/video-stack.ts'

t.setTimeout(240_000)
const database = await testDatabase(t)
const { keys } = await testOrg(database.db, ['files:read', 'files:write'])

/** A files area on a store that ignores the conditions of copies. */
async function onHeedless(tags?: 'other') {
  const real = await testStore(t)
  const heedless = await heedlessStore(t, real.url, tags)
  const { url } = heedless
  const storage = new Storage({ endpoint: url, publicEndpoint: url, ...storeKeys })
  const base = await videoStack(t, { areas: ['files'], database, store: { ...real, url, storage } })
  const { ask, start } = testClient(base, keys.main)
  const complete = (id: string) => ask(`POST /v1/files/uploads/${id}/complete`, { body: {} })
  return { start, real, heedless, complete }
}

t.test('on a store that ignores conditions nobody exchanges the bytes while an upload is completed', async (t) => {
  const { start, complete, heedless, real } = await onHeedless()
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
  t.match(refused.body, { error: { message: /replaced while the upload was being completed/ } })
  t.same(await real.list(`files/objects/${upload.object_id}/`), [], 'the copy is gone')
  t.match(await objects.findAny(database.db, upload.object_id), { place: 'incoming', held_key: null })

  heedless.beforeCopy = async () => {}
  const taken = await complete(upload.object_id)
  t.equal(taken.status, 200, taken.text)
  const { held_key } = (await objects.findAny(database.db, upload.object_id)) ?? {}
  t.equal(`${Buffer.from(await real.storage.readWhole(held_key ?? ''))}`, 'exchanged')
})

t.test('on one that does not tell what it copied nothing is taken in', async (t) => {
  const { start, complete, real } = await onHeedless('other')
  const upload = await start('looked at')
  await put(upload, 'looked at')
  t.equal((await complete(upload.object_id)).status, 500)
  t.same(await real.list(`files/objects/${upload.object_id}/`), [])
  t.match(await objects.findAny(database.db, upload.object_id), { place: 'incoming', held_key: null })
})
