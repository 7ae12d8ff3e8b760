import t from 'tap'
import * as closures from '#sql/account/closures.ts'
import * as keys from '#sql/account/keys.ts'
import { sql } from '#sql/db.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { get, type SignedIn, signedIn, submit, toldOf } from '../app/fixture.ts'
import { testDatabase } from '../support/database.ts'
import { ask, fieldsOf, testIngress, testOrg } from '../support/ingress.ts'

const { db } = await testDatabase(t)
const services = [provide(signingSecret, 's'.repeat(40))]
const { url } = await testIngress(t, db, [], {
  only: ['app', 'account'],
  services,
  trustedProxies: ['127.0.0.1', '::1'],
})

async function scene() {
  const { org } = await testOrg(db, [])
  const owner = await signedIn(db, url, org.id, 'owner')
  return { orgId: org.id, owner }
}

const asked = { client_name: 'CLI on laptop', scopes: ['email:send', 'account:read'] }

let addresses = 0

/** Starts a login. Each test has its own address, because starts are limited per address. */
async function start(body: object = asked) {
  const headers = { 'x-forwarded-for': `192.0.2.${++addresses}` }
  const { body: login, status } = await ask(url, 'POST /v1/account/devices', { body, headers })
  t.equal(status, 201, 'the login starts')
  return login as Record<'device_code' | 'user_code' | 'verification_uri' | 'verification_uri_complete', string> & {
    interval: number
    expires_in: number
  }
}

const collect = (device_code: string) => ask(url, 'POST /v1/account/devices/token', { body: { device_code } })

/** Lets the time between two requests pass. */
const passInterval = () =>
  db.query(sql.typeAlias('void')`update account.device_logins set polled_at = now() - interval '2 minutes'`)

const countCollected = async (orgId: string) =>
  (await keys.list(db, orgId)).filter(({ client_name }) => client_name !== null).length

const decide = (member: SignedIn, code: string, fields: Record<string, string | string[]> = {}) =>
  submit(url, '/app/device', member, {
    ...{ code, decision: 'approve', name: 'laptop', expires_days: '90', scopes: asked.scopes },
    ...fields,
  })

t.test('a member approves a request, and the program collects its key once', async (t) => {
  const { orgId, owner } = await scene()
  const login = await start()
  t.match(login, { user_code: /^[B-Z]{4}-[B-Z]{4}$/, interval: 5, expires_in: 600 })
  t.equal(login.verification_uri, `${url}/app/device`)
  t.match(await collect(login.device_code), { status: 400, body: { error: { code: 'authorization_pending' } } })
  t.match(await collect(login.device_code), { status: 400, body: { error: { code: 'slow_down' } } })
  const page = await get(
    url,
    new URL(login.verification_uri_complete).pathname + new URL(login.verification_uri_complete).search,
    owner,
  )
  t.equal(page.status, 200)
  for (const text of [
    'CLI on laptop',
    'name not verified',
    login.user_code,
    'Approve only a request that you started',
    '192.0.2.0/24',
  ])
    t.match(page.text, text)
  t.match(page.text, /value="email:send" checked/)
  const approved = await decide(owner, login.user_code.toLowerCase().replace('-', ' '), { scopes: 'email:send' })
  t.equal(approved.status, 200, approved.text)
  await passInterval()
  const collected = await collect(login.device_code)
  t.match(collected, { status: 200, body: { secret: /^bt_test_/, organisation: { id: orgId } } })
  t.match(collected.body.key, {
    name: 'laptop',
    scopes: ['email:send'],
    mode: 'test',
    client_name: 'CLI on laptop',
    made_by_key: null,
  })
  t.equal(collected.body.key.created_by, `user:${owner.userId}`)
  t.ok(Date.parse(collected.body.key.expires_at) > Date.now() + 80 * 86_400_000)
  const who = await ask(url, 'GET /v1/account/whoami', { key: collected.body.secret })
  t.match(who.body, {
    key: { id: collected.body.key.id, scopes: ['email:send'], mode: 'test' },
    organisation: { id: orgId },
  })
  await passInterval()
  t.match(await collect(login.device_code), { status: 400, body: { error: { code: 'expired_token' } } })
  t.same(
    (await toldOf(db, orgId, owner, /^(device_login|key)\./)).map(({ action }) => action),
    ['key.created', 'device_login.approved'],
  )
  t.match((await get(url, `/app/keys/${collected.body.key.id}`, owner)).text, /Requested by.*CLI on laptop/s)
  t.match((await get(url, '/app/keys', owner)).text, 'by device login')
  const stored = await db.any(sql.unsafe`select to_json(d) as row from account.device_logins as d`)
  t.notMatch(JSON.stringify(stored), login.device_code)
  t.notMatch(JSON.stringify(stored), login.user_code)
})

t.test('two requests for the key at the same time create one key', async (t) => {
  const { orgId, owner } = await scene()
  const login = await start()
  await decide(owner, login.user_code)
  const both = await Promise.all([collect(login.device_code), collect(login.device_code)])
  t.same(both.map(({ status }) => status).sort(), [200, 400])
  t.equal(await countCollected(orgId), 1)
})

