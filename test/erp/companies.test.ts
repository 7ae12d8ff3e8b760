import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { fieldsOf } from '../support/ingress.ts'
import { erpStack } from './stack.ts'

const stack = await erpStack(t)
const { ask, search, names, imported } = stack
await stack.startWorker()
const folder = t.testdir({})
const write = async (name: string, text: string | Buffer) => {
  const path = join(folder, name)
  await writeFile(path, text)
  return path
}
const madeUp = fileURLToPath(new URL('../../ops/start/companies.csv', import.meta.url))
const strange = `\ufeffcode;name;previous_names;jurisdiction;vat_number;lei;status;registered_at;city
A-1;"Õunapuu ""Kohvik"" OÜ; ja
 pojad";Vana Nimi AS|Teine Nimi OÜ;xc;;;active;2020-02-29;Ääremaa
A-2;100%_Juice\\Bar Ltd;;xc;GB980780684;;active;2019-01-01;Town
A-3;100 Days Ltd;;xc;GB980780685;;active;31.02.2019;Town
A-4;Łódź Œuvre & Straße Sp. z o.o.;;xc;;5493001KJTIIGC8Y1R12;gone;;
A-5;OÜ;;xc;;;active;;
`
t.test('files are imported: with a byte order mark, quoted line breaks and semicolons too', async (t) => {
  t.match(await imported(madeUp, 'generic', { register: 'Made-up companies', licence: 'None' }), {
    state: 'done',
    counts: { read: 120, added: 120, left_out: 0, values_left_out: 0 },
    faults: [],
  })
  t.match(await imported(await write('strange.csv', strange), 'generic', { register: 'strange' }), {
    state: 'done',
    counts: { read: 5, added: 5, left_out: 0, values_left_out: 2 },
    faults: [
      { line: 5, issue: 'invalid VAT number: GB980780685' },
      { line: 5, issue: 'invalid date: 31.02.2019' },
    ],
  })
})

t.test('web addresses are http or https, or left out', async (t) => {
  const addresses = {
    W1: ['https://shop.example/õ', 'https://shop.example/õ'],
    W2: ['www.kohvik.example/menu', 'http://www.kohvik.example/menu'],
    W3: ['javascript:alert(1)//.example', null],
    W4: ['data:text/html,<script>alert(1)</script>', null],
    W5: ['https://user:secret@shop.example/', null],
    W6: ['none', null],
  }
  const lines = Object.entries(addresses).map(([code, [given]]) => `${code};Site ${code};xw;"${given}"`)
  const file = await write('sites.csv', ['code;name;jurisdiction;website', ...lines, ''].join('\n'))
  t.match(await imported(file, 'generic', { register: 'sites', record_url: 'javascript:alert({code})' }), {
    counts: { added: 6, values_left_out: 4 },
    faults: [{ issue: 'invalid web address: javascript:alert(1)//.example' }, {}, {}, {}],
  })
  for (const [code, [, website]] of Object.entries(addresses)) {
    const { body } = await ask(`GET /v1/erp/companies/${code}?jurisdiction=xw`)
    t.match(body, { website, source: { record_url: null } }, code)
  }
})

t.test('a company is read whole by its code, and named candidates where several have that code', async (t) => {
  const { status, body } = await ask('GET /v1/erp/companies/10000137')
  t.equal(status, 200)
  t.match(body, {
    jurisdiction: 'xa',
    code: '10000137',
    name: 'Delta Logistics OÜ',
    status: 'active',
    vat_number: null,
    legal_form: { code: 'OU', name: 'Private limited company', elf_code: null },
    registered_at: '1996-02-02',
    dissolved_at: null,
    missing_since: null,
    previous_names: [],
    registered_address: { full: 'Mill Street 2, 10001 Kivisild, XA', city: 'Kivisild', country: 'XA' },
    capital: { amount: 5000, currency: 'EUR' },
    activities: [
      { scheme: 'NACE', code: '11.11', primary: true },
      { code: '62.01', primary: false },
    ],
    source: { register: 'Made-up companies', licence: 'None', record_url: null, retrieved_at: String },
  })
  const ambiguous = await ask('GET /v1/erp/companies/10000000')
  t.match(ambiguous, { status: 400, body: { error: { code: 'ambiguous_code' } } })
  t.match(ambiguous.body.error.details.candidates, [{ jurisdiction: 'xa' }, { jurisdiction: 'xb' }])
  t.match((await ask('GET /v1/erp/companies/10000000?jurisdiction=XB')).body, { jurisdiction: 'xb' })
  t.equal((await ask('GET /v1/erp/companies/99999999')).status, 404)
  t.equal((await ask('GET /v1/erp/companies/12417834?jurisdiction=ee')).status, 404)
  t.same(fieldsOf(await ask('GET /v1/erp/companies/12417835?jurisdiction=ee')), ['path.code'])
})

t.test('codes, VAT numbers and LEIs are found exactly, however they are written', async (t) => {
  t.match(await search({ q: ' 1000 0137 ' }), {
    data: [{ code: '10000137', match: { field: 'code', score: 1 } }],
    next_cursor: null,
  })
  t.match((await search({ q: 'gb 980 7806 84' })).data, [{ code: 'A-2', match: { field: 'vat', score: 1 } }])
  t.match((await search({ q: '5493001kjtiigc8y1r12' })).data, [{ code: 'A-4', match: { field: 'lei', score: 1 } }])
  t.match((await search({ vat: 'GB980780684' })).data, [{ code: 'A-2' }])
})

