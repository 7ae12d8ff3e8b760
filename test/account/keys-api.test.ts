import t from 'tap'
import { z } from 'zod'
import * as keyRows from '#sql/account/keys.ts'
import { sql } from '#sql/db.ts'
import * as apps from '#sql/push/apps.ts'
import { grantable } from '#tasks/account/rules/key-input.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { newId } from '../../lib/ids.ts'
import { hashSecret, makeKey } from '../../lib/tokens.ts'
import { testDatabase } from '../support/database.ts'
import { fieldsOf, testIngress, testOrg } from '../support/ingress.ts'

const { db } = await testDatabase(t)
const services = [provide(signingSecret, 'a signing secret of the tests alone')]
const { ask } = await testIngress(t, db, [], { only: ['account', 'files', 'push', 'email'], services })

const mine = ['account:keys', 'account:write', 'account:audit', 'files:read', 'files:write', 'push:send', 'email:send']

/** An organisation whose key may manage keys; `make` makes one more of it by the API. */
async function scene(locks: keyRows.Locks = {}, scopes = mine) {
  const { org, keys } = await testOrg(db, [], { keys: { main: { prefix: 'bt_live_', scopes, locks } } })
  const key = keys.main
  const make = (body: object, by = key) => ask('POST /v1/account/keys', { key: by, body })
  const made = async (body: object, by = key) => {
    const reply = await make(body, by)
    if (reply.status !== 201) throw new Error(reply.text)
    return reply.body as { id: string; secret: string; start: string; secrets: object[] }
  }
  const rows = await keyRows.list(db, org.id)
  return { org, key, id: rows[0]?.id ?? '', make, made }
}

const codeOf = ({ status, body }: Awaited<ReturnType<typeof ask>>) => `${status} ${body?.error?.code ?? ''}`.trim()

t.test(
  'a key is made, used, listed, changed and revoked, and the audit log tells of it without its secret',
  async (t) => {
    const { org, key, id: own, made } = await scene()
    const one = await made({
      name: 'reader',
      scopes: ['files:read', 'account:read'],
      note: 'for the shop',
      mode: 'live',
    })
    t.match(one.secret, /^bt_live_\w{43}$/)
    t.equal(one.start, one.secret.slice(0, 12))
    t.equal((await ask('GET /v1/files/objects', { key: one.secret })).status, 200)
    const listed = await ask('GET /v1/account/keys?limit=1', { key })
    t.match(listed.body.data, [{ id: one.id, name: 'reader', created_by: `key:${own}`, revoked_at: null }])
    t.equal((await ask(`GET /v1/account/keys?cursor=${listed.body.next_cursor}`, { key })).body.data[0].id, own)
    t.notMatch(listed.text, new RegExp(`${hashSecret(one.secret)}|${one.secret}`))
    const path = `/v1/account/keys/${one.id}`
    const body = {
      name: 'reads',
      rate_per_minute: 7,
      expires_at: '2099-01-01T00:00:00Z',
      networks: ['127.0.0.9/8', '::1'],
    }
    const changed = await ask(`PATCH ${path}`, { key, body })
    t.match(changed, { status: 200, body: { name: 'reads', rate_per_minute: 7, networks: ['127.0.0.0/8', '::1/128'] } })
    t.equal((await ask(`GET ${path}`, { key })).body.note, 'for the shop')
    t.match(await ask(`DELETE ${path}`, { key }), { status: 200, body: { id: one.id, revoked: true } })
    t.equal((await ask(`DELETE ${path}`, { key })).status, 200)
    t.equal(codeOf(await ask(`PATCH ${path}`, { key, body })), '409 key_revoked')
    t.equal(codeOf(await ask(`POST ${path}/rotate`, { key, body: {} })), '409 key_revoked')
    t.match((await ask('GET /v1/account/keys?revoked=true', { key })).body.data, [{ id: one.id }])
    const log = await ask('GET /v1/account/audit', { key })
    t.match(
      log.body.data.map(({ action, target, actor }: Record<string, object>) => ({ action, target, actor })),
      ['key.revoked', 'key.changed', 'key.created'].map((action) => ({ action, target: one.id, actor: { id: own } })),
    )
    t.match(log.body.data[0].network, /\/(24|48)$/)
    t.notMatch(log.text, new RegExp(`${hashSecret(one.secret)}|${one.secret}|for the shop`))
    t.match(await ask('GET /v1/account', { key }), {
      body: { id: org.id, plan: 'unlimited', mode: 'live', limits: {} },
    })
    t.match(await ask('PATCH /v1/account', { key, body: { name: ' Acme ' } }), { status: 200, body: { name: 'Acme' } })
    t.match((await ask('GET /v1/account/audit?action=organisation.renamed', { key })).body.data, [
      { after: { name: 'Acme' } },
    ])
  },
)

