import pg from 'pg'
import t from 'tap'
import { installSql } from '../../sdk/node/src/outbox/sql/install.ts'
import { until } from '../support/until.ts'
import { application, endPool, event } from './application.ts'

t.test('installations at the same time wait for each other', async (t) => {
  const app = await application(t, { install: false })
  const text = installSql({ grant: [app.role] })
  const clients = await Promise.all(Array.from({ length: 4 }, () => app.pool.connect()))
  const results = await Promise.allSettled(clients.map((client) => client.query(text)))
  for (const client of clients) client.release(true)
  t.same(
    results.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'fulfilled', 'fulfilled'],
  )
})

t.test('a repeated installation does not wait for open transactions, and keeps none waiting', async (t) => {
  const app = await application(t)
  const open = await app.pool.connect()
  await open.query('begin')
  await open.query('select millrace.enqueue($1, $2)', ['notify.events.create', event('open')])
  let installed = false
  const installing = app.pool.query(installSql()).then(() => {
    installed = true
  })
  await until(() => installed, { timeout: 5_000, what: 'the installation has finished' })
  await app.enqueue(event('other'))
  await open.query('commit')
  open.release()
  await installing
  t.same(await app.column('select count(*)::int from millrace.outbox'), [2])
})

t.test('objects of another role are not used', async (t) => {
  const app = await application(t, { install: false })
  const shop = new pg.Pool({ connectionString: app.roleUrl, max: 1 })
  const [owner] = await app.column('select quote_ident(current_user)')
  await app.pool.query(`grant create on database ${new URL(app.url).pathname.slice(1)} to ${app.role}`)
  await shop.query('create schema millrace')
  await shop.query(
    'create table millrace.installation (only_row boolean primary key, version integer, updated_at date)',
  )
  await shop.query(`grant all on schema millrace to ${owner}`)
  await endPool(shop)
  const client = await app.pool.connect()
  const error = await client.query(installSql()).catch((fault) => fault)
  client.release(true)
  t.match(error.message, /belongs to another role\. Connect as the owner, shop_/)
})

t.test('functions of the search path of the installer are not used', async (t) => {
  const app = await application(t, { install: false })
  const client = await app.pool.connect()
  await client.query('create schema trap')
  await client.query(
    'create function trap.gen_random_uuid() returns uuid language plpgsql as $$ begin raise exception $m$trap$m$; end $$',
  )
  await client.query('set search_path = trap, pg_catalog')
  await client.query(installSql())
  client.release(true)
  t.type(await app.enqueue(event('x')), 'string')
})

t.test('operations have the name of the API reference and the name in the client', async (t) => {
  const app = await application(t)
  const body = { url: 'https://example.com/' }
  for (const operation of ['jobs.create', 'jobs.jobs.create']) await app.enqueue(body, { operation })
  t.same(await app.column('select operation from millrace.outbox'), ['jobs.jobs.create', 'jobs.jobs.create'])
})
