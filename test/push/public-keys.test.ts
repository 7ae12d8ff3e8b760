import t from 'tap'
import { newId } from '#lib/ids.ts'
import * as keys from '#sql/account/keys.ts'
import { until } from '../support/until.ts'
import { browserKit } from './browser-kit.ts'
import { pushStack, subscription } from './stack.ts'

t.setTimeout(240_000)
const stack = await pushStack(t, ['account'])
const kit = await browserKit(stack)
const { app } = kit
const { ask } = stack
const path = `/push/v1/apps/${app}/public-keys`
const origin = 'https://shop.example'

const make = async (name: string, origins = [origin]) => {
  const { status, body } = await ask(`POST ${path}`, { body: { name, origins } })
  t.equal(status, 201)
  return body as { id: string; key: string; origins: string[] }
}
const tries = async (key: string, from = origin) =>
  (await kit.register({ subscription: subscription() }, { key, origin: from })).status
const comesTo = (status: number, key: string, from = origin) =>
  until(async () => (await tries(key, from)) === status, { every: 500, what: String(status) })

t.test('a public key is shown once, registers browsers on its origins alone, and does nothing else', async (t) => {
  const made = await make('one')
  t.match(made, { key: /^bt_site_/, origins: [origin], scopes: ['push:receipt', 'push:subscribe'] })
  const listed = await ask(`GET ${path}`)
  t.match(listed.body.data[0], { id: made.id, name: 'one', origins: [origin], start: made.key.slice(0, 12) })
  t.notOk(listed.text.includes(made.key))
  t.equal(await tries(made.key), 200)
  t.equal(await tries(made.key, 'https://evil.example'), 403)
  t.equal((await ask(`GET ${path}`, { key: made.key })).status, 403)
  t.equal((await ask(`POST ${path}`, { body: { name: 'one', origins: [origin] } })).status, 409, 'a repeat')
})

t.test('its origins are changed, in force within seconds', async (t) => {
  const made = await make('two')
  const other = 'https://www.shop.example'
  t.equal(await tries(made.key, other), 403)
  const changed = await ask(`PATCH ${path}/${made.id}`, { body: { origins: [other, other] } })
  t.match(changed, { status: 200, body: { origins: [other] } })
  await comesTo(200, made.key, other)
  t.equal(await tries(made.key), 403)
})

t.test('it is rotated: the one before goes on for a while, or ends; revoked, it ends for good', async (t) => {
  const made = await make('three')
  const { body: next } = await ask(`POST ${path}/${made.id}/rotate`, { body: {} })
  t.not(next.key, made.key)
  t.same([await tries(made.key), await tries(next.key)], [200, 200])
  t.match(await ask(`POST ${path}/${made.id}/rotate`, { body: {} }), { status: 409 })
  const { body: last } = await ask(`POST ${path}/${made.id}/rotate`, { body: { keep_hours: 0 } })
  await comesTo(401, made.key)
  t.equal(await tries(last.key), 200)
  t.match(await ask(`DELETE ${path}/${made.id}`), { status: 200, body: { id: made.id, revoked: true } })
  await comesTo(401, last.key)
  t.notOk((await ask(`GET ${path}`)).body.data.some(({ id }: { id: string }) => id === made.id))
  t.equal((await ask(`DELETE ${path}/${made.id}`)).status, 404)
})

t.test('nobody manages keys of another app, or more than they hold', async (t) => {
  const made = await make('four')
  const elsewhere = `/push/v1/apps/${await stack.app()}/public-keys`
  t.equal((await ask(`DELETE ${elsewhere}/${made.id}`)).status, 404)
  t.equal((await ask(`POST ${elsewhere}/${made.id}/rotate`, { body: {} })).status, 404)
  t.equal((await ask(`PATCH ${path}/${newId()}`, { body: { origins: [origin] } })).status, 404)
  const { orgId } = stack
  const locks = { app_id: app }
  const facts = { orgId, prefix: 'bt_live_', name: 'bound', locks } as const
  const bound = await keys.create(stack.db, { ...facts, scopes: ['push:manage', 'push:send'] })
  t.equal((await ask(`GET ${elsewhere}`, { key: bound.secret })).status, 403)
  t.equal((await ask(`GET ${path}`, { key: bound.secret })).status, 200)
  const narrow = await keys.create(stack.db, { ...facts, scopes: ['push:manage'] })
  const body = { name: 'five', origins: [origin] }
  t.equal((await ask(`POST ${path}`, { key: narrow.secret, body })).status, 403)
})

t.test('a page’s key that registers is bound to an app and to origins', async (t) => {
  const scopes = ['push:subscribe']
  const account = await keys.create(stack.db, {
    orgId: stack.orgId,
    prefix: 'bt_live_',
    name: 'keys',
    scopes: ['account:keys', 'push:send'],
  })
  const issue = (locks: object) =>
    ask('POST /v1/account/keys', { key: account.secret, body: { name: newId(), scopes, locks, public: true } })
  t.match((await issue({})).body.error.details, [{ field: 'body.locks.app_id' }, { field: 'body.locks.origins' }])
  t.match((await issue({ app_id: app })).body.error.details, [{ field: 'body.locks.origins' }])
  t.equal((await issue({ app_id: app, origins: [origin] })).status, 201)
})
