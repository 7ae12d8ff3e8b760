import t from 'tap'
import * as keyRows from '#sql/account/keys.ts'
import { sql } from '#sql/db.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { newId } from '../../lib/ids.ts'
import { hashSecret } from '../../lib/tokens.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'

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

t.test('a test key changes nothing that live use depends on', async (t) => {
  const scopes = ['account:keys', 'account:write', 'account:webhooks']
  const { org, keys } = await testOrg(db, [], {
    keys: { live: { prefix: 'bt_live_', scopes: [...scopes, 'email:send'] }, test: { prefix: 'bt_test_', scopes } },
  })
  const [live, test] = await Promise.all(
    Object.values(keys).map(async (secret) => ({
      key: secret,
      id: (await keyRows.findCaller(db, hashSecret(secret)))?.key.id,
    })),
  )
  const asTest = (request: string, body?: object) => ask(request, { key: keys.test, body })
  const asLive = (request: string, body?: object) => ask(request, { key: keys.live, body })
  const hook = { url: 'https://hooks.example/in', types: ['*'] }
  const both = (await asLive('POST /v1/account/webhooks', hook)).body.id
  await asLive('PUT /v1/account/budgets/email.messages', { hard: 5 })
  for (const [request, body] of [
    [`DELETE /v1/account/keys/${live?.id}`],
    ['PATCH /v1/account', { name: 'Mine' }],
    ['PUT /v1/account/budgets/email.messages', { hard: 0 }],
    ['DELETE /v1/account/budgets/email.messages'],
    ['POST /v1/account/webhooks', { ...hook, mode: 'live' }],
    ['PUT /v1/account/events/settings', { keep_events: true }],
  ] as const) {
    t.equal(codeOf(await asTest(request, body)), '403 forbidden', request)
  }
  for (const [request, body] of [
    ['GET '],
    ['PATCH ', { url: 'https://evil.example' }],
    ['DELETE '],
    ['POST /pause'],
    ['POST /resume'],
    ['POST /test', {}],
    ['POST /rotate-secret', {}],
    ['GET /deliveries'],
    ['POST /replay', { since: '2026-01-01T00:00:00Z' }],
  ] as const) {
    const [method, rest] = request.split(' ')
    t.equal(codeOf(await asTest(`${method} /v1/account/webhooks/${both}${rest}`, body)), '404 not_found', request)
  }
  const own = await asTest('POST /v1/account/webhooks', hook)
  t.match(own, { status: 201, body: { mode: 'test' } })
  const path = `/v1/account/webhooks/${own.body.id}`
  for (const mode of ['live', null]) t.equal(codeOf(await asTest(`PATCH ${path}`, { mode })), '403 forbidden')
  t.match(await asTest(`PATCH ${path}`, { name: 'mine' }), { status: 200, body: { name: 'mine', mode: 'test' } })
  t.same(
    (await asTest('GET /v1/account/webhooks')).body.data.map(({ id }: { id: string }) => id),
    [own.body.id],
  )
  t.equal((await asLive('GET /v1/account/webhooks')).body.data.length, 2)

  await asLive('PUT /v1/account/events/settings', { keep_events: true })
  for (const sandbox of [true, false]) {
    await db.query(sql.unsafe`
      insert into webhooks.events (id, org_id, type, data, sample, created_at)
      values (${newId()}, ${org.id}, 'email.sent', ${sql.jsonb({ sandbox })}, false, now())`)
  }
  t.match((await asTest('GET /v1/account/events?type=email.sent')).body.data, [{ data: { sandbox: true } }])
  t.equal((await asTest('GET /v1/account/events')).body.data.length, 1)
  t.equal((await asLive('GET /v1/account/events?type=email.sent')).body.data.length, 2)
  t.equal((await asLive('GET /v1/account/keys')).body.data.length, 2)
  t.equal((await asTest(`DELETE /v1/account/keys/${test?.id}`)).status, 200, 'itself it may end')
})

t.test('at the addresses of an area a test key has to do with webhooks for tests alone', async (t) => {
  const scopes = ['email:manage']
  const { keys } = await testOrg(db, [], {
    keys: {
      live: { prefix: 'bt_live_', scopes },
      test: { prefix: 'bt_test_', scopes: [...scopes, 'account:webhooks'] },
    },
  })
  const at = '/send/v1/webhooks'
  const body = { url: 'https://hooks.example/in', events: ['*'] }
  const { id: both } = (await ask(`POST ${at}`, { key: keys.live, body })).body
  for (const [request, given] of [
    [`DELETE ${at}/${both}`],
    [`POST ${at}/${both}/enable`],
    [`POST ${at}/${both}/test`],
    [`POST ${at}/${both}/rotate-secret`, {}],
    [`GET ${at}/${both}/deliveries`],
    [`POST ${at}/${both}/replay`, { since: '2026-01-01T00:00:00Z' }],
  ] as const) {
    t.equal(codeOf(await ask(request, { key: keys.test, body: given })), '404 not_found', request)
  }
  const own = await ask(`POST ${at}`, { key: keys.test, body })
  t.equal(own.status, 201)
  t.match(await ask(`GET /v1/account/webhooks/${own.body.id}`, { key: keys.test }), { body: { mode: 'test' } })
  const listed = async (key: string) => (await ask(`GET ${at}`, { key })).body.data.map(({ id }: { id: string }) => id)
  t.same(await listed(keys.test), [own.body.id])
  t.same(await listed(keys.live), [own.body.id, both])
  t.equal((await ask(`POST ${at}/${own.body.id}/rotate-secret`, { key: keys.test, body: {} })).status, 200)
  t.equal((await ask(`DELETE ${at}/${own.body.id}`, { key: keys.test })).status, 200)
})

t.test('a key that is bound to networks ends none that is used from others', async (t) => {
  const { org, id, made } = await scene()
  const networks = ['127.0.0.0/8', '::1/128']
  const wanted = { orgId: org.id, prefix: 'bt_live_' as const, name: 'bound', scopes: ['account:keys'], networks }
  const bound = await keyRows.create(db, wanted)
  t.equal(codeOf(await ask(`DELETE /v1/account/keys/${id}`, { key: bound.secret })), '403 forbidden')
  const within = await made({ name: 'within', scopes: ['files:read'], networks: ['127.0.0.1/32'] })
  t.equal((await ask(`DELETE /v1/account/keys/${within.id}`, { key: bound.secret })).status, 200)
})
