import t from 'tap'
import { newId } from '#lib/ids.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { authoring, wikiKeys } from './authors.ts'
import { proveBy } from './proven.ts'

const { db, ingress, one, write, read, draft, published } = await authoring(t, ['account'])
const place = (id: string, parent_id: string | null, position?: number) =>
  write(`PUT /articles/${id}/place`, { parent_id, ...(position !== undefined && { position }) })
const titles = async (path = '/tree') =>
  (await write(`GET ${path}`)).body.articles.map(
    ({ title, depth }: { title: string; depth: number }) => `${depth} ${title}`,
  )

t.test('articles lie below others, in their order; readers see what is published, wherever that lies', async (t) => {
  const [top, second, third, hidden] = [
    await published({ title: 'Bridges' }),
    await published({ title: 'Harbour bridge' }),
    await published({ title: 'Arch bridge' }),
    await draft({ title: 'Hidden' }),
  ]
  t.equal((await place(second.id, top.id, 2)).status, 200)
  t.equal((await place(third.id, top.id, 1)).status, 200)
  t.equal((await place(hidden.id, top.id)).status, 200)
  t.strictSame(await titles(), ['0 Bridges', '1 Arch bridge', '1 Harbour bridge'])
  t.strictSame(await titles('/admin/tree'), ['0 Bridges', '1 Hidden', '1 Arch bridge', '1 Harbour bridge'])
  const below = await published({ title: 'Of a draft' })
  await place(below.id, hidden.id)
  t.strictSame(
    (await titles()).filter((line: string) => line.endsWith('Of a draft')),
    ['0 Of a draft'],
  )
  const page = (await ingress.ask(`GET /wiki/${top.slug}`)).text
  t.ok(page.indexOf('Arch bridge') < page.indexOf('Harbour bridge'))
  t.notMatch(page, /Hidden/)
  t.match(
    (await ingress.ask(`GET /wiki/${second.slug}`)).text,
    /<nav aria-label="Parent articles"[^>]*><a href="\/wiki\/bridges">Bridges/,
  )
  t.equal((await read('/tree')).status, 200)
  t.equal((await read('/admin/tree')).status, 403)
})

t.test('none lies below itself, however many change the tree at once, nor more than ten deep', async (t) => {
  const [a, b] = [await draft({ title: 'A' }), await draft({ title: 'B' })]
  const both = await Promise.all([place(a.id, b.id), place(b.id, a.id)])
  t.strictSame(both.map(({ status }) => status).sort(), [200, 409])
  t.match(await place(a.id, a.id), { status: 400 })
  let above = (await draft({ title: 'Deep 0' })).id
  const made = []
  for (let depth = 1; depth <= 10; depth++) {
    const { id } = await draft({ title: `Deep ${depth}` })
    made.push((await place(id, above)).status)
    above = id
  }
  t.strictSame(made, [...Array.from({ length: 9 }, () => 200), 409])
})

