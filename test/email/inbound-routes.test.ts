import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { createDns } from '#lib/network/dns.ts'
import { sql } from '#sql/db.ts'
import * as received from '#sql/email/received.ts'
import { everything } from '#sql/filters.ts'
import { listenInbound } from '../../ingress/email/inbound/listener.ts'
import { lookups } from '../../ingress/email/services.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret, storage } from '../../ingress/http/services.ts'
import { testDatabase } from '../support/database.ts'
import { type Ask, fieldsOf, testIngress, testOrg } from '../support/ingress.ts'
import { testStore } from '../support/video-stack.ts'
import { verified } from './sending.ts'
import { dial, send } from './smtp-client.ts'

const { db } = await testDatabase(t)
const store = await testStore(t)
/** Name servers that know of mail elsewhere alone. */
const zone = {
  texts: async () => [],
  alias: async () => null,
  mailServers: async () => [{ priority: 10, exchange: 'mx.elsewhere.example' }],
}
const { app, ask } = await testIngress(t, db, [], {
  only: ['email'],
  services: [
    provide(signingSecret, 'a signing secret of the tests alone'),
    provide(storage, store.storage),
    provide(lookups, { zone: () => zone, resolver: createDns() }),
  ],
})
const { port, close } = await listenInbound(app, '127.0.0.1', 0)
t.teardown(() => close(0))

async function scene(domain: string, plan = 'unlimited') {
  const { org, keys } = await testOrg(db, ['email:manage', 'email:send'], { plan })
  await verified(db, org.id, domain)
  const asked = (request: string, options: Ask = {}) => ask(request, { key: keys.main, ...options })
  return {
    org,
    ask: asked,
    take: (address?: string) =>
      asked('POST /send/v1/inbound-routes', { body: address === undefined ? {} : { address } }),
  }
}

const bring = (to: string, text = 'Subject: Hi\r\n\r\nHello\r\n') => send(t, port, 'ada@people.example', to, text)

t.test(
  'routes are addresses of verified domains, of names below them, or of the installation’s own host',
  async (t) => {
    const one = await scene('one.example')
    t.match(await one.take('Support@One.example'), {
      status: 201,
      body: {
        address: 'support@one.example',
        record: { name: 'one.example', type: 'MX', value: 'localhost', priority: 10 },
      },
    })
    t.match((await one.take('*@reply.one.example')).body, { address: '*@reply.one.example' })
    t.match((await one.take('acme@in.localhost')).body, { address: 'acme@in.localhost', record: null })
    const made = (await one.take()).body
    t.match(made.address, /^[a-z0-9]{16}@in\.localhost$/)
    t.match(await one.take('support@one.example'), { status: 409, body: { error: { code: 'route_exists' } } })
    const other = await scene('two.example')
    t.match(await other.take('acme@in.localhost'), { status: 409, body: { error: { code: 'route_exists' } } })
    t.match(await other.take('support@one.example'), { status: 403, body: { error: { code: 'domain_not_verified' } } })
    await verified(db, other.org.id, 'one.example')
    t.match(await other.take('support@one.example'), { status: 409 }, 'one organisation takes the mail of an address')
    const look = async (id: string) => (await one.ask(`POST /send/v1/inbound-routes/${id}/verify`)).body
    t.match(await look(made.id), { state: 'found', found: null }, 'our own host needs no record')
    const { data } = (await one.ask('GET /send/v1/inbound-routes')).body
    t.match(await look(data.at(-1).id), {
      address: 'support@one.example',
      state: 'different',
      found: '10 mx.elsewhere.example',
    })
    t.equal(data.length, 4)
    t.equal((await other.ask(`DELETE /send/v1/inbound-routes/${data[0].id}`)).status, 404)
    t.equal((await one.ask(`DELETE /send/v1/inbound-routes/${data[0].id}`)).status, 200)
    t.match(await bring(made.address), /^550 .*No such mailbox/)
  },
)

t.test('mail goes to the nearest route, while its domain is verified, and nowhere else', async (t) => {
  const one = await scene('three.example')
  const [support, rest] = [
    (await one.take('support@three.example')).body.id,
    (await one.take('*@three.example')).body.id,
  ]
  for (const [to, route] of [
    ['support@three.example', support],
    ['SUPPORT+tag@three.example', support],
    ['anybody@three.example', rest],
  ] as const) {
    t.match(await bring(to), /^250 /, to)
    const [first] = (await one.ask('GET /send/v1/received')).body.data
    t.match(first, { route_id: route, recipient: to.toLowerCase(), is_read: false }, to)
  }
  t.match(await bring('anybody@elsewhere.example'), /^550 .*Relay access denied/)
  t.match(await bring('nobody@in.localhost'), /^550 .*No such mailbox/)
  t.match(await bring('postmaster@in.localhost'), /^250 /, 'the operator’s')
  await db.query(
    sql.typeAlias('void')`update email.domains set status = 'failed', verified_by = null where org_id = ${one.org.id}`,
  )
  t.match(await bring('support@three.example'), /^550 /)
})

