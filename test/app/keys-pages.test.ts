import t from 'tap'
import * as secrets from '#sql/account/keys/secrets.ts'
import * as keys from '#sql/account/keys.ts'
import { testDatabase } from '../support/database.ts'
import { ask, testIngress, testOrg } from '../support/ingress.ts'
import { get, signedIn, submit } from './fixture.ts'

const { db } = await testDatabase(t)
const { url } = await testIngress(t, db, [], { only: ['app', 'account', 'email'] })

async function scene() {
  const { org } = await testOrg(db, [])
  const owner = await signedIn(db, url, org.id, 'owner')
  const developer = await signedIn(db, url, org.id, 'developer')
  const viewer = await signedIn(db, url, org.id, 'viewer')
  return { org, owner, developer, viewer }
}

const secretIn = ({ text }: { text: string }): string => /data-copy="(bt_[^"]+)"/.exec(text)?.[1] ?? ''

const makeKey = async (member: { cookie: string }, fields: Record<string, string | string[]>) => {
  const made = await submit(url, '/app/keys/new', member, { mode: 'test', scopes: 'email:send', ...fields })
  return { made, secret: secretIn(made), id: /\/app\/keys\/([0-9a-f-]{36})"/.exec(made.text)?.[1] ?? '' }
}

t.test('a key is made, its secret shown once, and works', async (t) => {
  const { owner, viewer } = await scene()
  const { made, secret, id } = await makeKey(owner, {
    name: 'shop',
    mode: 'live',
    scopes: ['account:read', 'email:send'],
    from_domains: 'shop.example',
    networks: '127.0.0.1',
  })
  t.equal(made.status, 200)
  t.match(secret, /^bt_live_/)
  t.match(made.text, `Bearer ${secret}`, 'the configuration of an MCP client has the key')
  t.equal((await ask(url, 'GET /v1/account', { key: secret })).status, 200)
  for (const path of ['/app/keys', `/app/keys/${id}`, `/app/keys/${id}/ask`]) {
    const page = await get(url, path, viewer)
    t.equal(page.status, 200, path)
    t.match(page.text, 'shop')
    t.notMatch(page.text, secret)
  }
  const { text } = await get(url, `/app/keys/${id}`, viewer)
  t.match(text, /Lock: from_domains.*shop\.example/s)
  t.match(text, 'Bearer YOUR_API_KEY')
})

t.test('scopes that a role does not hold are neither offered nor given', async (t) => {
  const { developer } = await scene()
  const form = await get(url, '/app/keys/new', developer)
  t.match(form.text, 'value="email:send"')
  t.notMatch(form.text, 'value="account:keys"')
  const { made } = await makeKey(developer, { name: 'more', scopes: ['account:keys'] })
  t.equal(made.status, 403)
  t.match(made.text, 'cannot grant it')
})

t.test('faults stand at their fields, and what was given stays', async (t) => {
  const { developer } = await scene()
  const { made } = await makeKey(developer, {
    name: 'kept',
    scopes: [],
    networks: 'nowhere',
    rate_per_minute: 'many',
    expires_at: '2001-01-01T10:00',
    app_id: 'none',
  })
  t.equal(made.status, 400)
  t.match(made.text, 'value="kept"')
  for (const field of ['scopes', 'networks', 'rate_per_minute', 'expires_at', 'app_id']) {
    t.match(made.text, `id="${field}-fault"`, field)
  }
  const idle = await makeKey(developer, { name: 'idle', scopes: 'geo:read', from_domains: 'shop.example' })
  t.match(idle.made.text, /id="from_domains-fault">requires one of the scopes/)
})

t.test('no key, no secret and no webhook is made without a confirmation, of test mode neither', async (t) => {
  const { org, developer } = await scene()
  const owner = await signedIn(db, url, org.id, 'owner', { steppedUp: false })
  const unsure = await signedIn(db, url, org.id, 'developer', { steppedUp: false })
  const { id } = await makeKey(developer, { name: 'there' })
  const hook = { url: 'http://127.0.0.1:9/hooks', name: 'shop', mode: 'test', types: 'email.*' }
  const before = (await keys.list(db, org.id)).length
  for (const [path, fields] of [
    ['/app/keys/new', { name: 'live', mode: 'live', scopes: 'email:send' }],
    ['/app/keys/new', { name: 'test', mode: 'test', scopes: 'email:send' }],
    [`/app/keys/${id}/rotate`, { keep_hours: '0', from: 'now' }],
    ['/app/webhooks/new', hook],
  ] as const) {
    t.equal((await get(url, path, unsure)).status, 200, 'the form is shown')
    const asked = await submit(url, path, unsure, fields)
    t.equal(asked.status, 403, path)
    t.match(asked.text, 'Confirm your identity', path)
    for (const value of Object.values(fields)) t.match(asked.text, `value="${value}"`, 'the form is kept')
  }
  t.equal((await keys.list(db, org.id)).length, before)
  t.equal((await secrets.listActive(db, [id])).length, 1)
  const budget = '/app/usage/email.messages/budget'
  const wish = { period: 'month', soft: '5', hard: '', alert_at: '80' }
  t.match(await submit(url, budget, owner, { ...wish, hard: '9' }), { status: 403, text: 'Confirm your identity' })
  t.equal((await submit(url, budget, owner, wish)).status, 303, 'a soft limit refuses nothing')
})

t.test('a rotation with overlap: both secrets are good, the one before for a while', async (t) => {
  const { developer } = await scene()
  const { id, secret: before } = await makeKey(developer, { name: 'turned', scopes: 'email:manage' })
  const wrong = await submit(url, `/app/keys/${id}/rotate`, developer, { keep_hours: '1000', from: 'now' })
  t.equal(wrong.status, 400)
  t.match(wrong.text, 'id="keep_hours-fault"')
  const rotated = await submit(url, `/app/keys/${id}/rotate`, developer, { keep_hours: '2', from: 'now' })
  const after = secretIn(rotated)
  t.match(after, /^bt_test_/)
  t.not(after, before)
  for (const key of [before, after]) t.equal((await ask(url, 'GET /send/v1/domains', { key })).status, 200)
  const good = await secrets.listActive(db, [id])
  const ends = good.find(({ start }) => before.startsWith(start))?.expires_at?.getTime() ?? 0
  t.ok(Math.abs(ends - Date.now() - 2 * 3_600_000) < 60_000, 'the one before ends in two hours')
  const again = await submit(url, `/app/keys/${id}/rotate`, developer, { keep_hours: '2', from: 'now' })
  t.equal(again.status, 409)
  t.notMatch((await get(url, `/app/keys/${id}`, developer)).text, after)
})

t.test('a key is changed, asked and revoked', async (t) => {
  const { org, developer, viewer } = await scene()
  const { id, secret } = await makeKey(developer, { name: 'first', rate_per_minute: '50' })
  const changed = await submit(url, `/app/keys/${id}/change`, developer, { name: 'second', rate_per_minute: '' })
  t.equal(changed.headers.get('location'), `/app/keys/${id}`)
  t.match(await keys.find(db, org.id, id), { name: 'second', rate_per_minute: null })
  const refused = await get(url, `/app/keys/${id}/ask?operation=email.domains.create`, viewer)
  t.match(refused.text, /Rejected.*The API key does not have the/s)
  t.match((await get(url, `/app/keys/${id}/ask?operation=email.messages.create`, viewer)).text, 'Allowed')
  t.match((await get(url, `/app/keys/${id}/ask?operation=odd&network=x`, viewer)).text, 'id="network-fault"')
  t.match((await get(url, `/app/keys/${id}/revoke`, developer)).text, 'Revoke second?')
  t.equal((await submit(url, `/app/keys/${id}/revoke`, developer, {})).status, 303)
  t.ok((await keys.find(db, org.id, id))?.revoked_at)
  t.match((await get(url, '/app/keys?revoked=true', viewer)).text, 'second')
  t.equal((await submit(url, `/app/keys/${id}/change`, developer, { name: 'third' })).status, 404)
  t.ok(secret)
})

t.test('walls: roles, other organisations, foreign forms', async (t) => {
  const { developer, viewer } = await scene()
  const { id } = await makeKey(developer, { name: 'walled' })
  const stranger = (await scene()).owner
  t.equal((await get(url, '/app/keys/new', viewer)).status, 403)
  t.equal((await makeKey(viewer, { name: 'no' })).made.status, 403)
  const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  for (const [name, fields] of [
    ['change', { name: 'x' }],
    ['rotate', { keep_hours: '0', from: 'now' }],
    ['revoke', {}],
  ] as const) {
    t.equal((await submit(url, `/app/keys/${id}/${name}`, viewer, fields)).status, 403, name)
    t.equal((await submit(url, `/app/keys/${id}/${name}`, stranger, fields)).status, 404, name)
    t.equal((await submit(url, `/app/keys/${id}/${name}`, developer, fields, foreign)).status, 403, name)
    t.equal((await get(url, `/app/keys/${id}/${name}`, stranger)).status, 404, name)
  }
  t.equal((await get(url, `/app/keys/${id}`, stranger)).status, 404)
  t.equal((await get(url, `/app/keys/${id}/ask`, stranger)).status, 404)
})
