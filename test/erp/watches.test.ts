import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import * as rules from '#sql/automation/rules.ts'
import { sql } from '#sql/db.ts'
import { testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { erpStack } from './stack.ts'

const stack = await erpStack(t)
const { db, imported, ingress } = stack
const folder = t.testdir({})
await stack.startWorker()
const { keys, org } = await testOrg(db, ['erp:write', 'account:webhooks'])
const ask = (request: string, options: object = {}) => ingress.ask(request, { key: keys.main, ...options })
const other = await testOrg(db, ['erp:write'])

const Event = z.object({ data: z.record(z.string(), z.unknown()) })
const eventsOf = (orgId: string) =>
  db.anyFirst(sql.type(Event)`
    select data from webhooks.events where org_id = ${orgId} and type = 'erp.company.changed' order by id`)

const header = 'code,name,status,city,jurisdiction'
async function importLines(...lines: string[]) {
  const path = join(folder, 'companies.csv')
  await writeFile(path, [header, ...lines, 'Z9,Filler,active,Town,xd'].join('\n'))
  return await imported(path, 'generic', { register: 'watched', anyway: true })
}

await importLines('A1,First Ltd,active,Oldtown,xd', 'B2,Second Ltd,active,Town,xd', 'A1,First of xe,active,Town,xe')

t.test('a company is watched once, with its note, and others can watch it too', async (t) => {
  const body = { code: 'A1', jurisdiction: 'xd', note: 'supplier' }
  const { status, body: watch } = await ask('POST /v1/erp/watches', { body })
  t.equal(status, 201)
  t.match(watch, {
    jurisdiction: 'xd',
    code: 'A1',
    name: 'First Ltd',
    status: 'active',
    note: 'supplier',
    changed_at: null,
  })
  const again = await ask('POST /v1/erp/watches', { body: { code: 'A1', jurisdiction: 'xd' } })
  t.match(again.body, { id: watch.id, note: 'supplier' })
  const theirs = await ingress.ask('POST /v1/erp/watches', { key: other.keys.main, body: { ...body, note: null } })
  t.not(theirs.body.id, watch.id)
  t.match((await ask('GET /v1/erp/watches')).body.data, [{ id: watch.id }])
  t.equal((await ask('GET /v1/erp/watches')).body.data.length, 1)
  t.equal((await ask(`GET /v1/erp/watches/${theirs.body.id}`)).status, 404)
  t.equal((await ask(`DELETE /v1/erp/watches/${theirs.body.id}`)).status, 404)
  const changed = await ask(`PATCH /v1/erp/watches/${watch.id}`, { body: { note: 'our supplier' } })
  t.match(changed.body, { id: watch.id, note: 'our supplier' })
})

t.test('each change of a watched company is one event for each organisation that watches it', async (t) => {
  const made = await ask('POST /v1/account/webhooks', {
    body: { url: 'https://hooks.example/erp', types: ['erp.company.changed'] },
  })
  t.equal(made.status, 201, made.text)
  await importLines('A1,First Limited,bankrupt,Newtown,xd', 'B2,Second Ltd,bankrupt,Town,xd')
  const [event] = await until(async () => {
    const found = await eventsOf(org.id)
    return found.length > 0 && found
  })
  t.match(event, {
    jurisdiction: 'xd',
    code: 'A1',
    name: 'First Limited',
    note: 'our supplier',
    register: 'watched',
    changes: [
      { field: 'name', before: 'First Ltd', after: 'First Limited' },
      { field: 'registered_address.city', before: 'Oldtown', after: 'Newtown' },
      { field: 'status', before: 'active', after: 'bankrupt' },
      { field: 'status_raw', before: 'active', after: 'bankrupt' },
    ],
  })
  await importLines('A1,First Limited,bankrupt,Newtown,xd', 'B2,Second Ltd,active,Town,xd')
  await importLines('B2,Second Ltd,active,Town,xd')
  const events = await until(async () => {
    const found = await eventsOf(org.id)
    return found.length > 1 && found
  })
  t.equal(events.length, 2, 'an import that changes nothing sends no event')
  const fields = ((events[1]?.changes ?? []) as { field: string }[]).map(({ field }) => field)
  t.same(fields, ['missing_since', 'status'])
  t.match((await ask('GET /v1/erp/watches')).body.data, [{ changed_at: String, status: 'dissolved' }])
})

t.test('a closed organisation with a rule for the event does not stop the events of others', async (t) => {
  const before = (await eventsOf(org.id)).length
  await db.transaction(async (tx) => {
    await rules.insert(tx, {
      ...{ id: newId(), org_id: other.org.id, key_id: null, name: 'x', event: 'erp.company.changed', mode: null },
      ...{ conditions: [], action: { type: 'template', template: 'x', to: 'a@b.example', from: null, variables: {} } },
      ...{ secret_headers: null, max_per_minute: 60, state: 'enabled' },
    })
    await tx.query(sql.typeAlias('void')`
      insert into account.closures (id, org_id, requested_by_kind, due_at)
      values (${newId()}, ${other.org.id}, 'user', now() + interval '14 days')`)
  })
  await importLines('A1,First Again Ltd,active,Newtown,xd', 'B2,Second Ltd,active,Town,xd')
  const events = await until(async () => {
    const found = await eventsOf(org.id)
    return found.length > before && found
  })
  t.match(events.at(-1), { name: 'First Again Ltd' })
})

t.test('bad input is named, and the number of watches is limited', async (t) => {
  const wrong: [object, string][] = [
    [{}, 'body.code'],
    [{ code: '' }, 'body.code'],
    [{ code: 7 }, 'body.code'],
    [{ code: 'x'.repeat(61) }, 'body.code'],
    [{ code: 'A1', jurisdiction: 'estonia' }, 'body.jurisdiction'],
    [{ code: 'A1', note: 'x'.repeat(501) }, 'body.note'],
    [{ code: 'A1', note: 7 }, 'body.note'],
    [{ code: 'A1', url: 'x' }, 'body.url'],
    [{ code: '123', jurisdiction: 'ee' }, 'body.code'],
  ]
  for (const [body, field] of wrong)
    t.match(await ask('POST /v1/erp/watches', { body }), { status: 400, body: { error: { details: [{ field }] } } })
  t.match(await ask('POST /v1/erp/watches', { body: { code: 'A1' } }), {
    status: 400,
    body: { error: { code: 'ambiguous_code' } },
  })
  t.equal((await ask('POST /v1/erp/watches', { body: { code: 'NONE' } })).status, 404)
  t.equal((await stack.ask('POST /v1/erp/watches', { body: { code: 'A1' } })).status, 403)
  await db.query(sql.typeAlias('void')`
    insert into erp.watches (id, org_id, jurisdiction, code)
    select gen_random_uuid(), ${org.id}, 'xz', n::text from generate_series(1, 999) as n`)
  t.match(await ask('POST /v1/erp/watches', { body: { code: 'B2' } }), {
    status: 409,
    body: { error: { code: 'too_many_watches' } },
  })
})
