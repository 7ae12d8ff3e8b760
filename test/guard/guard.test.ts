import t from 'tap'
import { hashSecret } from '#lib/tokens.ts'
import { sql } from '#sql/db.ts'
import * as challenges from '#sql/guard/challenges.ts'
import * as hourly from '#sql/guard/hourly.ts'
import * as stock from '#sql/guard/stock.ts'
import * as tokens from '#sql/guard/tokens.ts'
import { deleteExpired } from '#sql/retention.ts'
import { fieldsOf } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { solve } from './solver.ts'
import { guardStack, page } from './stack.ts'

t.setTimeout(240_000)
const stack = await guardStack(t)
const site = await stack.site({ sha256: true })

const earn = async (): Promise<string> => {
  await stack.stock(1)
  const { body } = await site.visit('challenges', { action: 'signup' })
  const earned = await site.visit(`challenges/${body.id}/complete`, { answer: stack.answer(body) })
  return earned.body.token
}

t.test('a challenge is solved by its description, and its token is good once', async (t) => {
  await stack.stock(1)
  const challenge = await site.visit('challenges', { action: 'signup' })
  t.match(challenge, { status: 201, body: { alg: 'scrypt', n: 1024, range: 16, tier: 'low', action: 'signup' } })
  t.equal(challenge.headers.get('cache-control'), 'no-store')
  t.equal(challenge.headers.get('access-control-allow-origin'), '*')
  const earned = await site.visit(`challenges/${challenge.body.id}/complete`, { answer: solve(challenge.body) })
  t.match(earned, { status: 200, body: { action: 'signup', tier: 'low' } }, earned.text)
  const first = await stack.verify(earned.body.token)
  t.match(first.body, { valid: true, action: 'signup', hostname: new URL(page).hostname, tier: 'low' })
  t.ok(first.body.solve_ms > 0)
  t.match((await stack.verify(earned.body.token)).body, { valid: false, reason: 'replayed', action: 'signup' })
})

t.test(
  'with an empty stock the challenge of a site that asks for it is made of SHA-256, and a refill is asked for',
  async (t) => {
    const challenge = await site.visit('challenges', { action: 'signup' })
    t.match(challenge, { status: 201, body: { alg: 'sha256', count: 50, bits: 14 } }, challenge.text)
    // As solving sixteen times as fast.
    await stack.db.query(sql.typeAlias('void')`update guard.challenges set bits = 10 where id = ${challenge.body.id}`)
    const answer = solve({ ...challenge.body, bits: 10 })
    const earned = await site.visit(`challenges/${challenge.body.id}/complete`, { answer })
    t.match(await stack.verify(earned.body.token), { body: { valid: true } }, earned.text)
    const waiting = async () =>
      (await stack.db.oneFirst(sql.typeAlias('count')`
      select count(*) from jobs_guard._private_jobs as j join jobs_guard._private_tasks as t on t.id = j.task_id
      where t.identifier = 'guard/refill'`)) === 1
    await until(waiting, { what: 'one refill waits' })
  },
)

t.test(
  'with an empty stock a site that does not ask for SHA-256 is told to come again, and gets no weaker puzzle',
  async (t) => {
    const strict = await stack.site()
    const ask = () => strict.visit('challenges', { action: 'signup' })
    const none = await ask()
    t.match(none, { status: 503, body: { error: { code: 'server_error' } } }, none.text)
    t.equal(none.headers.get('retry-after'), '2')
    const kept = sql.typeAlias('count')`select count(*) from guard.challenges where site_id = ${strict.id}`
    t.equal(await stack.db.oneFirst(kept), 0)
    await stack.stock(1)
    t.match(await ask(), { status: 201, body: { alg: 'scrypt' } })
    t.equal((await ask()).status, 503)
    t.equal((await strict.visit('challenges', { action: 'signup', alg: 'sha256' })).status, 403)
  },
)

t.test('a client that is no page has no hostname; the tier is the site’s', async (t) => {
  const strict = await stack.site({ min_tier: 'high' })
  await stack.stock(1)
  const ask = (path: string, body: unknown) => stack.ask(`POST /v1/guard/${path}`, { key: strict.key, body })
  const { body } = await ask('challenges', { action: 'api.call:v1' })
  t.match(body, { alg: 'scrypt', range: 128, tier: 'high' })
  const earned = await ask(`challenges/${body.id}/complete`, { answer: stack.answer(body) })
  t.match(await stack.verify(earned.body.token, 'api.call:v1'), { body: { valid: true, hostname: null, tier: 'high' } })
})

t.test('a verification whose answer was lost is asked for again by its key', async (t) => {
  const token = await earn()
  const first = await stack.verify(token, 'signup', { idempotency_key: 'one' })
  const again = await stack.verify(token, 'signup', { idempotency_key: 'one' })
  t.match(again, { body: { valid: true } })
  t.same(again.body, first.body)
  t.equal(again.headers.get('idempotent-replayed'), 'true')
  const other = await stack.verify(await earn(), 'signup', { idempotency_key: 'one' })
  t.match(other, { status: 409, body: { error: { code: 'conflict' } } })
})

