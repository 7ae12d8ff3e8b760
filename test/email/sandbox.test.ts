import t from 'tap'
import { sql } from '#sql/db.ts'
import { limits } from '#sql/email/sandbox.ts'
import { pruneArea } from '../support/prune.ts'
import { sending } from './sending.ts'

const { db, sender } = await sending(t)

t.test('a sandbox key suppresses nobody, and lets nobody go', async (t) => {
  const one = await sender()
  const asTest = (request: string, body?: object) => one.ask(request, { key: one.sandbox, ...(body && { body }) })
  t.equal((await asTest('POST /send/v1/suppressions', { email: 'ann@rcpt.example' })).status, 403)
  t.equal((await one.ask('POST /send/v1/suppressions', { body: { email: 'bob@rcpt.example' } })).status, 201)
  t.equal((await asTest('DELETE /send/v1/suppressions/bob@rcpt.example')).status, 403)
  const { data } = (await one.ask('GET /send/v1/suppressions')).body
  t.same(
    data.map(({ email }: { email: string }) => email),
    ['bob@rcpt.example'],
  )
})

t.test('a contact of a sandbox key is nobody to a live one, and changes none', async (t) => {
  const one = await sender()
  const asTest = (request: string, body?: object) => one.ask(request, { key: one.sandbox, ...(body && { body }) })
  t.equal((await one.ask('POST /send/v1/contacts', { body: { email: 'real@rcpt.example' } })).status, 201)
  t.equal((await asTest('POST /send/v1/contacts', { email: 'ann@rcpt.example' })).status, 201)
  t.equal((await asTest('POST /send/v1/contacts/import', { contacts: [{ email: 'bob@rcpt.example' }] })).status, 200)
  t.equal((await one.ask('GET /send/v1/contacts/ann@rcpt.example')).status, 404)
  const listed = async (key: string) =>
    (await one.ask('GET /send/v1/contacts', { key })).body.data.map(({ email }: { email: string }) => email)
  t.same(await listed(one.key), ['real@rcpt.example'])
  t.same((await listed(one.sandbox)).sort(), ['ann@rcpt.example', 'bob@rcpt.example'], 'nor is a live one shown to it')
  const pages: string[] = []
  for (let cursor = ''; cursor !== 'null'; ) {
    const { body } = await asTest(`GET /send/v1/contacts?limit=1${cursor && `&cursor=${cursor}`}`)
    pages.push(...body.data.map(({ email }: { email: string }) => email))
    cursor = String(body.next_cursor ?? null)
  }
  t.same(pages, await listed(one.sandbox), 'page by page, too')
  t.match((await asTest('GET /send/v1/contacts/ann@rcpt.example')).body, {
    status: 'confirmed',
    history: [{ kind: 'added', source: 'api' }],
  })

  const subscribed = { stream: 'subscribed', to: 'ann@rcpt.example' }
  t.equal((await one.send(subscribed, { key: one.sandbox })).status, 202, 'its sandbox may write to it')
  t.equal((await one.send(subscribed)).status, 403, 'and nobody else')

  const left = await asTest('POST /send/v1/contacts/real@rcpt.example/unsubscribe')
  t.match(left, { status: 200, body: { status: 'unsubscribed' } })
  t.match((await one.ask('GET /send/v1/contacts/real@rcpt.example')).body, {
    status: 'confirmed',
    history: { length: 1 },
  })
  t.match((await asTest('GET /send/v1/contacts/real@rcpt.example')).body, { status: 'unsubscribed' })
  t.equal((await asTest('DELETE /send/v1/contacts/bob@rcpt.example')).status, 200)
  t.equal((await one.ask('POST /send/v1/contacts', { body: { email: 'other@rcpt.example' } })).status, 201)
  t.equal((await asTest('DELETE /send/v1/contacts/other@rcpt.example')).status, 404, 'it removes none but its own')
  t.equal((await one.ask('GET /send/v1/contacts/other@rcpt.example')).status, 200)
})