t.test('nobody gives more than they hold: not when making a key, not by rotation, not by change', async (t) => {
  const { org, key, make } = await scene()
  for (const scopes of [['voice:call'], ['files:read', 'account:members'], [...grantable]]) {
    t.equal(codeOf(await make({ name: 'more', scopes })), '403 scope_not_held', scopes.join())
  }
  t.same(fieldsOf(await make({ name: 'op', scopes: ['operator'] })), ['body.scopes.0'])
  t.same(fieldsOf(await make({ name: '', scopes: [], locks: { app: 'x' }, colour: 1 })).slice(0, 2), [
    'body.colour',
    'body.locks.app',
  ])
  const strong = await keyRows.create(db, { orgId: org.id, prefix: 'bt_live_', name: 'strong', scopes: ['voice:call'] })
  t.equal(codeOf(await ask(`POST /v1/account/keys/${strong.id}/rotate`, { key, body: {} })), '403 scope_not_held')
  const change = { key, body: { expires_at: null } }
  t.equal(codeOf(await ask(`PATCH /v1/account/keys/${strong.id}`, change)), '403 scope_not_held')
  const scopes = { key, body: { scopes: ['voice:call'] } }
  t.equal((await ask(`PATCH /v1/account/keys/${strong.id}`, scopes)).status, 400)
  const operator = await keyRows.create(db, {
    orgId: org.id,
    prefix: 'bt_live_',
    name: 'op',
    scopes: ['operator', ...mine],
  })
  t.equal(codeOf(await ask(`POST /v1/account/keys/${operator.id}/rotate`, { key: operator.secret })), '400 bad_request')
  t.equal(
    codeOf(await ask(`POST /v1/account/keys/${operator.id}/rotate`, { key: operator.secret, body: {} })),
    '403 scope_not_held',
  )
  t.equal(codeOf(await make({ name: 'x', scopes: ['files:read'] }, strong.secret)), '403 forbidden')
})

t.test(
  'who is locked makes keys with the same locks or narrower ones, and rotates and revokes no others',
  async (t) => {
    const { org, key, made, make } = await scene({ tenant_id: 'acme', from_domains: ['a.example', 'b.example'] })
    const taken = await made({ name: 'taken over', scopes: ['files:read'] })
    const locks = { tenant_id: 'acme', from_domains: ['a.example', 'b.example'] }
    t.match(taken, { locks })
    t.match(await made({ name: 'narrower', scopes: ['email:send'], locks: { from_domains: ['A.example'] } }), {
      locks: { tenant_id: 'acme', from_domains: ['a.example'] },
    })
    for (const wider of [{ tenant_id: 'other' }, { from_domains: ['a.example', 'c.example'] }]) {
      t.equal(
        codeOf(await make({ name: 'wider', scopes: ['files:read', 'email:send'], locks: wider })),
        '403 forbidden',
      )
    }
    const open = await keyRows.create(db, { orgId: org.id, prefix: 'bt_live_', name: 'open', scopes: ['files:read'] })
    for (const [method, rest] of [
      ['POST', '/rotate'],
      ['PATCH', ''],
      ['DELETE', ''],
    ] as const) {
      const body = method === 'PATCH' ? { name: 'x' } : method === 'POST' ? {} : undefined
      t.equal(
        codeOf(await ask(`${method} /v1/account/keys/${open.id}${rest}`, { key, body })),
        '403 forbidden',
        String(method),
      )
    }
    t.equal(codeOf(await ask('PATCH /v1/account', { key, body: { name: 'X' } })), '403 forbidden')
  },
)