t.test('a site is changed part by part, its key replaced, and gone with all it had', async (t) => {
  const own = await stack.site()
  const path = `/v1/guard/sites/${own.id}`
  const changed = await stack.ask(`PATCH ${path}`, { body: { policy: { max_tier: 'high' }, name: 'Blog' } })
  t.match(changed, {
    status: 200,
    body: { name: 'Blog', origins: [page], policy: { min_tier: 'low', max_tier: 'high' } },
  })
  const other = 'https://blog.example.com'
  t.match(await stack.ask(`PATCH ${path}`, { body: { origins: [other] } }), {
    body: { origins: [other], name: 'Blog' },
  })
  const locks = () =>
    stack.db.maybeOneFirst(sql.unsafe`
      select locks->'origins'->>0 as origin from account.keys where hash = ${hashSecret(own.key)} and revoked_at is null`)
  t.equal(await locks(), other)

  const rotated = await stack.ask(`POST ${path}/rotate`)
  t.not(rotated.body.site_key, own.key)
  t.equal(await locks(), null, 'the old key is revoked')
  const key = rotated.body.site_key
  const headers = { origin: other }
  await stack.stock(1)
  const { body } = await stack.ask('POST /v1/guard/challenges', { key, headers, body: { action: 'post' } })
  const answer = stack.answer(body)
  const earned = await stack.ask(`POST /v1/guard/challenges/${body.id}/complete`, { key, headers, body: { answer } })
  t.match(await stack.ask('GET /v1/guard/sites'), { body: { data: [{ id: own.id, site_key: key }] } })

  t.match(await stack.ask(`DELETE ${path}`), { status: 200, body: { id: own.id, deleted: true } })
  t.equal((await stack.ask(`GET ${path}`)).status, 404)
  t.equal((await stack.ask(`DELETE ${path}`)).status, 404)
  t.match(await stack.verify(earned.body.token, 'post'), { body: { valid: false, reason: 'unknown' } })
})

t.test('every bad field is named', async (t) => {
  const create = (body: unknown) => stack.ask('POST /v1/guard/sites', { body })
  const bad = {
    name: ' ',
    origins: ['shop.example.com', 'https://a.example/', 'ftp://a.example', 'null'],
    policy: { min_tier: 'hard', a: 1 },
  }
  const reply = await create(bad)
  t.equal(reply.status, 400)
  t.same(fieldsOf(reply), [
    'body.name',
    ...[0, 1, 2, 3].map((i) => `body.origins.${i}`),
    ...['body.policy.a', 'body.policy.min_tier'],
  ])
  const ends = { min_tier: 'high', max_tier: 'low' }
  t.same(fieldsOf(await create({ name: 'a', origins: [], policy: ends })), ['body.policy.max_tier'])
  const raised = await stack.ask(`PATCH /v1/guard/sites/${site.id}`, {
    body: { policy: { max_tier: 'low', min_tier: 'high' } },
  })
  t.same(fieldsOf(raised), ['body.policy.max_tier'])
  t.same(fieldsOf(await stack.verify('', 'A')), ['body.action', 'body.token'])
})

t.test('what is forgotten stays counted, and a token that is given again within a day is known', async (t) => {
  const own = await stack.site()
  const visit = async (right: boolean) => {
    await stack.stock(1)
    const { body } = await own.visit('challenges', { action: 'signup' })
    return await own.visit(`challenges/${body.id}/complete`, { answer: right ? stack.answer(body) : 'AAAA' })
  }
  const { token } = (await visit(true)).body
  await visit(false)
  for (let calls = 0; calls < 3; calls++) await stack.verify(token)
  const since = new Date(Date.now() - 3_600_000)
  const before = await hourly.listCounts(stack.db, own.id, since)
  const total = (outcome: string) =>
    before.filter((count) => count.outcome === outcome).reduce((sum, { count }) => sum + count, 0)
  t.same(['issued', 'solved', 'failed', 'verified', 'replayed'].map(total), [2, 1, 1, 1, 2])
  for (const { name, retentions } of [challenges.table, tokens.table]) {
    const left = () => stack.db.oneFirst(sql.typeAlias('count')`select count(*) from ${name}`)
    t.ok((await left()) > 0)
    for (const retention of retentions) await deleteExpired(stack.db, name, { ...retention, span: -1 })
    t.equal(await left(), 0)
  }
  t.same(await hourly.listCounts(stack.db, own.id, since), before)
})

t.test('the stock is to hold what ten minutes use, between its marks', async (t) => {
  await stack.db.query(sql.typeAlias('void')`delete from guard.stock`)
  await Promise.all(Array.from({ length: 12 }, () => site.visit('challenges', { action: 'signup' })))
  t.same(await stock.getShortage(stack.db, { low: 4, high: 100 }), { missing: 12, low: true })
  t.same(await stock.getShortage(stack.db, { low: 20, high: 100 }), { missing: 20, low: true })
  t.same(await stock.getShortage(stack.db, { low: 4, high: 8 }), { missing: 8, low: true })
  await stack.stock(6)
  t.same(await stock.getShortage(stack.db, { low: 4, high: 100 }), { missing: 6, low: false })
  t.equal(await stock.removeOld(stack.db, new Date(Date.now() + 60_000)), 6)
})