t.test('where reviews are required, whoever wrote a version neither publishes nor approves it', async (t) => {
  const { org, keys } = await testOrg(db, [], {
    keys: {
      author: wikiKeys.author,
      other: { prefix: 'bt_live_', scopes: ['wiki:write'] },
      owner: { prefix: 'bt_live_', scopes: ['wiki:write', 'account:write', 'account:audit'] },
    },
  })
  const by = (key: string, request: string, body?: unknown) =>
    ingress.ask(request.replace(' ', ' /v1/wiki'), { key, body })
  t.match((await by(keys.author, 'GET /admin/settings')).body, { review: 'none' })
  t.equal((await by(keys.author, 'PUT /admin/settings', { review: 'none' })).status, 403)
  for (const _ of ['once', 'again'])
    t.match((await by(keys.owner, 'PUT /admin/settings', { review: 'required' })).body, { review: 'required' })
  const { body: log } = await ingress.ask('GET /v1/account/audit', { key: keys.owner })
  const told = { action: 'wiki_settings.updated', before: { review: 'none' }, after: { review: 'required' } }
  t.match(
    log.data.filter(({ action }: { action: string }) => action === told.action),
    [told],
  )
  const { id } = (await by(keys.author, 'POST /articles', { title: 'Reviewed', body: 'One.' })).body
  await proveBy(db, org.id, id)
  const publish = (key: string, base_version: number, more = {}) =>
    by(key, `PUT /articles/${id}`, { status: 'published', base_version, ...more })
  t.match(await publish(keys.author, 1), { status: 409, body: { error: { code: 'review_required' } } })
  const versions = async () => (await by(keys.author, `GET /admin/articles/${id}/versions`)).body.data
  const reviews = async (version = 0) => `/admin/articles/${id}/versions/${(await versions())[version].id}/reviews`
  t.match(await by(keys.author, `POST ${await reviews()}`, { decision: 'approved' }), {
    status: 409,
    body: { error: { code: 'own_version' } },
  })
  t.equal((await by(keys.other, `POST ${await reviews()}`, { decision: 'rejected', comment: 'Thin.' })).status, 201)
  t.match(await publish(keys.other, 1), {
    status: 409,
    body: { error: { code: 'review_required', details: { comment: 'Thin.' } } },
  })
  t.equal((await by(keys.other, `POST ${await reviews()}`, { decision: 'approved', reviewer: 'Ann' })).status, 201)
  await proveBy(db, org.id, id)
  t.match(await publish(keys.author, 1), {
    status: 409,
    body: { error: { code: 'review_required', message: /changed after the approval/ } },
  })
  t.equal((await by(keys.other, `POST ${await reviews()}`, { decision: 'approved', reviewer: 'Ann' })).status, 201)
  t.equal((await publish(keys.author, 1)).status, 200)
  t.match((await by(keys.author, `GET ${await reviews()}`)).body.data, [
    { decision: 'approved', reviewer: 'Ann', version: 1 },
    { decision: 'approved' },
    { decision: 'rejected', comment: 'Thin.' },
  ])
  t.match(await publish(keys.author, 1, { body: 'Two.' }), { status: 409 }, 'an approval is of one version alone')
  t.equal((await by(keys.author, `PUT /articles/${id}`, { body: 'Two.', base_version: 1 })).status, 200)
  t.equal((await publish(keys.other, 2)).status, 200, 'another key publishes what it did not write')
})

t.test('entities and claims are found by their words, those of the organisation alone', async (t) => {
  const entity = (labels: object, aliases = {}) => write('POST /entities', { type: 'place', labels, aliases })
  const { body: bridge } = await entity({ en: 'Sydney Harbour Bridge', de: 'Hafenbrücke' }, { en: ['Coathanger'] })
  await entity({ en: 'Opera House' })
  const { body: claim } = await write('POST /claims', {
    entity_id: bridge.id,
    property: 'opened_by',
    value: { type: 'string', content: 'Premier Jack Lang' },
  })
  const found = async (q: string, more = '') => (await read(`/search?q=${encodeURIComponent(q)}${more}`)).body
  t.match(await found('harbour'), { entities: [{ id: bridge.id }], claims: [] })
  for (const q of ['hafenbrucke', 'Hafenbrücke', 'HAFENBRU\u0308CKE', 'harbour -opera'])
    t.match(await found(q), { entities: [{ id: bridge.id }] }, q)
  t.strictSame(await found('?!'), { entities: [], claims: [] })
  t.match(await found('coathanger'), { entities: [{ id: bridge.id }] })
  t.match(await found('opened lang'), { entities: [], claims: [{ id: claim.id, status: 'unsupported' }] })
  t.match(await found('"jack lang"', '&type=entity'), { entities: [], claims: [] })
  const { keys } = await testOrg(db, [], { keys: wikiKeys })
  t.strictSame((await ingress.ask('GET /v1/wiki/search?q=harbour', { key: keys.reader })).body, {
    entities: [],
    claims: [],
  })
})