t.test('a denied request gets no key', async (t) => {
  const { orgId, owner } = await scene()
  const login = await start()
  t.match((await decide(owner, login.user_code, { decision: 'deny' })).text, 'Request denied')
  t.match(await collect(login.device_code), { status: 400, body: { error: { code: 'access_denied' } } })
  t.equal((await decide(owner, login.user_code)).status, 404)
  t.match(await toldOf(db, orgId, owner, /^device_login/), [{ action: 'device_login.denied' }])
})

t.test('unknown and expired codes', async (t) => {
  const { owner } = await scene()
  t.match(await collect('unknown'), { status: 400, body: { error: { code: 'expired_token' } } })
  const login = await start()
  await db.query(sql.typeAlias('void')`update account.device_logins set expires_at = now() - interval '1 second'`)
  t.match(await collect(login.device_code), { status: 400, body: { error: { code: 'expired_token' } } })
  t.match(await get(url, `/app/device?code=${login.user_code}`, owner), {
    status: 404,
    text: /incorrect or has expired/,
  })
  const late = await start()
  await decide(owner, late.user_code)
  await db.query(sql.typeAlias('void')`update account.device_logins set expires_at = now() - interval '1 second'`)
  t.match(await collect(late.device_code), { status: 400, body: { error: { code: 'expired_token' } } })
})

t.test('scopes that the role does not have are not granted', async (t) => {
  const { orgId } = await scene()
  const developer = await signedIn(db, url, orgId, 'developer')
  const login = await start({ client_name: 'CLI', scopes: ['email:send', 'account:keys'] })
  const page = await get(url, `/app/device?code=${login.user_code}`, developer)
  t.match(page.text, /Your role cannot grant.*account:keys/s)
  t.notMatch(page.text, 'value="account:keys"')
  const more = await decide(developer, login.user_code, { scopes: ['email:send', 'account:keys'] })
  t.match(more, { status: 403, text: /cannot grant/ })
  const none = await decide(developer, login.user_code, { scopes: [] })
  t.match(none, { status: 400, text: /id="scopes-fault"/ })
  const viewer = await signedIn(db, url, orgId, 'viewer')
  t.equal((await get(url, `/app/device?code=${login.user_code}`, viewer)).status, 403)
  t.equal((await decide(viewer, login.user_code)).status, 403)
})

t.test('a member who has lost the role between approval and collection grants nothing', async (t) => {
  const { orgId } = await scene()
  const developer = await signedIn(db, url, orgId, 'developer')
  const login = await start({ ...asked, scopes: ['email:send'] })
  t.equal((await decide(developer, login.user_code, { scopes: 'email:send' })).status, 200)
  await db.query(sql.typeAlias('void')`
    update account.members set role = 'viewer' where org_id = ${orgId} and user_id = ${developer.userId}`)
  t.match(await collect(login.device_code), { status: 400, body: { error: { code: 'access_denied' } } })
  t.equal(await countCollected(orgId), 0)
})

t.test('a closed organisation gets no key', async (t) => {
  const { orgId, owner } = await scene()
  const login = await start()
  await decide(owner, login.user_code)
  await db.transaction((tx) => closures.request(tx, { orgId, kind: 'operator', name: 'test', days: 1 }))
  t.match(await collect(login.device_code), { status: 403, body: { error: { code: 'organisation_closed' } } })
  t.equal(await countCollected(orgId), 0)
})

t.test('an approval needs a recent confirmation of the identity, a denial does not', async (t) => {
  const { orgId } = await scene()
  const member = await signedIn(db, url, orgId, 'developer', { steppedUp: false })
  const login = await start({ ...asked, scopes: ['email:send'] })
  const page = await decide(member, login.user_code, { scopes: 'email:send' })
  t.match(page, { status: 403, text: /Confirm/ })
  t.equal((await decide(member, login.user_code, { decision: 'deny' })).status, 200)
})

t.test('codes cannot be guessed', async (t) => {
  const { owner } = await scene()
  const tries = []
  for (let n = 0; n < 17; n++)
    tries.push((await get(url, `/app/device?code=BBBB-BBB${'BCDFGHJKLMNPQRSTVWXZ'[n]}`, owner)).status)
  t.same(
    tries.slice(0, 15),
    Array.from({ length: 15 }, () => 404),
  )
  t.ok(tries.slice(15).every((status) => status === 429))
})

t.test('invalid requests name each field', async (t) => {
  const wrong = await ask(url, 'POST /v1/account/devices', {
    body: { client_name: 'a\u202eb', scopes: ['operator'], mode: 'prod' },
  })
  t.equal(wrong.status, 400)
  t.same(fieldsOf(wrong), ['body.client_name', 'body.mode', 'body.scopes.0'])
  t.equal((await ask(url, 'POST /v1/account/devices/token', { body: {} })).status, 400)
})

t.test('a live request is shown and granted as live', async (t) => {
  const { owner } = await scene()
  const login = await start({ client_name: '<b>CLI</b>', mode: 'live' })
  const page = await get(url, `/app/device?code=${login.user_code}`, owner)
  t.match(page.text, 'live: messages are delivered')
  t.match(page.text, '&lt;b&gt;CLI')
  await decide(owner, login.user_code, { expires_days: '' })
  t.match((await collect(login.device_code)).body, { secret: /^bt_live_/, key: { mode: 'live', expires_at: null } })
})