t.test('an organisation is brought no more than so many mails an hour, and no more than it may store', async (t) => {
  const one = await scene('four.example')
  await one.take('*@four.example')
  t.match(await bring('a@four.example'), /^250 /)
  const [row] = await received.list(db, one.org.id, { where: everything, before: undefined, limit: 1 })
  await db.query(sql.typeAlias('void')`
    insert into email.received (id, org_id, route_id, recipient, sender, remote_address, remote_network, helo, bytes)
    select gen_random_uuid(), org_id, route_id, recipient, sender, remote_address, remote_network, helo, 1
    from email.received, generate_series(2, ${received.maxPerHour.network}::integer) where id = ${row?.id ?? newId()}`)
  t.match(await bring('b@four.example'), /^451 .*Too much email/)
  await db.query(
    sql.typeAlias('void')`update email.received set remote_network = '192.0.2.0/24' where org_id = ${one.org.id}`,
  )
  t.match(await bring('b@four.example'), /^250 /, 'another network has its own share')
  await db.query(sql.typeAlias('void')`update account.storage set bytes = 9e15 where org_id = ${one.org.id}`)
  t.match(await bring('c@four.example'), /^452 .*full/)
})

t.test('received mail fills its share of storage and no more, and says so in time', async (t) => {
  const one = await scene('share.example')
  await one.take('*@share.example')
  await db.query(sql.typeAlias('void')`
    insert into webhooks.settings (org_id, keep_events) values (${one.org.id}, true)`)
  const limit = 10_000
  await db.query(sql.typeAlias('void')`
    insert into account.budgets (org_id, metric, period, hard, alert_at)
    values (${one.org.id}, 'storage.bytes', 'month', ${limit * 4}, '{}')`)
  const space = async () => (await one.ask('GET /send/v1/inbound-storage')).body
  t.match(await space(), { used_bytes: 0, limit_bytes: limit, is_full: false })
  const mail = (bytes: number, n: number) =>
    bring('a@share.example', `Subject: ${n}\r\n\r\n${'x\r\n'.repeat(bytes / 3)}`)
  t.match(await mail(7_500, 1), /^250 /)
  t.match(await mail(6_000, 2), /^452 .*full/)
  t.match(await mail(900, 3), /^250 /)
  t.match(await mail(3_000, 4), /^452 .*full/)
  const told = await db.anyFirst(sql.type(z.object({ data: z.looseObject({ percent: z.number() }) }))`
    select data from webhooks.events where org_id = ${one.org.id} and type = 'email.inbound_storage.warning' order by id`)
  t.match(told, [{ percent: 100, limit_bytes: limit }], 'once')
  const { used_bytes } = await space()
  t.ok(used_bytes > 8_000 && used_bytes < limit, String(used_bytes))
  t.equal(await db.oneFirst(sql.unsafe`select bytes from account.storage where org_id = ${one.org.id}`), used_bytes)
  for (const { id } of (await one.ask('GET /send/v1/received')).body.data)
    await one.ask(`DELETE /send/v1/received/${id}`)
  t.match(await space(), { used_bytes: 0 })
  t.match(await mail(3_000, 5), /^250 /)
  t.match(await mail(5_400, 6), /^250 /)
  const again = await db.anyFirst(sql.type(z.object({ percent: z.number() }))`
    select (data ->> 'percent')::integer as percent from webhooks.events
    where org_id = ${one.org.id} and type = 'email.inbound_storage.warning' order by id`)
  t.same(again, [100, 80])
})

t.test('a recipient that refuses a mail for now keeps it from none of its other recipients', async (t) => {
  const [full, other] = [await scene('full.example'), await scene('other.example')]
  for (const [one, domain] of [
    [full, 'full.example'],
    [other, 'other.example'],
  ] as const)
    await one.take(`*@${domain}`)
  const limit = 8_000
  await db.query(sql.typeAlias('void')`
    insert into account.budgets (org_id, metric, period, hard, alert_at)
    values (${full.org.id}, 'storage.bytes', 'month', ${limit * 4}, '{}')`)
  const { client } = await dial(t, port)
  await client.say('EHLO mx.people.example')
  const mail = async (recipients: string[], bytes: number) => {
    await client.say('MAIL FROM:<ada@people.example>')
    const replies: string[] = []
    for (const to of recipients) replies.push(await client.say(`RCPT TO:<${to}>`))
    t.match(await client.say('DATA'), /^354/)
    client.socket.write(`Subject: Hi\r\n\r\n${'x\r\n'.repeat(bytes / 3)}`)
    return [...replies, await client.say('.')]
  }
  const came = async () => (await other.ask('GET /send/v1/received')).body.data.length
  for (const _ of ['first', 'again']) {
    t.match(await mail(['a@full.example', 'b@other.example'], 9_000), [/^250/, /^250/, /^452 .*full/])
    t.equal(await came(), 1, 'once')
  }
  await db.query(sql.typeAlias('void')`update account.storage set bytes = 9e15 where org_id = ${full.org.id}`)
  const recipients = [...Array.from({ length: 6 }, (_, i) => `a${i}@full.example`), 'b@other.example']
  t.match(await mail(recipients, 300), [...Array.from({ length: 6 }, () => /^452 .*full/), /^250/, /^250/])
  t.equal(await came(), 2)
})

