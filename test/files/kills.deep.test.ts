import '../support/webhooks-environment.ts'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { expire } from '#tasks/files/expire.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { filesStack } from '../support/files-stack.ts'
import { until } from '../support/until.ts'
import { storeKeys } from '../support/video-stack.ts'

t.setTimeout(300_000)
const stack = await filesStack(t)
const { ask, base } = stack
const { db, store } = base
const start = () =>
  base.startWorkers({ CLAMD_SOCKET: stack.clamd.socket, OUTBOUND_ALLOWED: '127.0.0.1' }, 'core,scan,web')

t.test('workers that are killed in the sweep of expired objects: the next ones delete the rest', async (t) => {
  const objects = 400
  for (let i = 0; i < objects; i++) {
    const { status } = await ask('POST /v1/files/uploads', {
      body: {
        product_key: 'crm',
        tenant_id: 'acme',
        filename: `${i}.txt`,
        content_type: 'text/plain',
        byte_size: 1,
        expires_in: 60,
      },
    })
    if (status !== 200) throw new Error(`${i}: ${status}`)
  }
  await db.query(sql.typeAlias('void')`update files.objects set expires_at = now()`)
  const left = () =>
    db.oneFirst(sql.type(z.object({ count: z.number() }))`
      select count(*)::int4 as count from files.objects where deleted_at is null`)
  for (let before = objects; before > 0; ) {
    const workers = await start()
    await enqueue(db, expire, {})
    await until(async () => (await left()) < before, { every: 5, timeout: 90_000, what: 'some are deleted' })
    await workers.kill()
    before = await left()
  }
  const jobs = await db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(distinct id)::int4 as count from files.objects where deleted_at is not null`)
  t.equal(jobs, objects)
})

t.test('workers that are killed in scans of a bucket: each scan ends with one verdict and its tag', async (t) => {
  const { accessKey, secretKey, bucket, region } = storeKeys
  const made = await ask('POST /v1/files/buckets', {
    body: { name: 'b', endpoint: store.url, region, bucket, access_key_id: accessKey, secret_access_key: secretKey },
  })
  const scans = await Promise.all(
    Array.from({ length: 30 }, async (_, i) => {
      await store.storage.put(`inbox/${i}.txt`, Buffer.from(`text ${i} `.repeat(200_000)), {
        contentType: 'text/plain',
      })
      const { body } = await ask('POST /v1/files/bucket-scans', {
        body: { bucket_id: made.body.id, key: `inbox/${i}.txt` },
      })
      return body.scan_id as string
    }),
  )
  const done = async () => {
    const all = await Promise.all(scans.map(async (id) => (await ask(`GET /v1/files/bucket-scans/${id}`)).body))
    return all.filter(({ status, tag }) => status === 'clean' && tag === 'written').length
  }
  for (const wanted of [3, 10, scans.length]) {
    const workers = await start()
    await until(async () => (await done()) >= wanted, { every: 20, timeout: 120_000, what: `${wanted} scans end` })
    await workers.kill()
  }
  t.equal(await done(), scans.length)
})
