import { randomBytes } from 'node:crypto'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { eicar } from '../../ops/embedded/signatures.ts'
import { filesStack, put } from '../support/files-stack.ts'
import { until } from '../support/until.ts'

t.setTimeout(240_000)
// As `npm start` has it.
process.umask(0o077)
const stack = await filesStack(t)
const { clamd } = stack
const { db } = stack.base

const workers = await stack.startWorkers()

/**
 * Text whose scan takes a while. It differs each time, because known content is not scanned again. Random bytes can look
 * like an archive.
 */
const noise = () => randomBytes(4 * 2 ** 20).toString('hex')

const statusOf = async (id: string) => (await stack.ask(`GET /v1/files/objects/${id}`)).body.scan_status

/** Uploads and completes without waiting for the verdict; no fault may happen before the object is accepted. */
async function accept(bytes: Uint8Array | string): Promise<string> {
  const upload = await stack.start(bytes)
  await put(upload, bytes)
  const reply = await stack.ask(`POST /v1/files/uploads/${upload.object_id}/complete`, { body: {} })
  t.equal(reply.status, 200)
  return upload.object_id
}

/** Whether a scan of the object was tried and will be tried again. */
const isPutOff = (id: string) =>
  db.exists(sql.unsafe`
    select from jobs.attempts as a join jobs.runs as r on r.id = a.run_id
    where r.subject = ${id} and a.outcome = 'later'`)

async function neverCleanUnscanned(id: string): Promise<void> {
  const proven = await db.exists(sql.unsafe`
    select from files.objects as o join files.scans as s on s.id = o.scan_id
    where o.id = ${id} and o.scan_status = 'clean' and s.status = 'clean' and s.key = o.held_key and s.sha256 = o.sha256`)
  t.ok(proven || (await statusOf(id)) !== 'clean', 'clean only with a clean scan of the same bytes')
}

t.test('while clamd is away scans wait, and none passes', async (t) => {
  await clamd.kill()
  const [letter, bad] = await Promise.all([accept('a letter'), accept(eicar)])
  await until(() => isPutOff(letter), { what: 'a scan was tried and put off' })
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

t.test('a worker killed in the middle of a scan: the next one does it', async (t) => {
  const upload = await frozenAtWork()
  await workers.kill()
  await stack.startWorkers()
  t.equal((await stack.settled(upload.object_id)).scan_status, 'clean')
  await neverCleanUnscanned(upload.object_id)
})

/** An upload whose scan is under way in a worker that stands still. */
async function frozenAtWork(): Promise<{ object_id: string }> {
  for (;;) {
    const large = noise()
    const upload = await stack.start(large)
    await put(upload, large)
    const completing = stack.ask(`POST /v1/files/uploads/${upload.object_id}/complete`, { body: {} })
    await until(async () => /scanning|clean/.test(await statusOf(upload.object_id)))
    process.kill(workers.pid, 'SIGSTOP')
    await completing
    if ((await statusOf(upload.object_id)) === 'scanning') return upload
    process.kill(workers.pid, 'SIGCONT')
  }
}
