import { parse } from 'csv-parse/sync'
import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import * as vouchers from '#sql/email/consent-vouchers.ts'
import { confirmImport, vouchForImport } from '#tasks/email/confirm-import.ts'
import type { MailEngine } from '#tasks/email/engine.ts'
import { importRows } from '#tasks/email/import-rows.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { startFleet } from '../../workers/runtime/fleet.ts'
import { fieldsOf } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { sending } from './sending.ts'

const { databaseUrl, db, ingress, sender } = await sending(t)

const plan = {
  pool: 'mail-campaign' as const,
  settings: { concurrency: 2, fetchAhead: 0 },
  tasks: [importRows, confirmImport],
  tools: { mail: {} as MailEngine, holder: { workerId: newId(), connections: new Set<string>() }, secret: '' },
}
const fleet = await startFleet(databaseUrl, [plan], { lease: 60_000, sweep: 500, grace: 1_000 }, () => {})
t.teardown(() => fleet.stop())
const one = await sender()

const csv = (path: string, raw: string, key = one.key) =>
  one.ask(`POST /send/v1/${path}`, { raw, headers: { 'content-type': 'text/csv' }, key })

const finished = (id: string, key = one.key) =>
  until(async () => {
    const { body } = await one.ask(`GET /send/v1/imports/${id}`, { key })
    return body.status === 'finished' && body
  })

const download = async (path: string, key = one.key) => {
  const reply = await fetch(`${ingress.url}/send/v1/${path}`, { headers: { authorization: `Bearer ${key}` } })
  return { headers: reply.headers, text: await reply.text() }
}

const records = (text: string): Record<string, string>[] => parse(text, { columns: true })

t.test('suppressions are imported row by row, and exported for another import', async (t) => {
  const file = `Email,Reason,Detail,created_at
ann@a.example,bounce,550 No such user,2024-05-03T09:12:00Z
ANN@a.example,BOUNCE,again,
bob@a.example,complaint,,2024-05-03
carl,bounce,,
dora@a.example,fax,,
emil@a.example,,"=HYPERLINK(""http://evil.example"")",
'=1+2@a.example,manual,,
fay@a.example,manual,,2999-01-01T00:00:00Z
`
  const { status, body } = await csv('suppressions/import', file)
  t.match([status, body], [202, { kind: 'suppressions', status: 'queued', rows: 8 }])
  t.match(await finished(body.id), { imported: 4, existing: 1, invalid: 3, vouched: null })
  const rows = (await one.ask(`GET /send/v1/imports/${body.id}/rows`)).body.data
  t.match(rows, [
    { line: 2, email: 'ann@a.example', outcome: 'imported', reason: null },
    { line: 3, outcome: 'existing' },
    { line: 4, outcome: 'imported' },
    { line: 5, email: null, outcome: 'invalid', reason: /^email: / },
    { line: 6, outcome: 'invalid', reason: /^reason: / },
    { line: 7, outcome: 'imported' },
    { line: 8, email: '=1+2@a.example', outcome: 'imported' },
    { line: 9, outcome: 'invalid', reason: 'created_at: must be in the past' },
  ])
  const invalid = (await one.ask(`GET /send/v1/imports/${body.id}/rows?outcome=invalid&limit=2`)).body
  t.same(
    invalid.data.map(({ line }: { line: number }) => line),
    [5, 6],
  )
  const next = await one.ask(
    `GET /send/v1/imports/${body.id}/rows?outcome=invalid&limit=2&cursor=${invalid.next_cursor}`,
  )
  t.same(
    next.body.data.map(({ line }: { line: number }) => line),
    [9],
  )
  const results = records((await download(`imports/${body.id}/results`)).text)
  t.match(results[3], { line: '5', email: 'carl', outcome: 'invalid', reason: /email/ })
  t.match((await one.send({ to: 'ann@a.example' })).body, { status: 'suppressed' })

  const exported = await download('suppressions/export')
  t.match(exported.headers.get('content-type'), 'text/csv')
  t.match(exported.headers.get('content-disposition'), 'suppressions.csv')
  const lines = records(exported.text)
  t.equal(lines.length, 4)
  t.match(
    lines.find(({ email }) => email === 'emil@a.example'),
    { detail: `'=HYPERLINK("http://evil.example")` },
  )
  t.ok(lines.find(({ email }) => email === "'=1+2@a.example"))
  t.match(
    lines.find(({ email }) => email === 'ann@a.example'),
    { reason: 'bounce', created_at: '2024-05-03T09:12:00.000Z' },
  )
  const cells = lines.flatMap((line) => Object.values(line))
  t.same(
    cells.filter((cell) => /^[=+@-]/.test(cell)),
    [],
    'no cell is a formula',
  )

  const other = await sender()
  const again = await other.ask('POST /send/v1/suppressions/import', {
    raw: exported.text,
    headers: { 'content-type': 'text/csv' },
  })
  await until(async () => (await other.ask(`GET /send/v1/imports/${again.body.id}`)).body.status === 'finished')
  t.match((await other.ask(`GET /send/v1/imports/${again.body.id}`)).body, { imported: 4, invalid: 0 })
  const found = (await other.ask('GET /send/v1/suppressions')).body.data
  t.match(
    found.find(({ email }: { email: string }) => email === 'emil@a.example'),
    { detail: '=HYPERLINK("http://evil.example")' },
  )
  t.ok(found.find(({ email }: { email: string }) => email === '=1+2@a.example'))
  for (const path of ['', '/rows', '/results'])
    t.equal((await other.ask(`GET /send/v1/imports/${body.id}${path}`)).status, 404)
})

