import t from 'tap'
import { leastHeldUp, mostHeldUpMs } from '../support/held-up.ts'
import { fieldsOf } from '../support/ingress.ts'
import { sending } from './sending.ts'

const { ingress, sender } = await sending(t)
const one = await sender()
type Sender = Awaited<ReturnType<typeof sender>>
const add = (email: string, more = {}, by: Sender = one) =>
  by.ask('POST /send/v1/contacts', { body: { email, consent_source: 'form', ...more } })
const change = (email: string, body: object, key = one.key) =>
  one.ask(`PATCH /send/v1/contacts/${email}`, { body, key })
const read = async (email: string, key = one.key) => (await one.ask(`GET /send/v1/contacts/${email}`, { key })).body
const importCsv = (raw: string, ...map: string[]) =>
  ingress.ask(`POST /send/v1/contacts/import?${map.map((each) => `map=${encodeURIComponent(each)}`).join('&')}`, {
    key: one.key,
    raw,
    headers: { 'content-type': 'text/csv' },
  })

t.test('a contact has a name, attributes and tags, which change apart from its consent', async (t) => {
  const known = { name: 'Ann Lee', attributes: { city: 'Tallinn', orders: 3 }, tags: ['vip', 'customer', 'vip'] }
  const added = await add('ann@people.example', known)
  t.match([added.status, added.body], [201, { ...known, tags: ['customer', 'vip'], status: 'confirmed' }])
  const again = await add('ann@people.example', { attributes: { plan: 'pro' } })
  t.match(again.body, { name: 'Ann Lee', attributes: { plan: 'pro' }, tags: ['customer', 'vip'] })
  t.notOk('city' in again.body.attributes, 'attributes that are given take the place of all')
  const changed = await change('ann@people.example', {
    attributes: { plan: null, address: { zip: '10111' } },
    add_tags: ['eu'],
    remove_tags: ['vip'],
  })
  t.match(changed.body, { name: 'Ann Lee', tags: ['customer', 'eu'], status: 'confirmed' })
  t.same(changed.body.attributes, { address: { zip: '10111' } })
  t.equal((await change('ann@people.example', { name: null, tags: [] })).body.name, null)
  t.same((await read('ann@people.example')).tags, [])
  t.same((await read('ann@people.example')).history.length, 1, 'its history is that of its consent alone')
  t.equal((await change('nobody@people.example', { name: 'x' })).status, 404)
  t.equal(
    (await (await sender()).ask('PATCH /send/v1/contacts/ann@people.example', { body: { name: 'x' } })).status,
    404,
  )
})

t.test('it has no more than it may, also by what is added later', async (t) => {
  const tags = Array.from({ length: 50 }, (_, n) => `t${n}`)
  await add('full@people.example', { tags, attributes: { a: 'x'.repeat(4_000) } })
  t.same(fieldsOf(await change('full@people.example', { add_tags: ['more'] })), ['body.add_tags'])
  t.same(fieldsOf(await change('full@people.example', { attributes: { b: 'y'.repeat(200) } })), ['body.attributes'])
  t.equal((await change('full@people.example', { attributes: { a: 1, b: 'y'.repeat(200) } })).status, 200)
  const csv = await importCsv('email,b\nfull@people.example,z\n', 'b:tags')
  t.match(csv.body, { imported: 0, existing: 1, errors: [{ line: 2, issue: /keeps its old values/ }] })
})

t.test('a test key neither reads nor changes a live contact', async (t) => {
  await add('real@people.example', { name: 'Real', tags: ['a'] })
  t.equal((await change('real@people.example', { name: 'Tried' }, one.sandbox)).status, 404)
  t.match(await read('real@people.example', one.sandbox), { error: { code: 'not_found' } })
  t.equal((await read('real@people.example')).name, 'Real')
})

