import { createHash, randomBytes } from 'node:crypto'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { eicar } from '../../ops/embedded/signatures.ts'
import { filesStack, put } from '../support/files-stack.ts'
import { until } from '../support/until.ts'

t.setTimeout(150_000)
const stack = await filesStack(t)
const { clamd } = stack
const { db, store } = stack.base

/** So large that its scan takes a while. */
const large = randomBytes(16 * 2 ** 20)

const statusOf = async (id: string) => (await stack.ask(`GET /v1/files/objects/${id}`)).body.scan_status
const scanning = (id: string) =>
  until(async () => (await statusOf(id)) === 'scanning', { what: `${id} is being scanned` })

/** Uploads and completes without waiting for the verdict; no fault may happen before the object is accepted. */
async function accept(bytes: Uint8Array | string): Promise<string> {
  const upload = await stack.start(bytes)
  await put(upload, bytes)
  const reply = await stack.ask(`POST /v1/files/uploads/${upload.object_id}/complete`, { body: {} })
  t.equal(reply.status, 200)
  return upload.object_id
}

/** Every status that an object has had, in order. */
const past = (id: string) =>
  db.anyFirst(sql.type(z.object({ to_status: z.string() }))`
    select to_status from files.state_changes where object_id = ${id} order by id`)

async function neverCleanUnscanned(id: string): Promise<void> {
  const proven = await db.exists(sql.unsafe`
    select from files.objects as o join files.scans as s on s.id = o.scan_id
    where o.id = ${id} and o.scan_status = 'clean' and s.status = 'clean' and s.key = o.held_key and s.sha256 = o.sha256`)
  t.ok(proven || (await statusOf(id)) !== 'clean', 'clean only with a clean scan of the same bytes')
}

t.test('while clamd is away scans wait, and none passes', async (t) => {
  await stack.startWorkers()
  await clamd.kill()
  const [letter, bad] = [await accept('a letter'), await accept(eicar)]
  await until(async () => (await past(letter)).filter((status) => status === 'pending').length > 1, {
    what: 'a scan was tried and put back',
  })
  for (const id of [letter, bad]) {
    t.match(await statusOf(id), /pending|scanning/)
    t.equal((await stack.download(id)).asked.status, 409)
  }
  t.match((await stack.ask('GET /v1/files/health')).body.database, 'ok')
  await clamd.start()
  t.equal((await stack.settled(letter)).scan_status, 'clean')
  t.equal((await stack.settled(bad)).scan_status, 'infected')
  const attempts = await db.oneFirst(sql.type(z.object({ spent: z.number() }))`
    select count(*)::integer as spent from jobs.failures`)
  t.equal(attempts, 0, 'it cost no attempt')
})

t.test('clamd killed, or frozen, in the middle of a scan: the scan is done again', async (t) => {
  for (const fault of ['kill', 'freeze'] as const) {
    const upload = await stack.start(large)
    await put(upload, large)
    const completing = stack.ask(`POST /v1/files/uploads/${upload.object_id}/complete`, { body: {} })
    await scanning(upload.object_id)
    await clamd[fault]()
    await completing
    if (fault === 'freeze') {
      const put_back = async () => (await past(upload.object_id)).filter((status) => status === 'pending').length > 1
      await until(put_back, { what: 'the scan by a frozen clamd was put back', timeout: 60_000 })
      clamd.thaw()
    } else {
      await clamd.start()
    }
    const object = await stack.settled(upload.object_id)
    t.equal(object.scan_status, 'clean', fault)
    t.equal(object.sha256, createHash('sha256').update(large).digest('hex'))
    await neverCleanUnscanned(upload.object_id)
  }
})

t.test(
  'a worker killed in the middle of a scan, and storage away: the scan is done by the next, in time',
  async (t) => {
    const doomed = await stack.startWorkers()
    const id = await (async () => {
      const upload = await stack.start(eicar)
      await put(upload, eicar)
      await store.stop()
      // Completed by hand, as the ingress cannot without storage: what is tested is the worker.
      return upload
    })()
    const refused = await stack.ask(`POST /v1/files/uploads/${id.object_id}/complete`, { body: {} })
    t.equal(refused.status, 503, 'the ingress says so')
    t.equal(await statusOf(id.object_id), 'awaiting_upload')
    await store.start()
    const upload = await stack.start(large)
    await put(upload, large)
    const completing = stack.ask(`POST /v1/files/uploads/${upload.object_id}/complete`, { body: {} })
    await scanning(upload.object_id)
    await store.stop()
    await doomed.kill()
    await completing
    await store.start()
    t.equal((await stack.settled(upload.object_id)).scan_status, 'clean')
    await neverCleanUnscanned(upload.object_id)
    await stack.ask(`POST /v1/files/uploads/${id.object_id}/complete`, { body: {} })
    t.equal((await stack.settled(id.object_id)).scan_status, 'infected')
  },
)
