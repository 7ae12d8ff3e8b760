import t from 'tap'
import * as limits from '../../sql/account/limits.ts'
import * as plans from '../../sql/account/plans.ts'
import { openPool, sql } from '../../sql/db.ts'
import { testDatabase } from '../support/database.ts'
import { ask, ingressProcess, type Reply, testIngress, testOrg } from '../support/ingress.ts'
import { pruneArea } from '../support/prune.ts'
import { until } from '../support/until.ts'
import { pings } from './pings.ts'

const count = (replies: Reply[], status: number) => replies.filter((r) => r.status === status).length

t.test('limits', async (t) => {
  const { db, url } = await testDatabase(t)
  const other = await openPool(url)
  t.teardown(() => other.end())
  const one = await testIngress(t, db, [pings], { only: [], trustedProxies: ['127.0.0.0/8'] })
  const two = await testIngress(t, other, [pings], { only: [] })
  const base = (await plans.list(db))[0] as plans.Plan
  const plan = (name: string, numbers: Partial<plans.Plan>) =>
    plans.put(db, { ...base, key_burst: 1e9, name, ...numbers })
  await plan('hundred', { key_requests_per_minute: 100, org_requests_per_minute: 1e9 })
  await plan('five', { key_requests_per_minute: 5, org_requests_per_minute: 1e9 })
  await plan('shared', { key_requests_per_minute: 1e9, org_requests_per_minute: 20 })
  await plan('bursty', { key_requests_per_minute: 1e9, org_requests_per_minute: 1e9, key_burst: 10 })

  await t.test('of a key hold over several processes, to the request', async (t) => {
    const { keys } = await testOrg(db, ['files:write'], { plan: 'hundred' })
    const replies = await Promise.all(
      Array.from({ length: 300 }, (_, i) => (i % 2 ? one : two).ask('GET /v1/things/ping', { key: keys.main })),
    )
    t.equal(count(replies, 200), 100)
    t.equal(count(replies, 429), 200)
  })

  await t.test('of a key hold over separate processes', async (t) => {
    const processes = await Promise.all([0, 1].map(() => ingressProcess(t, url, import.meta.resolve('./pings.ts'))))
    const { keys } = await testOrg(db, ['files:write'], { plan: 'hundred' })
    const replies = await Promise.all(
      Array.from({ length: 300 }, (_, i) => ask(processes[i % 2] as string, 'GET /v1/things/ping', { key: keys.main })),
    )
    t.equal(count(replies, 200), 100)
    t.equal(count(replies, 429), 200)
  })

  await t.test('are told in headers, and when to come again', async (t) => {
    const { keys } = await testOrg(db, ['files:write'], { plan: 'five' })
    for (let left = 4; left >= 0; left--) {
      const { status, headers } = await one.ask('GET /v1/things/ping', { key: keys.main })
      t.equal(status, 200)
      t.equal(headers.get('ratelimit-limit'), '5')
      t.equal(headers.get('ratelimit-remaining'), String(left))
    }
    const refused = await one.ask('GET /v1/things/ping', { key: keys.main })
    t.match(refused, { status: 429, body: { error: { code: 'rate_limited', message: /5 requests per minute/ } } })
    const wait = Number(refused.headers.get('retry-after'))
    t.ok(wait > 50 && wait <= 60)
    t.equal(refused.headers.get('ratelimit-remaining'), '0')
    t.equal((await two.ask('GET /v1/things/ping', { key: keys.main })).status, 429)
    t.equal((await one.ask('GET /v1/things/free', { key: keys.main })).status, 200, 'a route may be free of limits')
  })

  await t.test('of a plan hold over all keys of an organisation', async (t) => {
    const { keys } = await testOrg(db, [], {
      plan: 'shared',
      keys: { a: { prefix: 'bt_live_', scopes: ['files:write'] }, b: { prefix: 'bt_live_', scopes: ['files:write'] } },
    })
    const replies = await Promise.all(
      Array.from({ length: 60 }, (_, i) => one.ask('GET /v1/things/ping', { key: i % 2 ? keys.a : keys.b })),
    )
    t.equal(count(replies, 200), 20)
  })

  await t.test('of a burst pass within seconds', async (t) => {
    const { keys } = await testOrg(db, ['files:write'], { plan: 'bursty' })
    const ping = () => one.ask('GET /v1/things/ping', { key: keys.main })
    const replies = await Promise.all(Array.from({ length: 40 }, ping))
    t.ok(count(replies, 200) >= 10)
    t.ok(count(replies, 429) > 0)
    t.equal(replies.find((r) => r.status === 429)?.headers.get('retry-after'), '1')
    await until(async () => (await ping()).status === 200, { timeout: 5_000 })
  })

  await t.test('of a route count by organisation or by client address', async (t) => {
    const { keys } = await testOrg(db, ['files:write'])
    const rare = await Promise.all(Array.from({ length: 6 }, () => one.ask('GET /v1/things/rare', { key: keys.main })))
    t.equal(count(rare, 200), 3)
    t.equal((await one.ask('GET /v1/things/ping', { key: keys.main })).status, 200)
    const from = (address: string) => one.ask('GET /v1/things/open', { headers: { 'x-forwarded-for': address } })
    const open = await Promise.all(['198.51.100.1', '198.51.100.1', '198.51.100.1', '198.51.100.2'].map(from))
    t.equal(count(open, 200), 3)
    const v6 = await Promise.all(['2001:db8::1', '2001:db8::2', '2001:db8:0:0:9::3', '2001:db8:0:1::1'].map(from))
    t.equal(count(v6, 200), 3, 'a /64 is one client')
    const untrusted = await Promise.all(
      ['1', '2', '3', '4'].map((n) =>
        two.ask('GET /v1/things/open', { headers: { 'x-forwarded-for': `203.0.113.${n}` } }),
      ),
    )
    t.equal(count(untrusted, 200), 2, 'a stranger cannot choose its address')
  })

  await t.test('cost a busy key few statements', async (t) => {
    let statements = 0
    const counted = new Proxy(db, {
      get(pool, name, receiver) {
        if (name === 'connect') statements++
        return Reflect.get(pool, name, receiver)
      },
    })
    await plan('busy', { key_requests_per_minute: 6_000, org_requests_per_minute: 1e9 })
    const { keys } = await testOrg(db, ['files:write'], { plan: 'busy' })
    const ingress = await testIngress(t, counted, [pings], { only: [] })
    for (let round = 0; round < 20; round++) {
      await Promise.all(Array.from({ length: 50 }, () => ingress.ask('GET /v1/things/ping', { key: keys.main })))
    }
    t.ok(statements >= 2 && statements <= 12, `${statements} statements for 1,000 requests`)
  })

  await t.test('of many visitors at once take one connection', async (t) => {
    let [statements, atOnce, most] = [0, 0, 0]
    const counted = new Proxy(db, {
      get(pool, name, receiver) {
        if (name !== 'connect') return Reflect.get(pool, name, receiver)
        return async (work: never) => {
          statements++
          most = Math.max(most, ++atOnce)
          return await pool.connect(work).finally(() => atOnce--)
        }
      },
    })
    const ingress = await testIngress(t, counted, [pings], { only: [], trustedProxies: ['127.0.0.0/8'] })
    const from = (i: number) =>
      ingress.ask('GET /v1/things/open', { headers: { 'x-forwarded-for': `2001:db8:${i}::1` } })
    const replies = await Promise.all(Array.from({ length: 200 }, (_, i) => from(i + 1)))
    t.equal(count(replies, 200), 200)
    t.equal(most, 1)
    t.ok(statements < 200, `${statements} statements for 200 visitors`)
  })

  await t.test('of windows that are over are forgotten', async (t) => {
    await limits.lease(db, [{ bucket: 'old', quota: 5, windowMs: 1, tokens: 1 }])
    const isKept = () => db.exists(sql.typeAlias('void')`select from account.limits where bucket = 'old'`)
    await until(async () => {
      await pruneArea(db, 'account')
      return !(await isKept())
    })
    const [lease] = await limits.lease(db, [{ bucket: 'old', quota: 5, windowMs: 60_000, tokens: 9 }])
    t.match(lease, { granted: 1, remaining: 4 })
  })
})
