import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { answerQueries } from '../../ingress/erp/reconcile/queries.ts'
import { testOrg } from '../support/ingress.ts'
import { erpStack } from './stack.ts'

const stack = await erpStack(t)
const { ingress, imported } = stack
const path = join(t.testdir({}), 'companies.csv')
await stack.startWorker()
const lines = [
  'code,name,status,city,postal_code,jurisdiction,vat_number',
  'R1,Kestrel Energy AS,active,Avalinn,10001,xr,XR123',
  'R2,Kestrel Energie Ltd,active,Avalinn,10002,xr,',
  'R3,Double Name Ltd,active,Avalinn,10003,xr,',
  'R4,Double Name AS,active,Bergen,10004,xr,',
  'R1,Kestrel Energy AS,active,Elsewhere,1,xs,',
  'R7,Heron Power Ltd,active,Avalinn,10007,xr,',
  'R8,Heron Works Ltd,active,Avalinn,10008,xr,XR888',
]
await writeFile(path, lines.join('\n'))
await imported(path, 'generic', { register: 'reconciled' })
const { keys } = await testOrg(stack.db, ['erp:write'])
const ask = (request: string, options: object = {}) => ingress.ask(request, { key: keys.main, ...options })
const made = (await ask('POST /v1/erp/reconcilers', { body: { name: 'OpenRefine' } })).body
const base = new URL(made.url).pathname

/** Sends what OpenRefine sends: a form with JSON in a field, without a key. */
const send = (form: Record<string, unknown>) =>
  ingress.ask(`POST ${base}`, {
    raw: new URLSearchParams(
      Object.entries(form).map(([name, value]): [string, string] => [name, JSON.stringify(value)]),
    ).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })

t.test('the manifest names the services, which every origin may call', async (t) => {
  const { body, headers } = await ingress.ask(`GET ${base}`)
  t.match(body, {
    versions: ['0.1', '0.2'],
    name: 'Millrace company registry',
    identifierSpace: `${made.url}/entities/`,
    defaultTypes: [{ id: 'company' }],
    view: { url: `${made.url}/preview?id={{id}}` },
    suggest: { entity: { service_url: made.url, service_path: '/suggest/entity' } },
    extend: { propose_properties: { service_url: made.url, service_path: '/extend/propose' } },
  })
  t.equal(headers.get('access-control-allow-origin'), '*')
  t.match((await ask('GET /v1/erp/reconcilers')).body.data, [{ url: made.url, last_used_at: String }])
})

t.test('only a safe candidate is a match', async (t) => {
  const { status, body } = await send({
    queries: {
      q0: { query: 'KESTREL ENERGY', type: 'company-xr' },
      q1: { query: 'Kestrel Energy', type: 'company' },
      q2: { query: 'Double Name', type: ['company-xr'] },
      q3: { query: 'Double Name', type: 'company-xr', properties: [{ pid: 'code', v: 'R4' }] },
      q4: { query: 'Kestrl Enery', properties: [{ pid: 'vat_number', v: ['XR 123'] }] },
      q5: { query: 'Something Else Entirely', properties: [{ pid: 'vat_number', v: 'XR123' }] },
      q6: { query: 'Kestrel Energy', type: 'company-xr', properties: [{ pid: 'code', v: { id: 'R2' } }] },
      q7: { query: 'Nothing like it', limit: 1 },
    },
  })
  t.equal(status, 200)
  const first = (name: string) => body[name].result[0]
  t.match(first('q0'), {
    id: 'xr:R1',
    name: 'Kestrel Energy AS',
    match: true,
    type: [{ id: 'company' }, { id: 'company-xr' }],
  })
  t.match(body.q1.result.slice(0, 2), [{ match: false }, { match: false }], 'two jurisdictions have the name')
  t.match(body.q2.result.slice(0, 2), [{ match: false }, { match: false }], 'two companies have the name')
  t.match(first('q3'), { id: 'xr:R4', score: 100, match: true })
  t.equal(body.q3.result[1].match, false)
  t.match(first('q4'), { id: 'xr:R1', match: true })
  t.match(first('q5'), { id: 'xr:R1', match: false }, 'the same VAT number with another name')
  t.match(
    body.q6.result.find(({ id }: { id: string }) => id === 'xr:R1'),
    { match: false },
    'another code',
  )
  t.same(body.q7.result, [])
})

t.test('if several companies fit, none is a match', async (t) => {
  const { body } = await send({
    queries: {
      q0: { query: 'Kestrel Energy', properties: [{ pid: 'code', v: 'R1' }] },
      q1: { query: 'Heron Power', type: 'company-xr', properties: [{ pid: 'vat_number', v: 'XR888' }] },
      q2: { query: 'Heron Power', type: 'company-xr' },
    },
  })
  const matching = (name: string) => body[name].result.filter(({ match }: { match: boolean }) => match)
  t.equal(body.q0.result.length >= 2, true)
  t.same(matching('q0'), [], 'the code exists in two jurisdictions')
  t.same(matching('q1'), [], 'one company has the name, another one the VAT number')
  t.match(matching('q2'), [{ id: 'xr:R7' }])
})

t.test('a batch that takes too long is an error, because an empty result means that there is no company', async (t) => {
  const queries = { q: { query: 'Kestrel Energy', limit: 5, properties: [] } }
  await t.rejects(answerQueries(stack.db, queries, -1), { message: /took too long/ })
  t.match(await answerQueries(stack.db, queries), { q: { result: [{ id: /R1$/ }] } })
})