t.test('columns with other names are mapped', async (t) => {
  const raw = 'Recipient;Why\nzoe@a.example;bounce\n'
  const { body } = await csv('suppressions/import?map=Recipient:email&map=Why:reason', raw)
  t.match(await finished(body.id), { imported: 1 })
})

t.test('consents arrive with their evidence, unconfirmed', async (t) => {
  await one.ask('POST /send/v1/topics', { body: { key: 'news', name: 'News', default_state: 'unsubscribed' } })
  await one.ask('POST /send/v1/contacts/out@c.example/unsubscribe')
  const raw = `email,source,given_at,ip,text_version,topics,name
Ada@c.example,sign-up form,2025-05-03T09:12:00+02:00,192.0.2.7,2025-01,news,Ada
ada@c.example,shop,2025-06-01,,,,
out@c.example,sign-up form,2025-05-03T09:12:00Z,,,news,
x@c.example,,2025-05-03T09:12:00Z,,,,
y@c.example,form,yesterday,,,,
z@c.example,form,2025-05-03,999.1.1.1,,,
w@c.example,form,2025-05-03,,,nope,
`
  const { body } = await csv('consents/import', raw)
  t.match(await finished(body.id), { imported: 1, existing: 2, invalid: 4 })
  const rows = (await one.ask(`GET /send/v1/imports/${body.id}/rows`)).body.data
  t.match(rows, [
    { line: 2, email: 'ada@c.example', outcome: 'imported' },
    { line: 3, outcome: 'existing' },
    { line: 4, outcome: 'unsubscribed' },
    { line: 5, reason: 'source: is required' },
    { line: 6, reason: /^given_at/ },
    { line: 7, reason: /^ip/ },
    { line: 8, reason: /^topics/ },
  ])
  const ada = (await one.ask('GET /send/v1/contacts/ada@c.example')).body
  t.match(ada, {
    status: 'unconfirmed',
    name: 'Ada',
    topics: { news: 'subscribed' },
    consents: [
      {
        source: 'sign-up form',
        given_at: '2025-05-03T07:12:00.000Z',
        ip: '192.0.2.7',
        text_version: '2025-01',
        topics: ['news'],
      },
      { source: 'shop', given_at: '2025-06-01T00:00:00.000Z', ip: null },
    ],
    history: [{ kind: 'imported', source: 'import' }],
  })
  t.match((await one.ask('GET /send/v1/contacts/out@c.example')).body, {
    status: 'unsubscribed',
    topics: {},
    consents: [],
  })
  t.match((await one.send({ stream: 'subscribed', to: 'ada@c.example' })).body.error, { code: 'contact_not_confirmed' })
  t.equal((await one.ask(`GET /send/v1/consents?import_id=${body.id}`)).body.data.length, 2)
  const exported = records((await download('consents/export')).text)
  t.match(
    exported.find(({ ip }) => ip === '192.0.2.7'),
    { email: 'ada@c.example', status: 'unconfirmed', topics: 'news' },
  )

  t.equal(await vouchForImport(db, body.id, 'operator', 'Seen the forms'), true)
  t.equal(await vouchForImport(db, body.id, 'operator', 'again'), false)
  const confirmed = await until(async () => {
    const now = (await one.ask('GET /send/v1/contacts/ada@c.example')).body
    return now.status === 'confirmed' && now
  })
  t.match(confirmed.history.at(-1), { kind: 'confirmed', source: 'operator' })
  t.match((await one.ask('GET /send/v1/contacts/out@c.example')).body, { status: 'unsubscribed' })
  t.match((await one.ask(`GET /send/v1/imports/${body.id}`)).body, { vouched: { reason: 'Seen the forms' } })
  await one.ask('DELETE /send/v1/contacts/ada@c.example')
  const left = (await one.ask(`GET /send/v1/imports/${body.id}/rows`)).body.data
  t.notOk(
    left.find(({ email }: { email: string }) => email === 'ada@c.example'),
    'a deleted contact leaves no rows',
  )
})