t.test('a mail whose bytes cannot be stored is not taken, and comes again', async (t) => {
  const one = await scene('five.example')
  await one.take('*@five.example')
  await store.stop()
  t.match(await bring('a@five.example'), /^451 /)
  t.same((await one.ask('GET /send/v1/received')).body.data, [])
  await store.start()
  t.match(await bring('a@five.example'), /^250 /)
  t.equal((await one.ask('GET /send/v1/received')).body.data.length, 1)
})

t.test('what is wrong is told by its field, and nothing is a fault of ours', async (t) => {
  const one = await scene('six.example')
  const long = 'x'.repeat(330)
  const addresses: unknown[] = [
    ...['', ' ', '@', 'a', 'a@', '@six.example', 'a b@six.example', 'a@six', 'a@@six.example', 'a@six..example'],
    ...['.a@six.example', 'a.@six.example', 'a..b@six.example', '"a"@six.example', 'a,b@six.example'],
    ...['a@six.example\r\nBcc: x@y.example', 'a\u0000@six.example', 'é@six.example', `${'x'.repeat(65)}@six.example`],
    ...[`${long}@six.example`, 'a+b@six.example', '**@six.example', '*@', '*@in.localhost', 'ab@in.localhost'],
    ...['postmaster@in.localhost', 'abuse@in.localhost', 'a@bounce.six.example', 'a@[127.0.0.1]', 'a@127.0.0.1'],
    ...[1, true, null, [], {}, ['a@six.example']],
  ]
  for (const address of addresses) {
    const reply = await one.ask('POST /send/v1/inbound-routes', { body: { address } })
    t.equal(reply.status, 400, JSON.stringify(address))
    t.same(fieldsOf(reply), ['body.address'], JSON.stringify(address))
  }
  const id = newId()
  const odd: [string, number, string?][] = [
    ['GET /send/v1/received?limit=0', 400, 'query.limit'],
    ['GET /send/v1/received?limit=many', 400, 'query.limit'],
    ['GET /send/v1/received?cursor=odd', 400, 'query.cursor'],
    ['GET /send/v1/received?from=odd', 400, 'query.from'],
    ['GET /send/v1/received?route_id=odd', 400, 'query.route_id'],
    ['GET /send/v1/received?replies_to=1', 400, 'query.replies_to'],
    ['GET /send/v1/received?odd=1', 400, 'query.odd'],
    ['GET /send/v1/inbound-routes?odd=1', 400, 'query.odd'],
    [`GET /send/v1/received/${id}`, 404],
    ['GET /send/v1/received/odd', 404],
    [`POST /send/v1/received/${id}/download-url`, 404],
    [`POST /send/v1/received/${id}/attachments/${id}/download-url`, 404],
    [`POST /send/v1/received/${id}/attachments/odd/download-url`, 404],
    [`DELETE /send/v1/received/${id}`, 404],
    [`DELETE /send/v1/inbound-routes/${id}`, 404],
  ]
  for (const [request, status, field] of odd) {
    const reply = await one.ask(request)
    t.equal(reply.status, status, request)
    if (field) t.ok(fieldsOf(reply).includes(field), request)
  }
  t.match(await one.ask('POST /send/v1/inbound-routes', { body: { adress: 'a@six.example' } }), { status: 400 })
})

t.test('a client that breaks off in the middle of a mail leaves nothing behind', async (t) => {
  const one = await scene('seven.example')
  await one.take('*@seven.example')
  const { client } = await dial(t, port)
  for (const line of ['EHLO x', 'MAIL FROM:<a@b.example>', 'RCPT TO:<a@seven.example>', 'DATA']) await client.say(line)
  client.socket.write(`Subject: Half\r\n\r\n${'x'.repeat(2_000_000)}`)
  client.socket.destroy()
  t.match(await bring('a@seven.example'), /^250 /)
  t.equal((await one.ask('GET /send/v1/received')).body.data.length, 1)
})