t.test('the same matches by API, for records of a program', async (t) => {
  const queries = [
    { name: 'Kestrel Energy', jurisdiction: 'xr' },
    { name: 'Double Name', city: 'Bergen' },
  ]
  const { body } = await ask('POST /v1/erp/match', { body: { queries, limit: 1 } })
  t.match(body.results, [
    { candidates: [{ jurisdiction: 'xr', code: 'R1', match: true, score: 90 }] },
    { candidates: [{ code: 'R4', match: false }] },
  ])
})

t.test('properties extend the table, and companies, properties and types are suggested', async (t) => {
  const { body } = await send({
    extend: { ids: ['xr:R1', 'xr:NONE', 'bad'], properties: [{ id: 'city' }, { id: 'vat_number' }] },
  })
  t.same(body, {
    meta: [
      { id: 'city', name: 'City' },
      { id: 'vat_number', name: 'VAT number' },
    ],
    rows: {
      'xr:R1': { city: [{ str: 'Avalinn' }], vat_number: [{ str: 'XR123' }] },
      'xr:NONE': { city: [], vat_number: [] },
      bad: { city: [], vat_number: [] },
    },
  })
  const get = async (part: string) => (await ingress.ask(`GET ${base}${part}`)).body
  t.match((await get('/suggest/entity?prefix=kestr')).result, [{ id: /^x[rs]:R/ }])
  t.match((await get('/suggest/property?prefix=VAT')).result, [{ id: 'vat_number' }])
  t.match((await get('/suggest/type?prefix=xr')).result, [{ id: 'company-xr' }])
  t.match((await get('/extend/propose')).properties, [{ id: 'name' }])
  t.match(
    await get(`?queries=${encodeURIComponent(JSON.stringify({ q: { query: 'Kestrel', type: 'company-xr' } }))}`),
    {
      q: { result: [{ id: /^xr:R[12]$/ }] },
    },
  )
  const page = await ingress.ask(`GET ${base}/preview?id=xr:R1`)
  t.match(page.text, /<h1>Kestrel Energy AS<\/h1>/)
  t.match(page.headers.get('content-security-policy'), /frame-ancestors \*/)
})

t.test('bad input is named, and an unknown or deleted URL is a 404', async (t) => {
  const query = { query: 'x y' }
  const wrong: [Record<string, unknown>, string][] = [
    [{}, 'body'],
    [{ queries: 'x' }, 'body.queries'],
    [{ queries: [query] }, 'body.queries'],
    [{ queries: { q: {} } }, 'body.queries.q.query'],
    [{ queries: { q: { query: '' } } }, 'body.queries.q.query'],
    [{ queries: { q: { query: 'x'.repeat(201) } } }, 'body.queries.q.query'],
    [{ queries: { q: { ...query, type: 'person' } } }, 'queries.q.type'],
    [{ queries: { q: { ...query, limit: 0 } } }, 'body.queries.q.limit'],
    [{ queries: { q: { ...query, limit: 21 } } }, 'body.queries.q.limit'],
    [{ queries: { q: { ...query, properties: {} } } }, 'body.queries.q.properties'],
    [{ queries: { q: { ...query, properties: [{ pid: 1, v: 'x' }] } } }, 'body.queries.q.properties.0.pid'],
    [{ queries: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`q${i}`, query])) }, 'body.queries'],
    [{ extend: { ids: [], properties: [{ id: 'city' }] } }, 'body.extend.ids'],
    [{ extend: { ids: ['xr:R1'], properties: [{ id: 'capital' }] } }, 'extend.properties.0.id'],
    [{ extend: { ids: ['xr:R1'], properties: [{ id: '__proto__' }] } }, 'extend.properties.0.id'],
    [{ queries: {}, extend: { ids: ['xr:R1'], properties: [{ id: 'city' }] } }, 'body.queries'],
  ]
  for (const [form, field] of wrong)
    t.match(
      await send(form),
      { status: 400, body: { error: { details: [{ field }] } } },
      JSON.stringify(form).slice(0, 80),
    )
  const text = await ingress.ask(`POST ${base}`, {
    raw: 'queries={',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  t.match(text, { status: 400, body: { error: { details: [{ field: 'body.queries', issue: 'must be JSON' }] } } })
  t.match(await ingress.ask(`GET ${base}?callback=f`), {
    status: 400,
    body: { error: { details: [{ field: 'query.callback' }] } },
  })
  t.equal((await ingress.ask(`GET ${base}x`)).status, 404)
  t.equal((await ingress.ask(`GET /reconcile/${'a'.repeat(43)}`)).status, 404)
  t.equal((await ingress.ask(`GET ${base}/preview?id=xr:NONE`)).status, 404)
  t.equal((await stack.ask('POST /v1/erp/reconcilers', { body: { name: 'x' } })).status, 403)
  t.match(await ask('POST /v1/erp/reconcilers', { body: { name: '' } }), { status: 400 })
  const other = await testOrg(stack.db, ['erp:write'])
  t.equal((await ask(`DELETE /v1/erp/reconcilers/${made.id}`, { key: other.keys.main })).status, 404)
  t.equal((await ask(`DELETE /v1/erp/reconcilers/${made.id}`)).status, 200)
  t.equal((await ingress.ask(`GET ${base}`)).status, 404)
})