t.test('with a voucher for the organisation, consents are confirmed at once; without it not', async (t) => {
  const add = async (email: string) => {
    const rows = [{ email, source: 'form', given_at: '2025-05-03' }]
    const { body } = await one.ask('POST /send/v1/consents/import', { body: { rows } })
    await finished(body.id)
    return (await one.ask(`GET /send/v1/contacts/${email}`)).body
  }
  await db.transaction((tx) => vouchers.insert(tx, { org_id: one.orgId, actor: 'operator', reason: 'x' }))
  t.match(await add('v1@c.example'), { status: 'confirmed', consent_source: 'form' })
  await db.transaction((tx) => vouchers.remove(tx, one.orgId))
  t.match(await add('v2@c.example'), { status: 'unconfirmed' })
})

t.test('test keys import into the sandbox', async (t) => {
  const rows = [{ email: 's@c.example', source: 'form', given_at: '2025-05-03' }]
  const { body } = await one.ask('POST /send/v1/consents/import', { body: { rows }, key: one.sandbox })
  t.match(await finished(body.id, one.sandbox), { sandbox: true, imported: 1 })
  t.equal((await one.ask(`GET /send/v1/imports/${body.id}`)).status, 404)
  t.equal((await one.ask('GET /send/v1/contacts/s@c.example')).status, 404)
  t.match((await one.ask('GET /send/v1/contacts/s@c.example', { key: one.sandbox })).body, {
    consents: [{ source: 'form' }],
  })
  t.equal((await csv('suppressions/import', 'email\na@b.example\n', one.sandbox)).status, 403)
})

t.test('a worker that loses its connections midway, and a second job, import each row once', async (t) => {
  const two = await sender()
  const raw = `email,reason\n${Array.from({ length: 5_000 }, (_, i) => `k${i}@k.example,bounce`).join('\n')}\n`
  const { body } = await two.ask('POST /send/v1/suppressions/import', { raw, headers: { 'content-type': 'text/csv' } })
  const read = async () => (await two.ask(`GET /send/v1/imports/${body.id}`)).body
  await db.transaction((tx) => enqueue(tx, importRows, { importId: body.id }, { orgId: two.orgId }))
  await until(async () => (await read()).imported > 0)
  await db.any(sql.type(z.object({ ended: z.boolean() }))`
    select pg_terminate_backend(pid) as ended from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and query like '%email.%import%'`)
  await until(async () => (await read()).status === 'finished', { timeout: 60_000 })
  t.match(await read(), { imported: 5_000, existing: 0, invalid: 0 })
  const count = await db.oneFirst(sql.typeAlias('count')`
    select count(*) from email.suppressions where org_id = ${two.orgId}`)
  t.equal(count, 5_000)
})

