import t from 'tap'
import * as keyRows from '#sql/account/keys.ts'
import { publicScopes } from '#tasks/account/rules/key-input.ts'
import { areas } from '../../ingress/areas.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'

const operations = areas.flatMap((area) => area.operations)

t.test('scopes of public keys are those of the routes that public keys may call', async (t) => {
  const found = new Set(operations.flatMap(({ route }) => (route.site ? [route.scope].flat() : [])))
  t.same([...found].sort(), [...publicScopes].sort())
})

t.test('a key is asked which scope, lock or network would refuse an operation', async (t) => {
  const { db } = await testDatabase(t)
  const { ask } = await testIngress(t, db)
  const { org, keys } = await testOrg(db, ['account:read'])
  const app_id = '0190a000-0000-7000-8000-000000000001'
  const locks = { app_id, from_domains: ['shop.example'], tenant_id: 'acme', origins: ['https://shop.example'] }
  const scopes = ['email:send', 'push:send', 'files:read', 'push:manage']
  const everything = [...scopes, 'account:keys']
  const networks = ['203.0.113.0/24']
  const one = await keyRows.create(db, { orgId: org.id, prefix: 'bt_live_', name: 'k', scopes, locks, networks })
  const check = async (operation: string, facts?: object) => {
    const body = { operation, ...(facts && { facts }) }
    return (await ask(`POST /v1/account/keys/${one.id}/check`, { key: keys.main, body })).body
  }
  const near = { origin: 'https://shop.example', network: '203.0.113.9' }
  t.same(await check('email.messages.create', { ...near, from: 'Shop <hello@SHOP.example>' }), {
    ...{ allowed: true, why: [], depends_on: [] },
  })
  t.same((await check('email.messages.create')).depends_on, ['network', 'from', 'origin'])
  t.match((await check('email.messages.create', { ...near, from: 'a@other.example' })).why, [
    { kind: 'lock', name: 'from_domains', message: /shop\.example/ },
  ])
  t.match((await check('voice.calls.list', near)).why, [{ kind: 'scope', name: 'voice:read' }, { kind: 'lock' }])
  t.match((await check('push.apps.create', near)).why, [{ kind: 'lock', message: /not limited to that part/ }])
  t.match((await check('push.messages.create', { ...near, app_id: org.id })).why, [{ kind: 'lock', name: 'app_id' }])
  t.match(
    (await check('files.objects.list', { network: '10.1.1.1', origin: 'https://x.example', tenant_id: 'b' })).why,
    [
      { kind: 'network', name: '10.1.1.1' },
      { kind: 'lock', name: 'origins' },
      { kind: 'lock', name: 'tenant_id' },
    ],
  )
  t.match(await check('no.such.thing'), { error: { details: [{ field: 'body.operation' }] } })
  await keyRows.revoke(db, org.id, one.id)
  t.match((await check('email.messages.create', { ...near, from: 'shop.example' })).why, [
    { kind: 'state', name: 'revoked' },
  ])
  const tried = await keyRows.create(db, { orgId: org.id, prefix: 'bt_test_', name: 't', scopes: everything })
  const verdict = (operation: string) =>
    ask(`POST /v1/account/keys/${tried.id}/check`, { key: keys.main, body: { operation } })
  t.match((await verdict('files.objects.list')).body, { allowed: false, why: [{ kind: 'test_mode', name: 'test' }] })
  t.match((await verdict('email.messages.create')).body, { allowed: true, why: [] })
  const table = await ask('GET /v1/account/locks', { key: keys.main })
  const tenant = table.body.data.find(({ name }: { name: string }) => name === 'tenant_id')
  t.ok(tenant.binds.includes('files.objects.list') && tenant.refuses.includes('account.webhooks.create'))
})
