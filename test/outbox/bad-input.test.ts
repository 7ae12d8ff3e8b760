import pg from 'pg'
import t from 'tap'
import { application, endPool, event } from './application.ts'

const app = await application(t)
const shop = new pg.Pool({ connectionString: app.roleUrl, max: 2 })
t.teardown(() => endPool(shop))

const deep = `${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}`
const big = JSON.stringify({ text: 'x'.repeat(1_048_577) })

/** Arguments of `enqueue`, and the message that they cause. */
const cases: [string, RegExp][] = [
  [`null, '{}'`, /unknown operation null/],
  [`'', '{}'`, /unknown operation ''/],
  [`'email', '{}'`, /unknown operation 'email'/],
  [`'Email.Messages.Create', '{}'`, /unknown operation/],
  [`'email.messages.list', '{}'`, /unknown operation/],
  [`repeat('x', 100000), '{}'`, /unknown operation 'x{100}'/],
  [`$$'; drop table millrace.outbox; --$$, '{}'`, /unknown operation '''; drop table/],
  [`'sms.messages.create'`, /sms\.messages\.create needs a body/],
  [`'sms.messages.create', null`, /needs a body/],
  [`'sms.messages.create', 'null'`, /must be a JSON object/],
  [`'sms.messages.create', '[]'`, /must be a JSON object/],
  [`'sms.messages.create', '"x"'`, /must be a JSON object/],
  [`'sms.messages.create', '7'`, /must be a JSON object/],
  [`'sms.messages.create', '{'`, /invalid input syntax for type json/],
  [`'sms.messages.create', ''`, /invalid input syntax for type json/],
  [`'sms.messages.create', '{"a":"\\u0000"}'`, /unsupported Unicode escape/],
  [`'sms.messages.create', '{"a":"\\ud800"}'`, /invalid input syntax|Unicode/],
  [`'sms.messages.create', '${deep.slice(0, -3)}'`, /invalid input syntax|stack depth/],
  [`'notify.events.create', '${big}'`, /must be at most \d+ bytes, but has 1048/],
  [`'email.messages.create', '{"idempotency_key":"x"}'`, /cannot contain an idempotency key/],
  [`'video.uploads.start', '{"idempotencyKey":"x"}'`, /cannot contain an idempotency key/],
  [`'sms.messages.create', '{}', '{"id":"x"}'`, /must contain exactly: nothing/],
  [`'email.message-resends.create'`, /must contain exactly: id/],
  [`'email.message-resends.create', null, '{}'`, /must contain exactly: id/],
  [`'email.message-resends.create', null, '[]'`, /params must be a JSON object/],
  [`'email.message-resends.create', null, '{"id":7}'`, /params\.id must be text/],
  [`'email.message-resends.create', null, '{"id":""}'`, /params\.id must be text/],
  [`'email.message-resends.create', null, '{"id":".."}'`, /params\.id must be text/],
  [`'email.message-resends.create', null, '{"id":"x","more":"y"}'`, /must contain exactly: id/],
  [`'email.message-resends.create', null, jsonb_build_object('id', repeat('x', 256))`, /params\.id must be text/],
  [`'email.message-resends.create', '{"a":1}', '{"id":"x"}'`, /does not accept a body/],
  [`'sms.messages.create', '{}', key => ''`, /key must have 1 to 255 characters/],
  [`'sms.messages.create', '{}', key => repeat('x', 256)`, /key must have 1 to 255 characters/],
  [`'sms.messages.create', '{}', at => 'infinity'`, /at must be a time within 366 days/],
  [`'sms.messages.create', '{}', at => '-infinity'`, /at must be a time within 366 days/],
  [`'sms.messages.create', '{}', at => now() + interval '2 years'`, /at must be a time within 366 days/],
  [`'sms.messages.create', '{}', at => 'tomorrow-ish'`, /invalid input syntax for type timestamp/],
  [`'sms.messages.create', '{}', at => '294277-01-01'`, /timestamp out of range|within 366 days/],
  [`'sms.messages.create', '{}', nonsense => 1`, /does not exist/],
  [`'sms.messages.create', '{}'::json`, /does not exist/],
]

t.test(`${cases.length} wrong calls of enqueue name the fault and add nothing`, async (t) => {
  for (const [args, message] of cases) {
    const error = await shop.query(`select millrace.enqueue(${args})`).catch((fault) => fault)
    t.match(error.message, message, args.slice(0, 80))
  }
  t.same(await app.column('select 1 from millrace.outbox'), [])
})

t.test('an unknown operation gets the nearest names as a hint', async (t) => {
  const error = await shop.query(`select millrace.enqueue('email.mesage.create', '{}')`).catch((fault) => fault)
  t.match(error.hint, /^Similar operations: email\.messages\.create/)
  t.equal(error.code, '22023')
})

t.test('texts are stored as they are, and never become part of a statement', async (t) => {
  const text = `'; drop schema millrace cascade; -- " \\ $$ %s 😀`
  const { rows } = await shop.query('select millrace.enqueue($1, $2, key => $3) as id', [
    ...['notify.events.create', event(text), text],
  ])
  t.same(await app.column(`select key || (body->>'title') from millrace.outbox where id = $1`, [rows[0].id]), [
    text + text,
  ])
  t.same(await app.column('select millrace.discard($1)', [rows[0].id]), [true])
})

t.test('a role of the application can only use the outbox', async (t) => {
  await shop.query('select millrace.enqueue($1, $2)', ['notify.events.create', event(1)])
  for (const text of [
    'select * from millrace.outbox',
    'delete from millrace.sent',
    `insert into millrace.outbox (operation, bytes, state, send_at, due_at) values ('x', 0, 'waiting', now(), now())`,
    `select * from millrace.claim_rows(gen_random_uuid(), 1, '{}', 1, '', 1, false)`,
    `select millrace.wake()`,
    `select millrace.check_body('x', 'x', 1, '{}')`,
    'drop function millrace.retry(uuid)',
    'create table millrace.x (a int)',
  ]) {
    t.match(await shop.query(text).catch((error) => error.message), /permission denied|must be owner/, text)
  }
  t.match((await shop.query('select waiting, failed from millrace.lag')).rows, [{ waiting: '1', failed: '0' }])
  t.same((await shop.query('select * from millrace.failures')).rows, [])
})

t.test('objects of the caller do not replace those that the functions use', async (t) => {
  const client = await shop.connect()
  await client.query(`create temp table outbox (a int)`)
  await client.query(
    `create function pg_temp.clock_timestamp() returns timestamptz language sql as $$ select null::timestamptz $$`,
  )
  await client.query(`set search_path = pg_temp, public`)
  const { rows } = await client.query('select millrace.enqueue($1, $2) as id', ['notify.events.create', event(2)])
  client.release(true)
  t.same(await app.column('select count(*)::int from millrace.outbox where id = $1', [rows[0].id]), [1])
})

t.test('row security does not keep rows from the outbox', async (t) => {
  await app.pool.query('alter table millrace.outbox enable row level security')
  const { rows } = await shop.query('select millrace.enqueue($1, $2) as id', ['notify.events.create', event(3)])
  t.same(await app.column('select count(*)::int from millrace.outbox where id = $1', [rows[0].id]), [1])
  await app.pool.query('alter table millrace.outbox disable row level security')
})

t.test('retry and discard of unknown rows return false', async (t) => {
  for (const name of ['retry', 'discard']) {
    t.same((await shop.query(`select millrace.${name}(gen_random_uuid()) as done`)).rows, [{ done: false }])
    t.same((await shop.query(`select millrace.${name}(null) as done`)).rows, [{ done: false }])
  }
})