t.test('a row that cannot be stored does not harm its neighbours', async (t) => {
  await db.query(sql.unsafe`
    create function email.refuse_bad() returns trigger language plpgsql as $$ begin
      if new.email = 'unstorable@r.example' then raise exception 'no'; end if; return new;
    end $$`)
  for (const table of ['suppressions', 'contacts'])
    await db.query(sql.unsafe`
      create trigger bad before insert on ${sql.identifier(['email', table])}
      for each row execute function email.refuse_bad()`)
  const emails = ['a@r.example', 'b@r.example', 'unstorable@r.example', 'd@r.example', 'e@r.example']
  for (const kind of ['suppressions', 'consents']) {
    const own = await sender()
    const more = kind === 'consents' ? { source: 'form', given_at: '2025-05-03' } : {}
    const rows = emails.map((email) => ({ email, ...more }))
    const { body } = await own.ask(`POST /send/v1/${kind}/import`, { body: { rows } })
    t.match(await finished(body.id, own.key), { imported: 4, invalid: 1 }, kind)
    const results = (await own.ask(`GET /send/v1/imports/${body.id}/rows?outcome=invalid`)).body.data
    t.match(results, [{ line: 3, outcome: 'invalid', reason: 'The row could not be stored.' }])
  }
  for (const table of ['suppressions', 'contacts'])
    await db.query(sql.unsafe`drop trigger bad on ${sql.identifier(['email', table])}`)
})

t.test('an import that is given up fails with a reason and an event, and continues when it is retried', async (t) => {
  const own = await sender()
  const hook = { url: 'https://hooks.example.com/in', events: ['*'] }
  t.equal((await own.ask('POST /send/v1/webhooks', { body: hook })).status, 201)
  await db.query(sql.unsafe`
    create function email.be_away() returns trigger language plpgsql as $$ begin
      if new.email like '%@away.example' then raise exception 'away' using errcode = '55006'; end if; return new;
    end $$`)
  await db.query(sql.unsafe`
    create trigger away before insert on email.suppressions for each row execute function email.be_away()`)
  const lines = [...Array.from({ length: 500 }, (_, n) => `f${n}@f.example`), 'x@away.example']
  const { body } = await csv('suppressions/import', `email\n${lines.join('\n')}\n`, own.key)
  const read = async () => (await own.ask(`GET /send/v1/imports/${body.id}`)).body
  await until(async () => (await read()).imported === 500)
  const ending = { db, runId: undefined }
  await importRows.giveUp?.({ importId: body.id }, new Error('away'), ending)
  await importRows.giveUp?.({ importId: body.id }, new Error('away'), ending)
  t.match(await read(), { status: 'failed', reason: /^The import stopped: Error\./, imported: 500, finished_at: null })
  t.match((await own.ask('GET /send/v1/imports?status=failed')).body.data, [{ id: body.id }])
  const eventsOf = () =>
    db.anyFirst(sql.type(z.object({ type: z.string() }))`
      select type from webhooks.events where org_id = ${own.orgId} and type like 'email.import.%' order by id`)
  t.same(await eventsOf(), ['email.import.failed'])
  await db.query(sql.unsafe`drop trigger away on email.suppressions`)
  await importRows.revive?.({ importId: body.id }, { db, enqueue: async () => {} })
  t.match(await read(), { status: 'running', reason: null })
  await enqueue(db, importRows, { importId: body.id })
  t.match(await finished(body.id, own.key), { imported: 501, invalid: 0, reason: null })
  t.same(await eventsOf(), ['email.import.failed', 'email.import.finished'])
})