t.test(
  'what a sandbox keeps is forgotten after a week, and its contacts can be removed whatever they are',
  async (t) => {
    const one = await sender()
    const send = async (key: string) => (await one.send({}, { key })).body.id
    const [old, real, recent] = [await send(one.sandbox), await send(one.key), await send(one.sandbox)]
    await db.query(sql.typeAlias('void')`
    update email.sandbox_messages set created_at = now() - interval '8 days' where message_id = ${old}`)
    await db.query(sql.typeAlias('void')`
    update email.messages set created_at = now() - interval '8 days' where id in (${old}, ${real})`)
    await pruneArea(db, 'email')
    const statuses = [old, real, recent].map(async (id) => (await one.ask(`GET /send/v1/messages/${id}`)).status)
    t.same(await Promise.all(statuses), [404, 200, 200])
    const contents = await db.oneFirst(sql.typeAlias('count')`
    select count(*) from email.contents where org_id = ${one.orgId}`)
    t.equal(contents, 2, 'nor what it said')

    const asTest = (request: string) => one.ask(request, { key: one.sandbox })
    t.equal((await asTest('POST /send/v1/contacts/left@rcpt.example/unsubscribe')).status, 200)
    t.equal((await asTest('DELETE /send/v1/contacts/left@rcpt.example')).status, 200)
    t.equal((await asTest('GET /send/v1/contacts/left@rcpt.example')).status, 404)
    t.equal((await one.ask('POST /send/v1/contacts/gone@rcpt.example/unsubscribe')).status, 200)
    t.equal((await one.ask('DELETE /send/v1/contacts/gone@rcpt.example')).status, 409)
    t.equal((await asTest('DELETE /send/v1/contacts/gone@rcpt.example')).status, 404, 'it is not the sandbox’s')
  },
)

t.test('a sandbox keeps so many messages, so many bytes and so many contacts', async (t) => {
  const one = await sender()
  const send = (fields: Record<string, unknown> = {}) => one.send(fields, { key: one.sandbox })
  const first = await send()
  t.equal(first.status, 202)
  const fill = (column: 'bytes' | 'rows', count: number) =>
    column === 'bytes'
      ? db.query(
          sql.typeAlias('void')`update email.sandbox_messages set bytes = ${count} where message_id = ${first.body.id}`,
        )
      : db.query(sql.typeAlias('void')`
          with more as (
            insert into email.messages select (jsonb_populate_record(m, jsonb_build_object('id', gen_random_uuid(), 'message_id', n))).*
            from email.messages as m, generate_series(1, ${count}) as n where m.id = ${first.body.id} returning id)
          insert into email.sandbox_messages select id, ${one.orgId}, 1 from more`)
  await fill('bytes', limits.bytes - 5_000)
  t.equal((await send()).status, 202)
  const large = await send({ text: 'x'.repeat(10_000) })
  t.match(large, {
    status: 409,
    body: { error: { code: 'sandbox_limit', details: { max_messages: limits.messages, max_bytes: limits.bytes } } },
  })
  t.equal((await one.send({ text: 'x'.repeat(10_000) })).status, 202, 'a live key has none of it')
  await fill('bytes', 1)
  await fill('rows', limits.messages - 12)
  const replies = await Promise.all(Array.from({ length: 40 }, () => send()))
  t.equal(replies.filter(({ status }) => status === 202).length, 10)
  t.ok(replies.every(({ status, body }) => status === 202 || body.error.code === 'sandbox_limit'))
  await db.query(sql.typeAlias('void')`delete from email.messages where id = ${first.body.id}`)
  t.equal((await send()).status, 202, 'what is forgotten makes room')

  const contacts = (from: number, count: number) => ({
    contacts: Array.from({ length: count }, (_, n) => ({ email: `c${from + n}@rcpt.example` })),
  })
  const importAll = (from: number, count: number) =>
    one.ask('POST /send/v1/contacts/import', { key: one.sandbox, body: contacts(from, count) })
  t.match(await importAll(0, limits.contacts), { status: 200, body: { imported: limits.contacts } })
  t.match(await importAll(0, limits.contacts), { status: 200, body: { imported: 0 } }, 'the same again')
  t.match(await importAll(limits.contacts, 1), { status: 409, body: { error: { code: 'sandbox_limit' } } })
})
