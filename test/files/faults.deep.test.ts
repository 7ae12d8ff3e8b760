import { createHash, randomBytes } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { sql } from '#sql/db.ts'
import { filesStack, put } from '../support/files-stack.ts'
import { until } from '../support/until.ts'

t.setTimeout(240_000)
// As `npm start` has it.
process.umask(0o077)
const stack = await filesStack(t)
const { clamd } = stack
const { db, store } = stack.base

await stack.startWorkers()

/**
 * Text whose scan takes a while. It differs each time, because known content is not scanned again. Random bytes can look
 * like an archive.
 */
const noise = () => randomBytes(4 * 2 ** 20).toString('hex')

const statusOf = async (id: string) => (await stack.ask(`GET /v1/files/objects/${id}`)).body.scan_status
const scanning = (id: string) =>
  until(async () => /scanning|clean/.test(await statusOf(id)), { what: `${id} is being scanned` })

/** Whether a scan of the object was tried and will be tried again. */
const isPutOff = (id: string) =>
  db.exists(sql.unsafe`
    select from jobs.attempts as a join jobs.runs as r on r.id = a.run_id
    where r.subject = ${id} and a.outcome = 'later'`)

/** Whether the worker has a file that the user of clamd may read. */
async function isLent(): Promise<boolean> {
  const attempts = join(stack.base.data, 'scan-scratch', 'attempts')
  const { uid, gid } = await stat(clamd.socket)
  for (const name of await readdir(attempts, { recursive: true })) {
    const file = name.endsWith('/object') && (await stat(join(attempts, name)).catch(() => null))
    if (file && (file.uid === uid || (file.gid === gid && (file.mode & 0o040) !== 0))) return true
  }
  return false
}

async function neverCleanUnscanned(id: string): Promise<void> {
  const proven = await db.exists(sql.unsafe`
    select from files.objects as o join files.scans as s on s.id = o.scan_id
    where o.id = ${id} and o.scan_status = 'clean' and s.status = 'clean' and s.key = o.held_key and s.sha256 = o.sha256`)
  t.ok(proven || (await statusOf(id)) !== 'clean', 'clean only with a clean scan of the same bytes')
}

t.test('clamd killed, or frozen, in the middle of a scan: the scan is done again', async (t) => {
  for (const fault of ['kill', 'freeze'] as const) {
    const large = noise()
    const upload = await stack.start(large)
    await put(upload, large)
    const completing = stack.ask(`POST /v1/files/uploads/${upload.object_id}/complete`, { body: {} })
    await scanning(upload.object_id)
    await clamd[fault]()
    if (fault === 'freeze') {
      const isDone = async () => (await statusOf(upload.object_id)) === 'clean'
      await until(async () => (await isLent()) || (await isDone()), { what: 'the file may be read by clamd' })
      const isOver = async () => (await isPutOff(upload.object_id)) || (await isDone())
      await until(isOver, { what: 'the scan by a frozen clamd is given up', timeout: 60_000 })
      clamd.thaw()
    } else {
      await clamd.start()
    }
    await completing
    const object = await stack.settled(upload.object_id)
    t.equal(object.scan_status, 'clean', fault)
    t.equal(object.sha256, createHash('sha256').update(large).digest('hex'))
    await neverCleanUnscanned(upload.object_id)
  }
})

t.test(
  'storage away: what cannot be completed says so, and what was accepted is scanned once it is back',
  async (t) => {
    const [upload, waiting] = await Promise.all([stack.start('is there'), stack.start('waits for storage')])
    await Promise.all([put(upload, 'is there'), put(waiting, 'waits for storage')])
    await stack.ask(`POST /v1/files/uploads/${upload.object_id}/complete`, { body: {} })
    await stack.settled(upload.object_id)
    await store.stop()
    const refused = await stack.ask(`POST /v1/files/uploads/${waiting.object_id}/complete`, { body: {} })
    t.equal(refused.status, 503)
    t.equal(await statusOf(waiting.object_id), 'awaiting_upload')
    const asking = stack.ask(`POST /v1/files/objects/${upload.object_id}/scan`, { body: {} })
    await until(() => isPutOff(upload.object_id), { what: 'the scan waits for storage', timeout: 60_000 })
    t.equal((await asking).status, 200)
    t.match(await statusOf(upload.object_id), /pending|scanning/)
    t.equal((await stack.download(upload.object_id)).asked.status, 409, 'closed while nobody knows')
    await store.start()
    t.equal((await stack.settled(upload.object_id)).scan_status, 'clean')
    const completed = await stack.ask(`POST /v1/files/uploads/${waiting.object_id}/complete`, { body: {} })
    t.equal((await stack.settled(completed.body.object_id)).scan_status, 'clean')
  },
)
