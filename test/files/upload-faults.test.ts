import { createHash, randomBytes } from 'node:crypto'
import t from 'tap'
import { z } from 'zod'
import { Storage } from '#lib/storage/storage.ts'
import { sql } from '#sql/db.ts'
import * as uploads from '#sql/files/uploads.ts'
import { provide } from '../../ingress/http/container.ts'
import * as services from '../../ingress/http/services.ts'
import { filesStack } from '../support/files-stack.ts'
import { partBytes, sendParts, signed } from '../support/parts.ts'
import { until } from '../support/until.ts'
import { storeKeys } from '../support/video-stack.ts'

t.setTimeout(240_000)
const stack = await filesStack(t)
const { ask, base, clamd, key, settled } = stack
const { db, store } = base
const whole = randomBytes(partBytes + 1000)
const sha256 = createHash('sha256').update(whole).digest('hex')
const facts = {
  product_key: 'crm',
  tenant_id: 'acme',
  filename: 'backup.bin',
  content_type: 'application/octet-stream',
}

async function begin(): Promise<string> {
  const reply = await ask('POST /v1/files/uploads/multipart', { body: { ...facts, byte_size: whole.length } })
  return reply.body.object_id
}

/** A store that ends a request after storage has joined the parts, as an ingress that is killed. */
class Cut extends Storage {
  isCut = false

  constructor() {
    super({ endpoint: store.url, publicEndpoint: store.url, ...storeKeys })
    const complete = this.multipart.complete.bind(this.multipart)
    this.multipart.complete = async (...call) => {
      await complete(...call)
      this.isCut = true
      throw new Error('The ingress was killed.')
    }
  }

  override async size(key: string): Promise<number | null> {
    if (this.isCut) throw new Error('The ingress was killed.')
    return await super.size(key)
  }
}

const workers = await stack.startWorkers()

t.test('an ingress that is killed while it completes an upload loses nothing', async (t) => {
  const id = await begin()
  await sendParts(ask, id, whole, [1, 2])
  const killed = await base.another(db, { services: [provide(services.storage, new Cut())] })
  const reply = await killed.ask(`POST /v1/files/uploads/${id}/complete`, { key, body: {} })
  t.equal(reply.status, 500)
  t.match(await ask(`GET /v1/files/objects/${id}`), { body: { scan_status: 'awaiting_upload' } })
  t.match((await ask(`GET /v1/files/uploads/${id}`)).body.parts_received, [1, 2])
  t.equal((await ask(`POST /v1/files/uploads/${id}/complete`, { body: {} })).status, 200)
  t.match(await settled(id), { scan_status: 'clean', sha256 })
  t.equal((await store.list(`files/objects/${id}/`)).length, 1, 'one object in storage')
})

t.test('an upload continues at another ingress, and is completed once by many requests', async (t) => {
  const id = await begin()
  await sendParts(ask, id, whole, [1])
  const other = await base.another(db)
  const asOther: typeof ask = (request, options = {}) => other.ask(request, { key, ...options })
  t.match((await asOther(`GET /v1/files/uploads/${id}`)).body.parts_received, [1])
  await sendParts(asOther, id, whole, [2])
  const all = await Promise.all(
    [ask, asOther, ask, asOther].map((from) => from(`POST /v1/files/uploads/${id}/complete`, { body: {} })),
  )
  t.same(
    all.map(({ status }) => status),
    [200, 200, 200, 200],
  )
  const scans = await db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*)::integer as count from files.scans where object_id = ${id}`)
  t.equal(scans, 1)
  t.match(await settled(id), { scan_status: 'clean' })
})

t.test('parts that are signed at the same time belong to one upload of storage', async (t) => {
  const id = await begin()
  const ids = await Promise.all([1, 2, 1, 2].map((part) => signed(ask, id, [part])))
  const inStorage = new Set(ids.flat().map(({ url }) => new URL(url).searchParams.get('uploadId')))
  t.same([...inStorage], [(await uploads.find(db, id))?.storage_upload])
})

t.test('an abort during the completion leaves nothing in storage, or a complete object', async (t) => {
  for (let i = 0; i < 4; i++) {
    const id = await begin()
    await sendParts(ask, id, whole, [1, 2])
    const [completed, aborted] = await Promise.all([
      ask(`POST /v1/files/uploads/${id}/complete`, { body: {} }),
      ask(`DELETE /v1/files/uploads/${id}`),
    ])
    const isComplete = (await ask(`GET /v1/files/objects/${id}`)).status === 200
    t.equal(aborted.status, isComplete ? 409 : 200, `completed: ${completed.status}`)
    if (!isComplete)
      await until(async () => (await store.list(`files/objects/${id}/`)).length === 0, { what: 'it is deleted' })
  }
})

t.test('a worker that is killed during the scan of a large file costs one more scan', async (t) => {
  await workers.stop()
  const first = await stack.startWorkers({ SCAN_MAX_BYTES: '1000000' })
  // The verdict on known bytes would be used again.
  const bytes = randomBytes(whole.length)
  const id = await begin()
  await sendParts(ask, id, bytes, [1, 2])
  clamd.freeze()
  await ask(`POST /v1/files/uploads/${id}/complete`, { body: {} })
  await first.kill()
  clamd.thaw()
  await stack.startWorkers({ SCAN_MAX_BYTES: '1000000' })
  t.match(await settled(id), {
    scan_status: 'unscannable',
    sha256: createHash('sha256').update(bytes).digest('hex'),
    verdict: { reasons: [{ code: 'scanned_in_windows' }] },
  })
  t.equal((await ask(`GET /v1/files/objects/${id}/scans`)).body.data.length, 1, 'one verdict')
})
