import { S3Client } from '@aws-sdk/client-s3'
import t from 'tap'
import { isStorageUnavailable } from '#lib/storage/away.ts'
import { ConditionProbe } from '#lib/storage/conditions.ts'
import { Storage } from '#lib/storage/storage.ts'
import { heedlessStore } from '../support/heedless-store.ts'
import { commandLine } from '../support/millrace.ts'
import { storeKeys, testStore } from '../support/video-stack.ts'
import { plain } from './conformance/peer.ts'

t.setTimeout(240_000)
const ours = await testStore(t)
const { run } = commandLine('postgres://127.0.0.1:1/none')
const open = (url: string) => new Storage({ endpoint: url, publicEndpoint: url, ...storeKeys })

/** Returns doctor’s report about a store’s copies. */
async function doctor(url: string) {
  const keys = { S3_ACCESS_KEY: storeKeys.accessKey, S3_SECRET_KEY: storeKeys.secretKey }
  const { out } = await run('doctor --json', { S3_ENDPOINT: url, S3_BUCKET: storeKeys.bucket, ...keys })
  return JSON.parse(out).find(({ check }: { check: string }) => check === 'copies')
}

async function putTagged(storage: Storage, key: string, text: string): Promise<string> {
  await storage.put(key, Buffer.from(text), plain)
  return (await storage.head(key))?.etag ?? ''
}

t.test('a store that keeps conditions is believed, and nothing is left of the question', async (t) => {
  const storage = open(ours.url)
  t.equal(await storage.conditions(), 'kept')
  t.same(await ours.list('incoming/'), [])
  t.match(await doctor(ours.url), { ok: true, found: 'the store rejects a copy if its condition fails' })
})

for (const tags of ['own', 'none'] as const) {
  t.test(`where conditions are ignored nothing else than what was asked for is copied (tags: ${tags})`, async (t) => {
    const heedless = await heedlessStore(t, ours.url, tags)
    const storage = open(heedless.url)
    t.equal(await storage.conditions(), 'compared')
    t.same(await ours.list('incoming/'), [])

    const etag = await putTagged(storage, 'from', 'first')
    t.equal(await storage.copy('from', 'to', { etag, as: plain }), true)
    t.equal(`${Buffer.from(await storage.readWhole('to'))}`, 'first')

    heedless.beforeCopy = () => ours.storage.put('from', Buffer.from('other'), plain)
    const made = heedless.copies
    t.equal(await storage.copy('from', 'raced', { etag, as: plain }), false)
    t.equal(heedless.copies, made + 1, 'the store did copy')
    t.equal(await storage.head('raced'), null, 'and nothing is left of it')

    const other = (await storage.head('from'))?.etag ?? ''
    heedless.beforeCopy = () => ours.storage.put('from', Buffer.from('third'), plain)
    t.equal(await storage.copy('from', 'from', { etag: other, as: plain }), false)
    t.equal(
      `${Buffer.from(await storage.readWhole('from'))}`,
      'third',
      'nothing is lost where a copy is its own source',
    )

    heedless.beforeCopy = async () => {}
    t.equal(await storage.copy('from', 'to', { etag, as: plain }), false)
    t.equal(`${Buffer.from(await storage.readWhole('to'))}`, 'first', 'a copy that is not made replaces nothing')
    t.equal(await storage.copy('never put', 'to', { etag, as: plain }), false)
    t.equal(await storage.copy('from', 'open', { as: plain }), true, 'a copy without a condition is one')
  })
}

t.test('doctor tells of a store that ignores conditions', async (t) => {
  const { url } = await heedlessStore(t, ours.url)
  t.match(await doctor(url), { ok: true, found: /ignores conditions of copies, so Millrace compares each copy/ })
  const { url: blind } = await heedlessStore(t, ours.url, 'other')
  t.match(await doctor(blind), { ok: false, found: /changes ETags/, todo: /STORAGE\.md/ })
})

t.test(
  'a store that ignores conditions and does not tell what it copied copies nothing under a condition',
  async (t) => {
    const { url } = await heedlessStore(t, ours.url, 'other')
    const storage = open(url)
    t.equal(await storage.conditions(), 'unknowable')
    const etag = await putTagged(storage, 'from', 'first')
    await t.rejects(storage.copy('from', 'refused', { etag, as: plain }), /millrace doctor/)
    t.equal(await storage.head('refused'), null)
  },
)

t.test('a store that is exchanged behind its address is asked again', async (t) => {
  const store = await heedlessStore(t, ours.url)
  store.heeds = true
  const { accessKey: accessKeyId, secretKey: secretAccessKey, region, bucket } = storeKeys
  const credentials = { accessKeyId, secretAccessKey }
  const client = new S3Client({ endpoint: store.url, region, forcePathStyle: true, credentials })
  t.teardown(() => client.destroy())
  const [lasting, brief] = [new ConditionProbe(client, bucket), new ConditionProbe(client, bucket, 0)]
  t.same([await lasting.ask(), await brief.ask()], ['kept', 'kept'])
  store.heeds = false
  t.same([await lasting.ask(), await brief.ask()], ['kept', 'compared'])
})

t.test('a store that is away is told as such, and asked again', async (t) => {
  const storage = open(ours.url)
  await ours.stop()
  const fault = await storage.conditions().catch((error) => error)
  t.ok(isStorageUnavailable(fault))
  await ours.start()
  t.equal(await storage.conditions(), 'kept')
})