t.test('networks, rate, end and test mode of the maker bind its keys, too, also when they are changed', async (t) => {
  const { org } = await scene()
  const expires_at = new Date(Date.now() + 3_600_000)
  const facts = { networks: ['127.0.0.0/8', '::1/128'], rate_per_minute: 50, expires_at, mode: 'test' as const }
  const maker = await keyRows.create(db, { orgId: org.id, prefix: 'bt_test_', name: 'maker', scopes: mine, ...facts })
  const asked = (body: object) =>
    ask('POST /v1/account/keys', { key: maker.secret, body: { name: 'child', scopes: ['files:read'], ...body } })
  const later = { expires_at: '2099-01-01T00:00:00Z' }
  const wider = [later, { mode: 'live' }, { networks: ['0.0.0.0/0'] }, { rate_per_minute: 51 }]
  for (const body of wider) t.equal(codeOf(await asked(body)), '403 forbidden', JSON.stringify(body))
  const child = await asked({})
  t.match(child.body, { ...facts, expires_at: expires_at.toISOString(), secret: /^bt_test_/ })
  for (const body of [later, { expires_at: null }, { networks: null }, { rate_per_minute: null }]) {
    const reply = await ask(`PATCH /v1/account/keys/${child.body.id}`, { key: maker.secret, body })
    t.equal(codeOf(reply), '403 forbidden', JSON.stringify(body))
  }
  const { secret } = await keyRows.create(db, { orgId: org.id, prefix: 'bt_live_', name: 'all', scopes: mine })
  const free = await ask('POST /v1/account/keys', { key: secret, body: { name: 'free', scopes: ['files:read'] } })
  t.equal(
    codeOf(await ask(`POST /v1/account/keys/${free.body.id}/rotate`, { key: maker.secret, body: {} })),
    '403 forbidden',
  )
})

t.test('keys of another organisation are not there', async (t) => {
  const { key } = await scene()
  const other = await scene()
  const id = other.id
  for (const [method, rest, body] of [
    ['GET', ''],
    ['PATCH', '', { name: 'x' }],
    ['DELETE', ''],
    ['POST', '/rotate', {}],
    ['POST', '/check', { operation: 'files.objects.list' }],
  ] as const) {
    t.equal(codeOf(await ask(`${method} /v1/account/keys/${id}${rest}`, { key, body })), '404 not_found', method + rest)
  }
  t.notMatch((await ask('GET /v1/account/keys', { key })).text, id)
  t.equal((await ask('GET /v1/account', { key: other.key })).status, 200)
})

t.test('locks that restrict nothing, and those to what the organisation does not have, are refused', async (t) => {
  const { org, make, made } = await scene()
  const app = await apps.insert(db, { id: newId(), org_id: org.id, name: 'App' })
  const idle = await make({
    name: 'idle',
    scopes: ['files:read'],
    locks: { app_id: app.id, from_domains: ['a.example'] },
  })
  t.equal(codeOf(idle), '400 lock_without_scope')
  t.same(fieldsOf(idle), ['body.locks.app_id', 'body.locks.from_domains'])
  const locks = { app_id: '0190a000-0000-7000-8000-000000000000' }
  t.same(fieldsOf(await make({ name: 's', scopes: ['push:send'], locks })), ['body.locks.app_id'])
  const bad = { from_domains: ['no domain'], origins: ['https://a.example/path', 'https://*'], tenant_id: '' }
  t.same(fieldsOf(await make({ name: 's', scopes: ['push:send'], locks: bad, networks: ['10.0.0.0/33', 'x'] })), [
    ...[
      'body.locks.from_domains.0',
      'body.locks.origins.0',
      'body.locks.origins.1',
      'body.locks.tenant_id',
      'body.networks.0',
      'body.networks.1',
    ],
  ])
  t.match(await made({ name: 'app', scopes: ['push:send'], locks: { app_id: app.id } }), { locks: { app_id: app.id } })
  const page = { name: 'page', scopes: ['push:send'], public: true, mode: 'test' }
  t.same(fieldsOf(await make(page)), ['body.mode', 'body.scopes'])
})