t.test(
  'a file’s columns become names, tags and attributes of their type, also of contacts that are there',
  async (t) => {
    await add('there@people.example', { name: 'There', attributes: { city: 'Riga', kept: 1 }, tags: ['old'] })
    const file =
      'E-Mail;Full name;City;Orders;VIP;Groups\r\n' +
      'new@people.example;"Lee; Ann";Tallinn;3;yes;a, b\r\n' +
      'there@people.example;;Vilnius;;no;c\r\n' +
      'bad@people.example;Bob;;x;;' +
      `${'t'.repeat(65)}\r\n`
    const map = ['E-Mail:email', 'full NAME:name', 'City:attributes.city', 'Orders:attributes.orders:number']
    const reply = await importCsv(file, ...map, 'VIP:attributes.vip:boolean', 'Groups:tags')
    t.match(reply.body, { imported: 1, existing: 1, invalid: 1, errors: [{ line: 4, issue: /tags/ }] })
    t.match(await read('new@people.example'), {
      status: 'unconfirmed',
      name: 'Lee; Ann',
      attributes: { city: 'Tallinn', orders: 3, vip: true },
      tags: ['a', 'b'],
    })
    t.match(await read('there@people.example'), {
      status: 'confirmed',
      name: 'There',
      attributes: { city: 'Vilnius', kept: 1, vip: false },
      tags: ['c', 'old'],
    })
    const json = await one.ask('POST /send/v1/contacts/import', {
      body: { contacts: [{ email: 'json@people.example', name: 'Json', attributes: { a: [1] }, tags: ['x'] }] },
    })
    t.match(json.body, { imported: 1 })
    t.match(await read('json@people.example'), { name: 'Json', attributes: { a: [1] }, tags: ['x'] })
  },
)

t.test('one address in every line is one contact, and holds nobody up', async (t) => {
  const rows = Array.from({ length: 9_000 }, (_, n) => `same@people.example,${n % 40},t${n % 3}`)
  const began = performance.now()
  const reply = await importCsv(`email,n,g\n${rows.join('\n')}`, 'n:attributes.n:number', 'g:tags')
  t.match(reply.body, { imported: 1, existing: 8_999, errors: [] })
  t.match(await read('same@people.example'), { attributes: { n: 8_999 % 40 }, tags: ['t0', 't1', 't2'] })
  t.ok(performance.now() - began < 30_000)
})

t.test('what a column cannot be for is named, and so is a column that is not there', async (t) => {
  const bad = [
    'name',
    'City:town',
    'City:attributes',
    'City:attributes.a.b',
    'City:attributes.a-b',
    ':name',
    'A:name:number',
  ]
  for (const map of bad) t.same(fieldsOf(await importCsv('email,City,A\na@b.example,x,y', map)), ['query.map'], map)
  t.same(fieldsOf(await importCsv('email,City\na@b.example,x', 'Town:name')), ['query.map'])
  t.same(fieldsOf(await importCsv('email,A,B\na@b.example,x,y', 'A:name', 'B:name')), ['query.map'])
  const json = await one.ask('POST /send/v1/contacts/import?map=a:name', {
    body: { contacts: [{ email: 'a@b.example' }] },
  })
  t.same(fieldsOf(json), ['query.map'])
})

t.test('4 MB of commas are read beside everything else, and are refused or imported', async (t) => {
  const commas = `email,name\n${`${','.repeat(60_000)}\n`.repeat(69)}`
  const answer = await importCsv(commas)
  t.equal(answer.status, 400, answer.text)
  t.ok((await leastHeldUp(() => importCsv(commas))) <= mostHeldUpMs)
  const tags = `email,groups\n${`ann@people.example,"${'a|'.repeat(30_000)}"\n`.repeat(60)}`
  t.match((await importCsv(tags, 'groups:tags')).body.error.details, [{ issue: 'must have at most 100000 values' }])
})

t.test('a character that cannot be stored refuses its own line', async (t) => {
  const body = `{"contacts":[{"email":"bea@people.example","name":"\\ud800"},{"email":"carl@people.example","name":"Carl"}]}`
  const headers = { 'content-type': 'application/json' }
  const answer = await ingress.ask('POST /send/v1/contacts/import', { key: one.key, raw: body, headers })
  t.match(answer.body, {
    imported: 1,
    invalid: 1,
    errors: [{ line: 1, issue: /^name must not contain invalid characters/ }],
  })
  const emails = `{"emails":["\\ud800@people.example","carl@people.example"]}`
  const checked = await ingress.ask('POST /send/v1/verify/bulk', { key: one.key, raw: emails, headers })
  t.match(checked.body.results, [{ reason: 'syntax' }, { email: 'carl@people.example' }])
})
