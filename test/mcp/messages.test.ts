import t from 'tap'
import { z } from 'zod'
import * as closures from '#sql/account/closures.ts'
import * as keys from '#sql/account/keys.ts'
import { sql } from '#sql/db.ts'
import { testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { connectCurrent, mcpStack, rpc } from './stack.ts'

t.setTimeout(240_000)

const stack = await mcpStack(t)
const one = await stack.sender()
const { url, db, post, ingress } = stack

const callWhoami = (id = 1) => rpc('tools/call', { name: 'whoami' }, id)

t.test('without a valid key, the response is 401 and names the scheme', async (t) => {
  for (const key of [undefined, 'bt_live_unknown', 'no key']) {
    const reply = await post(key, rpc('tools/list'))
    t.equal(reply.status, 401)
    t.equal(reply.headers.get('www-authenticate'), 'Bearer')
    t.match(reply.body, { jsonrpc: '2.0', id: null, error: { data: { code: 'unauthorized' } } })
  }
})

t.test('only POST is allowed, because the server has no sessions', async (t) => {
  for (const method of ['GET', 'DELETE', 'PUT']) {
    const reply = await ingress.ask(`${method} /mcp`, { key: one.key })
    t.equal(reply.status, 405, method)
    t.equal(reply.headers.get('allow'), 'POST, OPTIONS')
  }
})

t.test('messages that are not JSON-RPC are rejected', async (t) => {
  const send = (raw: string, type = 'application/json') =>
    ingress.ask('POST /mcp', { key: one.key, raw, headers: { 'content-type': type } })
  t.match(await send('{'), { status: 400, body: { id: null, error: { code: -32700 } } })
  t.match(await send('7'), { status: 400, body: { error: { code: -32600 } } })
  t.match(await send('{}'), { status: 400 })
  t.match(await send('[]'), { status: 400, body: { error: { code: -32600 } } })
  t.match(await send(JSON.stringify(Array.from({ length: 21 }, (_, i) => callWhoami(i)))), { status: 400 })
  t.match(await send('{}', 'text/plain'), { status: 415 })
  t.match(await send(JSON.stringify({ ...callWhoami(), padding: 'x'.repeat(2 * 1024 * 1024) })), { status: 413 })
  t.match((await post(one.key, rpc('no/such/method'))).body, { id: 1, error: { code: -32601 } })
  t.match((await post(one.key, rpc('tools/call', {}))).body, { error: {} })
  t.match(await post(one.key, { jsonrpc: '2.0', method: 'notifications/initialized' }), { status: 202, text: '' })
})

t.test('a list of messages of the protocol of March 2025 has a list of responses', async (t) => {
  const { body } = await post(one.key, [callWhoami(1), callWhoami(2)], { 'mcp-protocol-version': '2025-03-26' })
  t.same(body.map(({ id }: { id: number }) => id).sort(), [1, 2])
})

t.test('web pages on other origins are rejected', async (t) => {
  const from = (origin: string, key = one.key) => post(key, callWhoami(), { origin })
  t.match(await from('https://attacker.example'), { status: 403, body: { error: { data: { code: 'forbidden' } } } })
  t.match(await from('null'), { status: 403 })
  const { keys } = await testOrg(db, [], {
    keys: {
      main: { prefix: 'bt_live_', scopes: ['account:read'], locks: { origins: ['https://tools.example'] } },
      page: { prefix: 'bt_site_', scopes: ['bots:chat'] },
    },
  })
  t.match(await from('https://tools.example', keys.main), { status: 200 })
  t.match(await from('https://other.example', keys.main), { status: 403 })
  t.match(await post(keys.page, callWhoami()), { status: 403 }, 'public keys cannot use tools')
})

t.test('a revoked key stops working for a connected client', async (t) => {
  const { org, keys: made } = await testOrg(db, ['account:read'])
  const client = await connectCurrent(t, url, made.main)
  t.notOk((await client.call('whoami')).isError)
  const { id } = await db.one(
    sql.type(z.object({ id: z.string() }))`select id from account.keys where org_id = ${org.id}`,
  )
  await keys.revoke(db, org.id, id)
  await until(async () => (await client.call('whoami').catch((error: Error) => error)) instanceof Error, {
    what: 'the key is rejected',
  })
  t.match(await post(made.main, callWhoami()), { status: 401 })
})

t.test('a closed organisation cannot use tools', async (t) => {
  const { org, keys: made } = await testOrg(db, ['account:read'])
  t.equal((await post(made.main, callWhoami())).status, 200)
  await closures.request(db, { orgId: org.id, kind: 'operator', name: 'test', days: 14 })
  await until(async () => (await post(made.main, callWhoami())).status !== 200, { what: 'the key is rejected' })
  t.match(await post(made.main, callWhoami()), { status: 403, body: { error: { data: { code: /closed/ } } } })
})

t.test('100 calls at the same time all succeed', async (t) => {
  const client = await connectCurrent(t, url, one.key)
  const results = await Promise.all(Array.from({ length: 100 }, () => client.call('whoami')))
  t.equal(results.filter(({ isError }) => !isError).length, 100)
})

t.test('a call counts towards the rate limit of the key once, as its operation', async (t) => {
  const { org, keys: made } = await testOrg(db, ['account:read'])
  await db.query(sql.typeAlias('void')`update account.keys set rate_per_minute = 3 where org_id = ${org.id}`)
  const client = await connectCurrent(t, url, made.main)
  const results = []
  for (let i = 0; i < 5; i++) results.push(await client.call('whoami'))
  t.equal(results.filter(({ isError }) => !isError).length, 3)
  t.match(results.at(-1), {
    isError: true,
    structuredContent: { error: { status: 429, code: 'rate_limited', retry_after: Number } },
    content: [{ text: /Retry after \d+ seconds/ }],
  })
})