t.test('a name repeated within a minute is a 409, as is the key after the hundredth; at once, too', async (t) => {
  const { org, make } = await scene()
  const body = { name: 'twice', scopes: ['files:read'] }
  const both = await Promise.all([make(body), make(body)])
  t.same(both.map(codeOf).sort(), ['201', '409 conflict'])
  await db.query(sql.unsafe`
    insert into account.keys (id, org_id, hash, prefix, name, scopes, revoked_at)
    select gen_random_uuid(), ${org.id}, gen_random_uuid()::text, 'bt_live_', 'k' || n, '{}', case when n > 97 then now() end
    from generate_series(1, 120) as n`)
  const last = await Promise.all(['a', 'b', 'c'].map((name) => make({ ...body, name })))
  t.same(last.map(codeOf).sort(), ['201', '409 key_limit', '409 key_limit'])
})

t.test(
  'while a key is rotated both secrets are good, and no other rotation begins but one that ends them',
  async (t) => {
    const { key, made } = await scene()
    const one = await made({ name: 'r', scopes: ['files:read', 'account:keys'] })
    const use = async (secret: string) => (await ask('GET /v1/files/objects', { key: secret })).status
    const rotate = (body: object) => ask(`POST /v1/account/keys/${one.id}/rotate`, { key, body })
    const two = await rotate({ keep_hours: 2 })
    t.match(two, { status: 200, body: { id: one.id, secrets: [{ expires_at: null }, { expires_at: /Z$/ }] } })
    t.same([await use(one.secret), await use(two.body.secret)], [200, 200])
    t.equal(codeOf(await rotate({ keep_hours: 1 })), '409 rotation_running')
    t.equal(codeOf(await rotate({ keep_hours: 0, from: 'first_use' })), '409 rotation_running')
    t.same(fieldsOf(await rotate({ keep_hours: 169, from: 'later' })), ['body.from', 'body.keep_hours'])
    // Whoever has only the secret that ends makes none that outlives it.
    t.equal(
      codeOf(await ask(`POST /v1/account/keys/${one.id}/rotate`, { key: one.secret, body: { keep_hours: 0 } })),
      '403 forbidden',
    )
    const three = await rotate({ keep_hours: 0 })
    t.equal(three.body.secrets.length, 1)
    const fresh = await testIngress(t, db, [], { only: ['files'] })
    for (const secret of [one.secret, two.body.secret]) {
      t.equal(codeOf(await fresh.ask('GET /v1/files/objects', { key: secret })), '401 key_expired')
    }
    t.equal((await fresh.ask('GET /v1/files/objects', { key: three.body.secret })).status, 200)
    t.same((await keyRows.findAny(db, one.id))?.id, one.id)
  },
)

t.test('from the first use: the secret before is good until the new one is used, and some hours', async (t) => {
  const { key, made } = await scene()
  const one = await made({ name: 'f', scopes: ['files:read'] })
  const path = `/v1/account/keys/${one.id}`
  const two = await ask(`POST ${path}/rotate`, { key, body: { keep_hours: 0, from: 'first_use' } })
  t.match(two.body.secrets, [{ first_used_at: null, expires_at: null }, { expires_at: null }])
  t.equal((await ask('GET /v1/files/objects', { key: one.secret })).status, 200)
  t.equal((await ask(`GET ${path}`, { key })).body.secrets.length, 2)
  t.equal((await ask('GET /v1/files/objects', { key: two.body.secret })).status, 200)
  t.match((await ask(`GET ${path}`, { key })).body.secrets, [{ first_used_at: /Z$/, expires_at: null }])
  const fresh = await testIngress(t, db, [], { only: ['files'] })
  t.equal(codeOf(await fresh.ask('GET /v1/files/objects', { key: one.secret })), '401 key_expired')
})