t.test('bad input is refused by its field', async (t) => {
  const { id } = await draft({ title: 'Bad' })
  const version = (await write(`GET /admin/articles/${id}/versions`)).body.data[0].id
  const bad: [string, unknown, string][] = [
    ...[undefined, 1, '', 'x', newId(), id].map((parent_id): [string, unknown, string] => [
      `PUT /articles/${id}/place`,
      { parent_id },
      'body.parent_id',
    ]),
    ...[null, -1, 1.5, '1', 1_000_001].map((position): [string, unknown, string] => [
      `PUT /articles/${id}/place`,
      { parent_id: null, position },
      'body.position',
    ]),
    ...[undefined, null, 1, '', 'maybe'].flatMap((wrong): [string, unknown, string][] => [
      ['PUT /admin/settings', { review: wrong }, 'body.review'],
      [`POST /admin/articles/${id}/versions/${version}/reviews`, { decision: wrong }, 'body.decision'],
    ]),
    ...[null, 1, '', ' ', 'c'.repeat(4_001)].map((comment): [string, unknown, string] => [
      `POST /admin/articles/${id}/versions/${version}/reviews`,
      { decision: 'approved', comment },
      'body.comment',
    ]),
    ...[null, 1, '', 'r'.repeat(201)].map((reviewer): [string, unknown, string] => [
      `POST /admin/articles/${id}/versions/${version}/reviews`,
      { decision: 'approved', reviewer },
      'body.reviewer',
    ]),
    ...['', 'q=', 'q=+', `q=${'q'.repeat(201)}`].map((query): [string, unknown, string] => [
      `GET /search?${query}`,
      undefined,
      'query.q',
    ]),
    ...['type=article', 'limit=0', 'limit=101', 'limit=x'].map((query): [string, unknown, string] => [
      `GET /search?q=a&${query}`,
      undefined,
      `query.${query.split('=')[0]}`,
    ]),
  ]
  t.ok(bad.length >= 35, `${bad.length} bad inputs`)
  const owner = (await testOrg(db, ['wiki:write', 'account:write'])).keys.main
  for (const [request, body, field] of bad) {
    const reply = await write(request, body, request.endsWith('/settings') ? { key: owner } : {})
    t.equal(reply.status, 400, `${request} ${JSON.stringify(body)?.slice(0, 60)}`)
    if (reply.status === 400) t.ok(fieldsOf(reply).includes(field), `${fieldsOf(reply)} has ${field}`)
  }
  const { keys } = await testOrg(db, [], { keys: wikiKeys })
  for (const [request, body] of [
    [`PUT /articles/${id}/place`, { parent_id: null }],
    [`POST /admin/articles/${id}/versions/${version}/reviews`, { decision: 'approved' }],
    [`GET /admin/articles/${id}/versions/${version}/reviews`, undefined],
  ] as const)
    t.equal((await write(request, body, { key: keys.author })).status, 404, request)
  t.ok(one.org.id)
})

t.test('what is published is read by the keys of every organisation, drafts by none of another', async (t) => {
  const article = await published({ title: 'Everybody’s zeppelin', tags: ['airships'] })
  const hidden = await draft({ title: 'Nobody’s zeppelin' })
  const { keys } = await testOrg(db, [], { keys: wikiKeys })
  const get = (path: string) => ingress.ask(`GET /v1/wiki${path}`, { key: keys.reader })
  for (const name of [article.slug, article.id]) t.match((await get(`/articles/${name}`)).body, { id: article.id })
  for (const name of [hidden.slug, hidden.id]) t.equal((await get(`/articles/${name}`)).status, 404)
  t.strictSame((await get('/articles?q=zeppelin')).body.data, [])
  const all = [{ id: article.id }]
  t.match((await get('/articles?organisation=all&tag=airships')).body.data, all)
  t.match((await get('/articles?organisation=all&q=zeppelin')).body.data, all)
  t.match((await get('/articles?organisation=all&q=zeppelin&tag=airships&language=en')).body.data, all)
  t.equal((await get('/articles?organisation=others')).status, 400)
})