t.test('names that begin so come first, then those like it; forms, marks and case make no difference', async (t) => {
  const found = (await search({ q: 'KESTREL', limit: '100' })).data
  t.ok(found.length >= 3)
  t.ok(found.every(({ name }: { name: string }) => name.startsWith('Kestrel')))
  t.same(await names('kestrel energy as'), await names('Kestrél Energy'))
  t.equal((await names('kestrell enrgy'))[0], 'Kestrel Energy AS')
  t.equal((await names('pohjataht'))[0]?.slice(0, 9), 'Põhjatäht')
  t.same(await names('lodz oeuvre strasse'), ['Łódź Œuvre & Straße Sp. z o.o.'])
  t.same(await names('OÜ Õunapuu'), ['Õunapuu "Kohvik" OÜ; ja pojad'])
  t.match((await search({ q: 'teine nimi' })).data, [{ code: 'A-1', match: { field: 'previous_name', score: 1 } }])
  t.match((await search({ q: 'kohvik' })).data, [{ code: 'A-1', match: { field: 'name', score: 1 } }])
})

t.test('characters of LIKE, of SQL and of no script are letters like others, or none', async (t) => {
  t.same(await names('100%'), ['100 Days Ltd', '100%_Juice\\Bar Ltd'])
  t.same(await names('100%_Juice\\B'), ['100%_Juice\\Bar Ltd'])
  for (const q of [
    '%%',
    '__',
    '\\\\',
    "'; drop table erp.companies; --",
    '%_%',
    '🙂🙂',
    '\ud83d\ude00x',
    '<>',
    '((',
    '\u202e\u200b',
  ])
    t.same(await names(q), [], q)
  t.equal((await ask('GET /v1/erp/companies/%25')).status, 404)
  t.equal((await ask('GET /v1/erp/companies/%00')).status, 400)
})

t.test('pages follow one another through all steps, without a gap or a repeat', async (t) => {
  const all = (await search({ q: 'amber', limit: '100' })).data
  const like = (await search({ q: 'amber kiosk', limit: '100' })).data
  for (const [q, whole] of [
    ['amber', all],
    ['amber kiosk', like],
  ] as const) {
    const seen: unknown[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: { data: unknown[]; next_cursor: string | null } = await search({
        q,
        limit: '2',
        ...(cursor && { cursor }),
      })
      seen.push(...page.data)
      cursor = page.next_cursor
    }
    t.same(seen, whole, q)
  }
  t.ok(like.length > 2)
  const filtered = await search({ jurisdiction: 'xb', status: 'active', limit: '100' })
  t.equal(filtered.data.length, 51)
  t.match(
    await search({ jurisdiction: 'xa', registered_from: '2000-01-01', registered_to: '2000-12-31', limit: '1' }),
    {
      data: [{ registered_at: /^2000/ }],
    },
  )
  t.equal((await search({ city: 'ääremaa' })).data.length, 1)
  t.equal((await search({ legal_form: 'plc', jurisdiction: 'xa' })).data.length, 0)
})

t.test('a word that is in thousands of names is answered with a full page of them, and the next one', async (t) => {
  const lines = Array.from({ length: 2_500 }, (_, i) => `K${i},Savings${i} Bank ${i % 7} Ltd,xk\n`)
  const file = await write(
    'banks.csv',
    `code,name,jurisdiction\n${lines.join('')}K-1,Bank of All Ltd,xk\nK-2,Banks Ltd,xk\n`,
  )
  t.match(await imported(file, 'generic', { register: 'banks' }), { counts: { read: 2_502 } })
  const first = await search({ q: 'bank', limit: '50' })
  t.equal(first.data.length, 50)
  t.same(
    first.data.slice(0, 2).map(({ name }: { name: string }) => name),
    ['Bank of All Ltd', 'Banks Ltd'],
  )
  t.ok(first.data.slice(2).every(({ match }: { match: { score: number } }) => match.score === 1))
  t.equal(first.complete, false, 'some of the names were not looked at, and may come before')
  t.equal((await search({ q: 'bank 3', limit: '50' })).complete, true)
  const second = await search({ q: 'bank', limit: '50', cursor: first.next_cursor })
  const codes = [...first.data, ...second.data].map(({ code }: { code: string }) => code)
  t.equal(new Set(codes).size, 100)
  const limited = await search({ q: 'ltd', jurisdiction: 'xk', limit: '50' })
  t.equal(limited.data.length, 50, 'legal forms, which names are compared without')
  const rest = await search({ q: 'ltd', jurisdiction: 'xk', limit: '50', cursor: limited.next_cursor })
  t.notOk(rest.data.some(({ code }: { code: string }) => code === limited.data.at(-1).code))
  t.equal((await search({ q: 'bank', city: 'nowhere', limit: '50' })).data.length, 0)
})

t.test('what makes no sense is refused by name', async (t) => {
  const bad: [string, string][] = [
    ['q=a', 'query.q'],
    [`q=${'a'.repeat(201)}`, 'query.q'],
    ['q=%00%00', 'query.q'],
    ['jurisdiction=estonia', 'query.jurisdiction'],
    ['status=dead', 'query.status'],
    ['vat=EE101074486', 'query.vat'],
    ['registered_from=2020-02-30', 'query.registered_from'],
    ['limit=0', 'query.limit'],
    ['limit=101', 'query.limit'],
    ['cursor=x', 'query.cursor'],
    [`cursor=${Buffer.from('[1,1,"a\\u0000","x"]').toString('base64url')}`, 'query.cursor'],
    ['city=', 'query.city'],
  ]
  for (const [query, field] of bad) t.same(fieldsOf(await ask(`GET /v1/erp/companies?${query}`)), [field], query)
  t.equal((await ask('GET /v1/erp/companies?q=kestrel', { key: 'bt_live_no' })).status, 401)
})