t.test('a key that ends while it is remembered is refused, and told so', async (t) => {
  const { org } = await scene()
  const remembering = await testIngress(t, db, [], { only: ['files'], keyCacheMs: 3_600_000 })
  const expires_at = new Date(Date.now() + 600_000)
  const wanted = { orgId: org.id, prefix: 'bt_live_' as const, name: 'brief', scopes: ['files:read'], expires_at }
  const { secret } = await keyRows.create(db, wanted)
  const use = () => remembering.ask('GET /v1/files/objects', { key: secret })
  t.equal((await use()).status, 200)
  t.equal((await use()).status, 200)
  const { now } = Date
  t.intercept(Date, 'now', { value: () => now() + 600_000 })
  t.match(await use(), { status: 401, body: { error: { code: 'key_expired', message: /expired at/ } } })
})

t.test('networks and the key’s own rate are kept', async (t) => {
  const { made } = await scene()
  const far = await made({ name: 'far', scopes: ['files:read'], networks: ['203.0.113.0/24', '2001:db8::/32'] })
  const refused = await ask('GET /v1/files/objects', { key: far.secret })
  t.match(refused, { status: 403, body: { error: { code: 'forbidden', message: /cannot be used from/ } } })
  const proxied = await testIngress(t, db, [], { only: ['files'], trustedProxies: ['127.0.0.1', '::1'] })
  const from = async (ip: string) =>
    (await proxied.ask('GET /v1/files/objects', { key: far.secret, headers: { 'x-forwarded-for': ip } })).status
  const seen = [
    await from('203.0.113.200'),
    await from('2001:db8::7'),
    await from('203.0.114.1'),
    await from('2001:db9::7'),
  ]
  t.same(seen, [200, 200, 403, 403])
  const slow = await made({ name: 'slow', scopes: ['files:read'], rate_per_minute: 3 })
  const replies = await Promise.all(Array.from({ length: 5 }, () => ask('GET /v1/files/objects', { key: slow.secret })))
  t.same(replies.map(({ status }) => status).sort(), [200, 200, 200, 429, 429])
  const limited = replies.find(({ status }) => status === 429)
  t.match(limited?.body.error, { code: 'rate_limited', details: { limit: 'rate_per_minute', max: 3 } })
})

t.test('a process of the release before makes, revokes and touches keys as it did', async (t) => {
  const { org, key } = await scene()
  const secret = makeKey('snd_test_')
  const id = '0190a000-0000-7000-8000-00000000abcd'
  await db.query(sql.unsafe`
    insert into account.keys (id, org_id, hash, prefix, name, scopes, locks)
    values (${id}, ${org.id}, ${hashSecret(secret)}, 'snd_test_', 'old', ${sql.array(['email:send'], 'text')}, '{}')`)
  t.match(await ask(`GET /v1/account/keys/${id}`, { key }), {
    body: { mode: 'test', start: 'snd_test_', secrets: [{ id, expires_at: null }] },
  })
  t.equal((await ask('GET /send/v1/messages', { key: secret })).status, 200)
  const { hash } = await db.one(
    sql.type(z.object({ hash: z.string() }))`select hash from account.keys where id = ${id}`,
  )
  t.equal(hash, hashSecret(secret))
  const made = await ask('POST /v1/account/keys', { key, body: { name: 'n', scopes: ['files:read'] } })
  const known = sql.type(z.object({ id: z.string() }))`
    select id from account.keys where hash = ${hashSecret(made.body.secret)} and revoked_at is null`
  t.equal((await db.one(known)).id, made.body.id)
  await db.query(sql.unsafe`update account.keys set revoked_at = now() where id = ${id}`)
  t.equal(await keyRows.findCaller(db, hashSecret(secret)), null)
})

t.test('a key that has ended stays so, so that there are never more than may be', async (t) => {
  const { org, key, made } = await scene()
  const one = await made({ name: 'ended', scopes: ['files:read'] })
  await db.query(sql.unsafe`update account.keys set expires_at = now() - interval '1 second' where id = ${one.id}`)
  const path = `/v1/account/keys/${one.id}`
  for (const expires_at of [null, '2099-01-01T00:00:00Z']) {
    t.same(fieldsOf(await ask(`PATCH ${path}`, { key, body: { expires_at } })), ['body.expires_at'])
  }
  t.equal((await ask(`PATCH ${path}`, { key, body: { note: 'was for the shop' } })).status, 200)
  t.equal((await keyRows.countRoom(db, org.id, 'x')).live, 1)
})
