import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import * as minutes from '#sql/account/usage/request-minutes.ts'
import { sql } from '#sql/db.ts'
import { rollUp } from '#tasks/jobs/roll-up.ts'
import { checkCredential } from '#tasks/push/check-credential.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { area } from '../../ingress/http/area.ts'
import { problem } from '../../ingress/http/problem-kinds.ts'
import { route } from '../../ingress/http/route.ts'
import { testDatabase } from '../support/database.ts'
import { type Reply, testIngress, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'

const { db } = await testDatabase(t)
const full = problem(409, 'full', 'There is no room.')
const facts = {
  method: 'POST',
  scope: 'files:write',
  status: 201,
  limit: false,
  reply: z.object({ id: z.string() }),
} as const

const make = route({
  ...facts,
  path: '/make/{name}',
  summary: 'Make a thing',
  query: z.object({ token: z.string().optional() }),
  body: z.strictObject({
    to: z.email(),
    count: z.int().default(1),
    note: z.string().optional(),
    password: z.string().optional(),
  }),
  problems: [full],
  async handle({ body, db, org }) {
    if (body.count > 5) throw full(`No room for ${body.to}.`, { to: body.to })
    const id = newId()
    await db.transaction(async (tx) => {
      await enqueue(tx, checkCredential, { credentialId: id } as never, { orgId: org.id, subject: id })
      await enqueue(tx, rollUp, {}, { orgId: org.id })
    })
    return { id }
  },
})
const things = area({
  name: 'things',
  title: 'T',
  description: 'T.',
  base: '/v1/things',
  platform: true,
  routes: { t: { make } },
})

const { ask } = await testIngress(t, db, [things], {
  only: ['account', 'email'],
  requestLog: { everyMs: 50, perSecond: 1_000 },
})
const scopes = ['files:write', 'account:logs', 'account:write']

/** An organisation, and how it asks and reads its log. */
async function scene() {
  const { org, keys } = await testOrg(db, [], {
    keys: { main: { prefix: 'bt_live_', scopes }, other: { prefix: 'bt_live_', scopes: ['account:logs'] } },
  })
  const [key, other] = [keys.main as string, keys.other as string]
  const send = (body: unknown, headers: Record<string, string> = {}, name = 'one') =>
    ask(`POST /v1/things/make/${name}`, { key, body, headers })
  const list = (query = '') => ask(`GET /v1/account/requests?operation=things.t.make&${query}`, { key })
  const listed = (count: number, query = '') =>
    until(
      async () => {
        const { body } = await list(query)
        return body.data.length >= count && body.data
      },
      { timeout: 15_000, what: `${count} requests are listed` },
    )
  const get = (id: string) => ask(`GET /v1/account/requests/${id}`, { key })
  return { org, key, other, send, list, listed, get }
}

t.test('requests are listed newest first and filtered by what they were', async (t) => {
  const { send, list, listed, key, other } = await scene()
  await send({ to: 'a@example.org' }, { 'user-agent': 'millrace-node/1.2.3', 'x-forwarded-for': '1.2.3.4' })
  await send({ to: 'nobody' })
  await send({ to: 'a@example.org', count: 9 })
  const all = await listed(3)
  t.same(
    all.map(({ status }: { status: number }) => status),
    [409, 400, 201],
  )
  t.match(all[2], { operation: 'things.t.make', code: null, sdk: 'millrace-node/1.2.3', network: '127.0.0.0/24' })
  t.ok(all[2].bytes_in > 0 && all[2].bytes_out > 0 && all[2].ms >= 0)
  t.same((await list('code=full')).body.data, [all[0]])
  t.same((await list('status=400')).body.data, [all[1]])
  t.same((await list('class=2')).body.data, [all[2]])
  t.same((await list(`key=${all[0].key_id}`)).body.data.length, 3)
  t.same((await list(`key=${newId()}`)).body.data, [])
  t.same((await list(`since=${new Date(Date.now() + 60_000).toISOString()}`)).body.data, [])
  t.same((await list(`until=${new Date(Date.now() + 60_000).toISOString()}`)).body.data.length, 3)
  const first = await list('limit=2')
  t.same((await list(`limit=2&cursor=${first.body.next_cursor}`)).body.data, [all[2]])
  const bad = await ask('GET /v1/account/requests?status=abc&class=9&since=soon', { key })
  t.same(bad.body.error.details.map(({ field }: { field: string }) => field).sort(), [
    'query.class',
    'query.since',
    'query.status',
  ])
  const refused = await ask('POST /v1/things/make/one', { key: other, body: { to: 'a@example.org' } })
  t.equal(refused.status, 403)
  t.match(await listed(1, 'status=403'), [{ code: 'forbidden' }])
})

t.test('an error is told with its code and its fields, and no value that was sent is in any column', async (t) => {
  const { org, key, send, listed } = await scene()
  const planted = 'bt_live_planted0123456789abcdef'
  const headers = { cookie: `session=${planted}`, 'x-request-id': 'client-12345678', 'user-agent': `curl ${planted}` }
  const odd = await send({ to: `planted-${planted}`, count: 'many', [planted]: 1 }, headers, planted)
  t.equal(odd.status, 400)
  await ask(`POST /v1/things/make/${planted}?token=${planted}&sig=${planted}`, {
    key,
    body: { to: 'planted@example.org', count: 9 },
  })
  await send({ to: 'planted@example.org', note: planted }, headers)
  const all = await listed(3)
  t.match(all.at(-1), { code: 'bad_request', client_id: 'client-12345678' }, 'as it was answered')
  t.ok(all.at(-1).fields.includes('body.to') && all.at(-1).fields.includes('body.count'), all.at(-1).fields.join())
  const dump = await db.manyFirst(sql.type(z.object({ row: z.string() }))`
    select r::text as row from account.requests as r where org_id = ${org.id}
    union all select m::text from account.request_minutes as m where org_id = ${org.id}`)
  t.ok(dump.length >= 3)
  for (const row of dump) t.notMatch(row, /planted|example\.org|Bearer|many/)
  for (const row of dump) t.notOk(row.includes(key))
})

t.test('a request id that a client gives twice stands beside two requests, each with its own thread', async (t) => {
  const { send, listed, get } = await scene()
  const headers = { 'x-request-id': 'twice-0123456789' }
  const made = [await send({ to: 'a@example.org' }, headers), await send({ to: 'b@example.org' }, headers)]
  const all = await listed(2, 'client_id=twice-0123456789')
  t.equal(new Set(all.map(({ id }: { id: string }) => id)).size, 2)
  for (const [i, reply] of made.entries()) {
    const { body } = await get(all[1 - i].id)
    t.equal(body.resource_id, reply.body.id)
  }
})

t.test('one organisation reads nothing of another’s log', async (t) => {
  const [one, two] = [await scene(), await scene()]
  await one.send({ to: 'a@example.org' })
  const [{ id }] = await one.listed(1)
  t.equal((await one.get(id)).status, 200)
  t.equal((await two.get(id)).status, 404)
  t.same((await two.list()).body.data, [])
  t.equal((await ask(`GET /v1/account/requests/none`, { key: two.key })).status, 404)
})

t.test('what followed from a request is told with it: its jobs, their attempts, what providers answered', async (t) => {
  const { org, send, listed, get } = await scene()
  const { body: made } = await send({ to: 'a@example.org' })
  const [{ id }] = await listed(1)
  const run = newId()
  await db.query(sql.typeAlias('void')`
    insert into jobs.runs (id, task, pool, org_id, subject, state) values (${run}, 'x/y', 'core', ${org.id}, ${made.id}, 'running')`)
  await db.query(sql.typeAlias('void')`
    insert into jobs.attempts (run_id, attempt, worker, outcome) values (${run}, 1, 'w', 'retry'), (${run}, 2, 'w', null)`)
  const { name } = await db.one(sql.type(z.object({ name: z.string() }))`
    select conname as name from pg_constraint where conrelid = 'push.attempts'::regclass and contype = 'f'`)
  await db.query(sql.unsafe`alter table push.attempts drop constraint ${sql.identifier([name])}`)
  await db.query(sql.typeAlias('void')`
    insert into push.attempts (id, org_id, message_id, delivery_id, number, outcome, provider_status)
    values (${newId()}, ${org.id}, ${made.id}, ${newId()}, 1, 'sent', 201)`)
  const { body } = await get(id)
  t.match(body.thread.jobs.at(-1), {
    id: run,
    attempts: [
      { attempt: 1, outcome: 'retry' },
      { attempt: 2, outcome: null },
    ],
  })
  t.match(body.thread.push, [{ outcome: 'sent', provider_status: 201 }])
  const jobs = await db.oneFirst(
    sql.type(z.object({ jobs: z.array(z.string()) }))`select jobs from account.requests where id = ${id}`,
  )
  t.equal(jobs.length, 2)
  t.match(jobs[1], /^core:\d+$/)
})

t.test('heads of bodies are logged only while a window is open, masked; the audit log says so', async (t) => {
  const { org, key, send, listed, get } = await scene()
  await send({ to: 'a@example.org', password: 'planted' })
  const [before] = await listed(1)
  t.equal((await get(before.id)).body.request_head, null)
  t.match(await ask('POST /v1/account/requests/windows', { key, body: { key_id: newId() } }), { status: 404 })
  t.match(await ask('POST /v1/account/requests/windows', { key, body: { key_id: before.key_id, minutes: 61 } }), {
    status: 400,
  })
  t.match(await ask('POST /v1/account/requests/windows', { key, body: { key_id: before.key_id } }), { status: 201 })
  const seen = await until(async () => {
    await send({ to: 'a@example.org', password: 'planted', note: 'x'.repeat(5_000) })
    const [latest] = await listed(1)
    const { body } = await get(latest.id)
    return body.request_head && body
  })
  t.match(seen.request_head, /"to":"a@example.org"/)
  t.notMatch(seen.request_head, /planted/)
  t.ok(seen.request_head.length <= 2_048)
  t.match(seen.response_head, /"id"/)
  const acts = await db.anyFirst(sql.type(z.object({ action: z.string() }))`
    select action from account.audit where org_id = ${org.id} order by number limit 2`)
  t.same(acts, ['request_window.opened', 'request_bodies.shown'])
})

t.test('every request is counted by the minute, and by the hour', async (t) => {
  const { org, send } = await scene()
  const replies: Reply[] = []
  for (let n = 0; n < 7; n++) replies.push(await send({ to: n < 4 ? 'a@example.org' : 'nobody' }))
  const span = {
    since: new Date(Date.now() - 3_600_000),
    until: new Date(Date.now() + 60_000),
    by: 'operation' as const,
  }
  const sums = await until(async () => {
    const found = await minutes.sums(db, org.id, span)
    return found.reduce((sum, { count }) => sum + count, 0) === replies.length && found
  })
  t.match(sums, [
    { by: 'things.t.make', class: 2, count: 4 },
    { by: 'things.t.make', class: 4, count: 3 },
  ])
  t.equal(
    sums[0]?.buckets.reduce((sum, n) => sum + n, 0),
    4,
  )
  await minutes.rollUp(db)
  await minutes.rollUp(db)
  const hours = await db.anyFirst(sql.type(z.object({ count: z.number() }))`
    select sum(count)::bigint as count from account.request_hours where org_id = ${org.id} group by class order by class`)
  t.same(hours, [4, 3])
})

t.test('a mail is what its request made, wherever its id stands in the answer', async (t) => {
  const { keys } = await testOrg(db, ['account:logs', 'account:keys', 'email:send'])
  const test = await ask('POST /v1/account/keys', {
    key: keys.main,
    body: { name: 'test', scopes: ['email:send'], mode: 'test' },
  })
  const body = {
    stream: 'transactional',
    from: { email: 'a@shop.example' },
    to: 'ann@people.example',
    subject: 'Hi',
    text: 'Hello',
  }
  const sent = await ask('POST /send/v1/messages', { key: test.body.secret, body })
  t.equal(sent.status, 202)
  const list = () => ask('GET /v1/account/requests?operation=email.messages.create', { key: keys.main })
  const [logged] = await until(async () => {
    const { data } = (await list()).body
    return data.length > 0 && data
  })
  t.equal(logged.resource_id, sent.body.id)
})
