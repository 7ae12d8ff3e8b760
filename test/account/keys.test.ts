import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import t from 'tap'
import { z } from 'zod'
import type { Scope } from '#tasks/account/rules/scopes.ts'
import { area } from '../../ingress/http/area.ts'
import { maxUnknownKeys } from '../../ingress/http/limits/unknown-keys.ts'
import { route } from '../../ingress/http/route.ts'
import { hashSecret, makeKey } from '../../lib/tokens.ts'
import * as keys from '../../sql/account/keys.ts'
import * as orgs from '../../sql/account/orgs.ts'
import { openPool, sql } from '../../sql/db.ts'
import { testDatabase } from '../support/database.ts'
import { type Reply, testIngress, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'

/** Tries made-up keys at once from an address, as a proxy tells it; returns the answers. */
const tryKeys = async (send: (key: string, from: string) => Promise<Reply>, count: number, from: string) =>
  await Promise.all(Array.from({ length: count }, () => send(makeKey('bt_live_'), from)))

const Who = z.object({ org: z.string(), key: z.string(), plan: z.string() })

const guarded = (path: string, scope: Scope | Scope[], site = false) =>
  route({
    method: 'GET',
    path,
    summary: 'Who asks',
    scope,
    site,
    status: 200,
    reply: Who,
    async handle({ org, key, plan }) {
      return { org: org.id, key: key.name, plan: plan.name }
    },
  })

const routes = {
  who: {
    one: guarded('/one', 'files:read'),
    both: guarded('/both', ['files:read', 'stream:read']),
    page: guarded('/page', 'files:read', true),
  },
}

const platform = area({ name: 'p', title: 'P', description: 'P.', base: '/v1/p', platform: true, routes })
const product = area({ name: 'q', title: 'Q', description: 'Q.', base: '/q', routes })

t.test('keys', async (t) => {
  const { db, url: databaseUrl } = await testDatabase(t)
  const { ask } = await testIngress(t, db, [platform, product], { only: [] })
  const { org, keys: made } = await testOrg(db, [], {
    keys: {
      server: { prefix: 'bt_live_', scopes: ['files:read'] },
      legacy: { prefix: 'mtz_live_', scopes: ['files:read', 'stream:read'] },
      site: { prefix: 'bt_site_', scopes: ['files:read'], locks: { origins: ['https://shop.example'] } },
    },
  })

  await t.test('come as bearer everywhere, as x-api-key on platform areas only', async (t) => {
    const reply = await ask('GET /v1/p/one', { key: made.server })
    t.match(reply, { status: 200, body: { org: org.id, key: 'server', plan: 'unlimited' } })
    t.equal((await ask('GET /q/one', { key: made.legacy })).status, 200)
    t.equal((await ask('GET /v1/p/one', { headers: { 'x-api-key': made.server } })).status, 200)
    t.equal((await ask('GET /q/one', { headers: { 'x-api-key': made.server } })).status, 401)
  })

  await t.test('that are missing, malformed or unknown are 401', async (t) => {
    for (const authorization of ['', 'Bearer', 'Bearer x', `Basic ${made.server}`, `Bearer ${makeKey('bt_live_')}`]) {
      const reply = await ask('GET /v1/p/one', { headers: { authorization } })
      t.match(reply, { status: 401, body: { error: { code: 'unauthorized' } } }, authorization)
      t.equal(reply.headers.get('www-authenticate'), 'Bearer')
    }
  })

  await t.test('without the scope are 403, and the answer names it', async (t) => {
    const reply = await ask('GET /v1/p/both', { key: made.server })
    t.match(reply, { status: 403, body: { error: { code: 'forbidden', message: /`stream:read`/ } } })
    t.equal((await ask('GET /v1/p/both', { key: made.legacy })).status, 200)
  })

  await t.test('for pages open only what is meant for pages, on their own pages', async (t) => {
    const on = (path: string, origin: string) => ask(`GET ${path}`, { key: made.site, headers: { origin } })
    t.equal((await on('/v1/p/one', 'https://shop.example')).status, 403)
    const reply = await on('/v1/p/page', 'https://shop.example')
    t.equal(reply.status, 200)
    t.equal(reply.headers.get('access-control-allow-origin'), '*')
    t.match(await on('/v1/p/page', 'https://evil.example'), { status: 403, body: { error: { message: /evil/ } } })
    const preflight = await ask('OPTIONS /v1/p/page', { headers: { origin: 'https://shop.example' } })
    t.equal(preflight.status, 204)
    t.match(preflight.headers.get('access-control-allow-headers'), /authorization/)
    t.equal((await ask('OPTIONS /v1/p/one')).headers.get('access-control-allow-origin'), null)
  })

  await t.test('are kept as hashes only', async (t) => {
    const dump = JSON.stringify(await db.any(sql.type(z.looseObject({}))`select * from account.keys`))
    for (const secret of Object.values(made)) {
      t.notOk(dump.includes(secret))
      t.ok(dump.includes(hashSecret(secret)))
    }
  })

  await t.test('that are revoked stop on every process within five seconds', async (t) => {
    const other = await openPool(databaseUrl)
    t.teardown(() => other.end())
    const second = await testIngress(t, other, [platform], { only: [] })
    const { secret, id } = await keys.create(db, {
      orgId: org.id,
      prefix: 'bt_live_',
      name: 'brief',
      scopes: ['files:read'],
    })
    t.equal((await ask('GET /v1/p/one', { key: secret })).status, 200)
    t.equal((await second.ask('GET /v1/p/one', { key: secret })).status, 200)
    t.equal((await keys.revoke(db, org.id, id)).length, 1)
    const start = performance.now()
    for (const ingress of [{ ask }, second]) {
      await until(async () => (await ingress.ask('GET /v1/p/one', { key: secret })).status === 401, { timeout: 5_000 })
    }
    t.ok(performance.now() - start < 5_000)
    t.same(await keys.revoke(db, org.id, id), [])
  })

  await t.test('heed their plan, and are looked up once however many ask', async (t) => {
    let lookups = 0
    const counting = await openPool(databaseUrl)
    t.teardown(() => counting.end())
    const counted = new Proxy(counting, {
      get(pool, name, receiver) {
        if (name === 'connect') lookups++
        return Reflect.get(pool, name, receiver)
      },
    })
    const ingress = await testIngress(t, counted, [platform], { only: [] })
    await Promise.all(Array.from({ length: 20 }, () => ingress.ask('GET /v1/p/one', { key: made.server })))
    t.equal(lookups, 1)
    await orgs.setPlan(db, org.id, 'pro')
    await until(async () => (await ask('GET /v1/p/one', { key: made.server })).body.plan === 'pro')
  })

  await t.test('know when they were last used, and write it at most once a minute', async (t) => {
    const fresh = await testOrg(db, ['files:read'])
    const ingress = await testIngress(t, db, [platform], { only: [] })
    const used = async () => (await keys.list(db, fresh.org.id))[0]?.last_used_at?.getTime()
    t.equal(await used(), undefined)
    await ingress.ask('GET /v1/p/one', { key: fresh.keys.main })
    await ingress.app.close()
    const first = await used()
    t.ok(first && Math.abs(Date.now() - first) < 60_000)
    await pause(2)
    await ingress.ask('GET /v1/p/one', { key: fresh.keys.main })
    await ingress.app.close()
    t.equal(await used(), first)
  })
})

t.test('a network that tries key after key is held before the database; others, and good keys, are not', async (t) => {
  const { db, url } = await testDatabase(t)
  const { ask } = await testIngress(t, db, [platform], { only: [], trustedProxies: ['127.0.0.1'], keyCacheMs: 1 })
  const { keys: made } = await testOrg(db, ['files:read'])
  const send = (key: string, from: string) => ask('GET /v1/p/one', { key, headers: { 'x-forwarded-for': from } })
  const statusesOf = (replies: Reply[]) => new Set(replies.map(({ status }) => status))
  t.equal((await send(made.main, '203.0.113.1')).status, 200)
  const begun = performance.now()
  const tried = await tryKeys(send, maxUnknownKeys + 30, '203.0.113.1')
  const found = tried.filter(({ status }) => status === 401).length
  t.ok(found >= maxUnknownKeys && found <= maxUnknownKeys + (performance.now() - begun) / 1000 + 1, `${found} look-ups`)
  t.equal((await send(made.main, '203.0.113.1')).status, 200, 'a key that was good once')
  t.strictSame(statusesOf(await tryKeys(send, 3, '203.0.113.2')), new Set([401]), 'another network')

  t.strictSame(statusesOf(await tryKeys(send, maxUnknownKeys, '2001:db8:0:1::1')), new Set([401]))
  const holder = new pg.Client({ connectionString: url })
  await holder.connect()
  await holder.query('begin; lock table account.keys')
  // Those of the first are looked up when the lock is gone: the bucket fills again, a second for each.
  const replies = tryKeys(send, 30, '2001:db8:0:1:ffff::2')
  const refused = await send(makeKey('bt_live_'), '2001:db8:0:1::3')
  t.match(refused, { status: 429, body: { error: { code: 'rate_limited' } } }, 'a /64 is one network')
  t.match(refused.headers.get('retry-after'), /^[1-9]\d*$/)
  await holder.end()
  t.ok((await replies).some(({ status }) => status === 429))
})
