import '../support/work-environment.ts'
import t from 'tap'
import { sql } from '#sql/db.ts'
import { createJobs } from '#tasks/work/rules/create-jobs.ts'
import { intakeStack, openssl } from './stack.ts'

t.setTimeout(240_000)
const { add, ask, post, list, settled, startWorkers, orgId, db } = await intakeStack(t)

const secret = 'secret-of-the-source'
const source = (name: string, more: object = {}, hmac: object = {}) =>
  add({ name, provider: 'hmac', secret, hmac: { header: 'x-sig', event_id_path: 'id', ...hmac }, ...more })
const sign = (body: string) => openssl('sha256', secret, body)

t.test('requests are held while the plan allows no more jobs that have not ended', async (t) => {
  await db.query(sql.typeAlias('void')`
    insert into account.plans select (jsonb_populate_record(p, '{"name": "little", "waiting_jobs": 2}')).*
    from account.plans as p where name = 'unlimited'`)
  await db.query(sql.typeAlias('void')`update account.orgs set plan = 'little' where id = ${orgId}`)
  const runAt = new Date(Date.now() + 3_600_000)
  const later = { url: 'http://127.0.0.1:9/', headers: {}, runAt }
  await db.transaction((tx) => createJobs(tx, orgId, Array(200).fill(later)))
  const to = await source('full', { forward: { url: 'http://127.0.0.1:9/' } })
  const body = '{"id":"full"}'
  const reply = await post(to, body, { 'x-sig': sign(body) })
  t.equal(reply.status, 200, reply.text)
  t.match(await list(`&source_id=${to.id}`), [{ status: 'held' }])
  await db.query(sql.typeAlias('void')`update account.orgs set plan = 'unlimited' where id = ${orgId}`)
  await startWorkers()
  t.match(await settled(reply.body.id, ({ status }) => status === 'forwarded'), { status: 'forwarded' })
})

t.test('a signature can be in any header, and headers with odd names are no error', async (t) => {
  const body = '{"id":"a"}'
  for (const header of ['constructor', '__proto__', 'authorization']) {
    const to = await source(header, {}, { header, timestamp_header: null, event_id_header: 'constructor' })
    t.equal((await post(to, body)).status, 401, header)
    if (header !== '__proto__') t.equal((await post(to, body, { [header]: sign(body) })).status, 200, header)
  }
  const to = await source('times', {}, { signed: 'timestamp.body', timestamp_header: 'constructor' })
  t.equal((await post(to, body, { 'x-sig': sign(body) })).status, 401)
  const [stored] = await list('&event_id=a&verified=true')
  t.notMatch((await ask(`GET /v1/intake/requests/${stored.id}`)).body.headers, { authorization: /./ })
})

t.test('a signature after 80 other headers is found', async (t) => {
  const to = await source('many')
  const others = Object.fromEntries(Array.from({ length: 80 }, (_, i) => [`x-a${i}`, 'a']))
  const body = '{"id":"many"}'
  t.equal((await post(to, body, { ...others, 'x-sig': sign(body) })).status, 200)
})
