import '../support/work-environment.ts'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { requeueLost } from '#tasks/work/requeue-lost.ts'
import { fieldsOf } from '../support/ingress.ts'
import { verifies } from '../webhooks/receiver.ts'
import { workStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await workStack(t)
const { server, create, ended, ask, db } = stack
await stack.startWorkers()

t.test('requests verify by the signing secret, also after a rotation', async (t) => {
  const first = await ask('GET /v1/jobs/signing-secret')
  t.match(first, { status: 200, body: { secret: /^whsec_/, previous_until: null } })
  await ended((await create('/signed', { body: { a: 1 } })).body.id)
  const [request] = await server.has(1, '/signed')
  t.ok(request && verifies(first.body.secret, request as never))
  const second = await ask('POST /v1/jobs/signing-secret/rotate', { body: { keep_hours: 1 } })
  t.not(second.body.secret, first.body.secret)
  await ended((await create('/both', { body: { a: 1 } })).body.id)
  const [both] = await server.has(1, '/both')
  for (const { body } of [first, second]) t.ok(both && verifies(body.secret, both as never))
  await ask('POST /v1/jobs/signing-secret/rotate', { body: { keep_hours: 0 } })
  await ended((await create('/new', { body: { a: 1 } })).body.id)
  const [last] = await server.has(1, '/new')
  t.notOk(last && verifies(second.body.secret, last as never))
})

t.test('each job of a batch has its own result', async (t) => {
  const reply = await ask('POST /v1/jobs/batch', {
    body: {
      jobs: [
        { url: `${server.url}/batch/1`, group: 'batch' },
        { url: 'ftp://example.com', timeout: 0 },
        { url: `${server.url}/batch/2`, group: 'batch', dedupe_key: 'twice' },
        { url: `${server.url}/batch/3`, group: 'batch', dedupe_key: 'twice' },
        { url: 'http://169.254.169.254/' },
      ],
    },
  })
  t.match(reply, { status: 201, body: { accepted: 3, refused: 2 } })
  t.match(reply.body.data, [
    { accepted: true, index: 0, deduplicated: false },
    { accepted: false, index: 1, error: { code: 'bad_request' } },
    { accepted: true, deduplicated: false },
    { accepted: true, deduplicated: true, id: reply.body.data[2].id },
    { accepted: false, index: 4 },
  ])
  for (const { id } of [reply.body.data[0], reply.body.data[2]]) await ended(id)
  const listed = await ask('GET /v1/jobs?group=batch&status=completed')
  t.equal(listed.body.data.length, 2)
})

t.test('failed jobs of a group are replayed together', async (t) => {
  server.answer = (_, res) => void res.writeHead(410).end()
  const since = new Date(Date.now() - 1_000).toISOString()
  const ids: string[] = []
  for (const group of ['one', 'one', 'other']) {
    const { body } = await create('/fails', { group, ...(ids.length === 1 && { concurrency: { key: 'k', limit: 1 } }) })
    ids.push((await ended(body.id, 'failed')).id)
  }
  server.answer = (_, res) => void res.writeHead(204).end()
  const replayed = await ask('POST /v1/jobs/replay', { body: { since, group: 'one' } })
  t.match(replayed, { status: 200, body: { replayed: 2, next: null } })
  for (const id of ids.slice(0, 2)) await ended(id)
  t.equal((await stack.read(ids[2] as string)).body.status, 'failed')
  t.match(await ask(`DELETE /v1/jobs/${ids[2]}`), { status: 200, body: { deleted: true } })
  t.equal((await stack.read(ids[2] as string)).status, 404)
})

t.test('a job that has not ended cannot be deleted or replayed', async (t) => {
  const { id } = (await create('/future', { delay: 3_600 })).body
  t.equal((await ask(`DELETE /v1/jobs/${id}`)).status, 409)
  t.equal((await ask(`POST /v1/jobs/${id}/replay`)).status, 409)
  await ask(`POST /v1/jobs/${id}/cancel`)
  t.equal((await ask(`DELETE /v1/jobs/${id}`)).status, 200)
})

t.test('the retention can be shorter than that of the installation', async (t) => {
  t.match(await ask('GET /v1/jobs/settings'), { body: { retention_days: null, default_retention_days: 30 } })
  t.match(await ask('PUT /v1/jobs/settings', { body: { retention_days: 3 } }), { body: { retention_days: 3 } })
  const refused = await ask('PUT /v1/jobs/settings', { body: { retention_days: 31 } })
  t.same(fieldsOf(refused), ['body.retention_days'])
})

t.test('a job whose entry of the queue is lost is put in the queue again', async (t) => {
  const workers = await stack.startWorkers()
  await workers.stop()
  const made = await db.transaction(async (tx) => {
    const reply = await create('/lost', { delay: 1 })
    await tx.query(sql.typeAlias('void')`
      update work.jobs set phase = 'ready', queue_id = 1, turn = 1 where id = ${reply.body.id}`)
    return reply
  })
  await requeueLost.run({}, { db } as never)
  t.match(await ended(made.body.id), { attempt_count: 1 })
  t.equal(
    await db.oneFirst(sql.type(z.object({ count: z.number() }))`
      select count(*)::int as count from work.jobs where phase in ('ready', 'running')`),
    0,
  )
})