t.test('files that cannot be read are refused, with the field', async (t) => {
  const cases: [string, string, string[]][] = [
    ['suppressions/import', '', ['body']],
    ['suppressions/import', 'email\n', ['body']],
    ['suppressions/import', 'name,reason\na,b\n', ['body']],
    ['suppressions/import', 'email\n"a@b.example\n', ['body']],
    ['suppressions/import?map=x', 'email\na@b.example\n', ['query.map']],
    ['suppressions/import?map=Missing:email', 'mail\na@b.example\n', ['query.map']],
    ['suppressions/import?map=email:source', 'email\na@b.example\n', ['query.map']],
    ['suppressions/import?map=a:email&map=b:email', 'a,b\na@b.example,c\n', ['query.map']],
    ['consents/import', 'source\nx\n', ['body']],
    ['suppressions/import', `email\n${'a@b.example\n'.repeat(20_001)}`, ['body.rows']],
  ]
  for (const [path, raw, fields] of cases) t.same(fieldsOf(await csv(path, raw)), fields, `${path} ${raw.slice(0, 30)}`)
  const bodies: [string, unknown, string[]][] = [
    ['suppressions/import', {}, ['body.rows']],
    ['suppressions/import', { rows: [] }, ['body.rows']],
    ['suppressions/import', { rows: ['a'] }, ['body.rows.0']],
    ['suppressions/import', { rows: [{}] }, ['body.rows.0.email']],
    ['suppressions/import', { rows: [{ email: 'a', source: 'x' }] }, ['body.rows.0.source']],
    ['suppressions/import', { rows: [{ email: 'a', line: 0 }] }, ['body.rows.0.line']],
    ['suppressions/import?map=a:email', { rows: [{ email: 'a' }] }, ['query.map']],
    ['consents/import', { rows: [{ email: 'a', reason: 'x' }] }, ['body.rows.0.reason']],
    ['consents/import', { rows: [{ email: 'a', topics: ['x'] }] }, ['body.rows.0.topics']],
  ]
  for (const [path, body, fields] of bodies)
    t.same(fieldsOf(await one.ask(`POST /send/v1/${path}`, { body })), fields, JSON.stringify(body))
  const apart = await one.ask('POST /send/v1/suppressions/import', {
    raw: '{"rows":[{"email":"a\\u0000@b.example"},{"email":"ok@b.example"}]}',
    headers: { 'content-type': 'application/json' },
  })
  t.match([apart.status, await finished(apart.body.id)], [202, { imported: 1, invalid: 1 }])
  const rows = [
    { email: 'a@b.example', line: 1 },
    { email: 'b@b.example', line: 1 },
  ]
  const twice = await one.ask('POST /send/v1/suppressions/import', { body: { rows } })
  t.same(fieldsOf(twice), ['body.rows.1.line'])
})

t.test('columns with the names of built-in properties are ignored', async (t) => {
  const own = await sender()
  const file = 'email,constructor,__proto__\nbuilt@in.example,a,b\n'
  const { status, body, text } = await csv('suppressions/import', file, own.key)
  t.equal(status, 202, text)
  t.match(await finished(body.id, own.key), { imported: 1, invalid: 0 })
})

t.test('a voucher confirms contacts whose evidence an earlier import has', async (t) => {
  const own = await sender()
  const rows = [{ email: 'twice@a.example', source: 'Shop', given_at: '2024-05-03' }]
  const add = async () => {
    const { body } = await own.ask('POST /send/v1/consents/import', { body: { rows } })
    return await finished(body.id, own.key)
  }
  await add()
  const second = await add()
  const status = async () => (await own.ask('GET /send/v1/contacts/twice@a.example')).body.status
  t.equal(await status(), 'unconfirmed')
  t.ok(await vouchForImport(db, second.id, 'operator', 'signed list'))
  await until(async () => (await status()) === 'confirmed')
})
