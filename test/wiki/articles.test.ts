import t from 'tap'
import { newId } from '#lib/ids.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { authoring, wikiKeys } from './authors.ts'
import { proveBy } from './proven.ts'

const { db, ingress, one, write, read, draft, published: publishedArticle } = await authoring(t)

t.test(
  'an article is drafted, refused while a claim is unproven, published, changed, withdrawn and deleted',
  async (t) => {
    const made = await write('POST /articles', {
      title: 'Ångström’s Brücke — 1932!',
      body: '# Yes',
      tags: ['Bridges', 'bridges'],
    })
    t.match(made.body, {
      slug: 'angstroms-brucke-1932',
      status: 'draft',
      version: 1,
      published_version: null,
      tags: ['bridges'],
      language: 'en',
      summary: '',
      evidence: { claims: 0, supported: 0, coverage: null },
      withdrawal: null,
    })
    t.equal(made.headers.get('etag'), '"1"')
    const { id, slug } = made.body
    const path = `/articles/${id}`
    t.equal((await read(`/articles/${slug}`)).status, 404, 'a draft')
    const publish = (version: number) => write(`PUT ${path}`, { status: 'published', base_version: version })
    t.match(await publish(1), {
      status: 400,
      body: { error: { code: 'insufficient_evidence', details: { claims: [] } } },
    })

    const pending = await proveBy(db, one.org.id, id, { snapshot: 'pending' })
    const failed = await proveBy(db, one.org.id, id, { snapshot: 'failed' })
    const elsewhere = await proveBy(db, one.org.id, id, { quote: 'opened in 1999' })
    await proveBy(db, one.org.id, id)
    const refused = await publish(1)
    t.match(refused.body.error, { code: 'insufficient_evidence', message: failed })
    t.match(refused.body.error.details.claims, [
      { claim_id: pending, problem: 'snapshot_pending' },
      { claim_id: failed, problem: 'snapshot_failed' },
      { claim_id: elsewhere, problem: 'quote_not_found' },
    ])
    t.match((await read('/articles')).body.data, [])

    const other = await publishedArticle()
    t.match((await read(`/articles/${other.slug}`)).body, {
      status: 'published',
      version: 1,
      body: /1932/,
      evidence: { coverage: 1 },
    })
    const changed = await write(`PUT /articles/${other.id}`, {
      body: 'It was opened late.',
      base_version: 1,
      comment: 'clearer',
    })
    t.match(changed.body, { status: 'published', version: 2, published_version: 1, body: /late/ })
    t.match(
      (await read(`/articles/${other.slug}`)).body,
      { version: 1, body: /1932/ },
      'readers keep what is published',
    )
    t.match((await write(`PUT /articles/${other.id}`, { status: 'published', base_version: 2 })).body, {
      published_version: 2,
    })
    t.match((await read(`/articles/${other.slug}`)).body, { version: 2, body: /late/ })
    t.match(await write(`DELETE /articles/${other.id}`), { status: 409 })

    const reason = 'The record was forged.'
    t.match((await write(`PUT /articles/${other.id}`, { status: 'withdrawn', reason })).body, {
      status: 'withdrawn',
      version: 2,
    })
    t.match((await read(`/articles/${other.slug}`)).body, {
      status: 'withdrawn',
      withdrawal: { reason },
      title: null,
      body: null,
      version: null,
      tags: [],
    })
    t.same((await read('/articles?q=bridge')).body.data, [])
    t.match(await write(`PUT /articles/${other.id}`, { status: 'withdrawn', reason }), { status: 409 })
    t.match(await write(`DELETE /articles/${other.id}`), { status: 200, body: { deleted: true } })
    t.equal((await read(`/articles/${other.slug}`)).status, 404)
  },
)

t.test('what was changed meanwhile is not overwritten: of many changes on one version, one is made', async (t) => {
  const { id } = await draft()
  t.same(fieldsOf(await write(`PUT /articles/${id}`, { body: 'x' })), ['body.base_version'])
  const all = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      n % 2
        ? write(`PUT /articles/${id}`, { body: `${n}`, base_version: 1 })
        : write(`PUT /articles/${id}`, { body: `${n}` }, { headers: { 'if-match': '"1"' } }),
    ),
  )
  t.same(all.map(({ status }) => status).sort(), [200, ...Array(11).fill(409)])
  t.match(all.find(({ status }) => status === 409)?.body.error, {
    code: 'version_conflict',
    details: { version: 2, revision: 2 },
  })
  const { data } = (await write(`GET /admin/articles/${id}/versions`)).body
  t.match(data, [{ version: 2 }, { version: 1, size: 22, restored_from: null }])
  t.match(await write(`PUT /articles/${id}`, { title: 'Weak' }, { headers: { 'if-match': 'W/"2"' } }), { status: 200 })
})

t.test('a version is read with what changed, restored as a new one, and never changed', async (t) => {
  const { id } = await draft({ body: 'one\ntwo\nthree\n', comment: 'begun', author: 'ann' })
  await write(`PUT /articles/${id}`, { body: 'one\n2\nthree\n', base_version: 1 })
  const list = async () => (await write(`GET /admin/articles/${id}/versions`)).body.data
  const [second, first] = await list()
  t.match(first, { version: 1, comment: 'begun', author: 'ann', key_id: String })
  const compared = await write(`GET /admin/articles/${id}/versions/${second.id}?diff=1`)
  t.match(compared.body, {
    body: 'one\n2\nthree\n',
    diff: { from: 1, to: 2, unified: '--- version 1\n+++ version 2\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n' },
  })
  t.match(compared.body.diff.hunks, [{ old_start: 1, lines: [' one', '-two', '+2', ' three'] }])
  t.equal((await write(`GET /admin/articles/${id}/versions/${second.id}?diff=9`)).status, 404)
  t.same(fieldsOf(await write(`GET /admin/articles/${id}/versions/${second.id}?diff=x`)), ['query.diff'])
  const restored = await write(`POST /admin/articles/${id}/versions/${first.id}/restore`, {
    comment: 'back',
    base_version: 2,
  })
  t.match(restored.body, { version: 3, body: 'one\ntwo\nthree\n' })
  t.match(await write(`POST /admin/articles/${id}/versions/${first.id}/restore`, { base_version: 2 }), { status: 409 })
  t.match(await list(), [{ version: 3, restored_from: 1, comment: 'back' }, second, first])

  const long = (sign: string) =>
    Array.from({ length: 40_000 }, (_, i) => `${sign}${i % 7 ? (i * 31) % 997 : ''}`)
      .join('\n')
      .slice(0, 199_000)
  await write(`PUT /articles/${id}`, { body: long('a'), base_version: 3 })
  await write(`PUT /articles/${id}`, { body: long(''), base_version: 4 })
  const [last] = await list()
  t.match((await write(`GET /admin/articles/${id}/versions/${last.id}?diff=4`)).body.error, { code: 'diff_too_large' })
})

t.test('slugs are unique, and those that an article had lead to it', async (t) => {
  const [first, second] = await Promise.all([draft({ title: 'Same name' }), draft({ title: 'Same name' })])
  t.same([first.slug, second.slug].sort(), ['same-name', 'same-name-2'])
  t.equal((await draft({ title: '橋 — 東京' })).slug, '橋-東京')
  t.equal((await draft({ title: '!!!' })).slug, 'article')
  const { id } = await publishedArticle({ slug: 'old-name' })
  t.match((await write(`PUT /articles/${id}`, { slug: 'new-name' })).body, { slug: 'new-name', version: 1 })
  t.match((await read('/articles/old-name')).body, { slug: 'new-name', redirected_from: 'old-name' })
  t.match((await read('/articles/new-name')).body, { redirected_from: null })
  t.match(await write('POST /articles', { title: 'x', body: 'y', slug: 'old-name' }), {
    status: 409,
    body: { error: { code: 'slug_taken' } },
  })
  t.match(
    (await write(`PUT /articles/${id}`, { slug: 'old-name' })).body,
    { slug: 'old-name' },
    'and it may have them again',
  )
  t.match((await read('/articles/new-name')).body, { slug: 'old-name' })
})

t.test('a search finds titles by the beginnings of their words, and slugs by theirs', async (t) => {
  const university = await publishedArticle({
    title: 'Tallinn University of Technology',
    body: 'It teaches.',
    tags: ['a'],
  })
  const named = await publishedArticle({ title: 'About a town', slug: 'jõgeva-linn', body: 'It is small.' })
  await publishedArticle({ title: 'Tartu', body: 'Not of tallinnites.' })
  const found = async (q: string, more = '') =>
    (await read(`/articles?q=${encodeURIComponent(q)}${more}`)).body.data.map((one: { id: string }) => one.id)
  for (const q of ['talli', 'tallinn-un', 'TALLINN uni', 'tech', 'tallinn-university-of-tech', 'univ tal']) {
    t.same(await found(q), [university.id], q)
  }
  for (const q of ['jõgeva-l', 'jõge', 'JÕGEVA']) t.same(await found(q), [named.id], q)
  for (const q of ['allinn', 'tallinn-x', 't', '"talli"', 'tallinn_%', "'talli\\':*"])
    t.notOk((await found(q)).includes(named.id), q)
  t.same(await found('"talli"'), [], 'a phrase is its words')
  t.same(await found('talli', '&tag=b'), [])
  t.same(await found('talli', '&tag=a&language=en'), [university.id])
  const stranger = await testOrg(db, [], { keys: wikiKeys })
  t.same((await ingress.ask('GET /v1/wiki/articles?q=talli', { key: stranger.keys.reader })).body.data, [])
  await write(`PUT /articles/${named.id}`, { status: 'withdrawn', reason: 'It was wrong.' })
  t.same(await found('jõge'), [])
})

t.test('readers read, authors write, and lists page', async (t) => {
  const stranger = await testOrg(db, [], { keys: wikiKeys })
  const { id, slug } = await publishedArticle({ title: 'Ours', tags: ['Paged'] })
  await publishedArticle({ title: 'Ours too', tags: ['paged'], language: 'de' })
  const asStranger = (request: string, body?: unknown) =>
    ingress.ask(request, { key: stranger.keys.author, ...(body !== undefined && { body }) })
  for (const name of [slug, id]) t.match(await asStranger(`GET /v1/wiki/articles/${name}`), { status: 200 }, name)
  t.match(await asStranger(`DELETE /v1/wiki/articles/${id}`), { status: 404 })
  t.match((await asStranger('GET /v1/wiki/articles?q=ours')).body, { data: [], next_cursor: null })
  t.match((await asStranger('GET /v1/wiki/admin/articles')).body, { data: [] })
  const forbidden = await ingress.ask('GET /v1/wiki/admin/articles', { key: one.keys.reader })
  t.match(forbidden, { status: 403 })
  const page = (await read('/articles?tag=PAGED&limit=1')).body
  t.match(page, { data: [{ title: 'Ours too', highlights: null }], next_cursor: String })
  t.match((await read(`/articles?tag=paged&limit=1&cursor=${page.next_cursor}`)).body, {
    data: [{ title: 'Ours' }],
    next_cursor: null,
  })
  t.match((await read('/articles?tag=paged&language=de')).body.data, [{ language: 'de' }])
  await write(`PUT /articles/${id}`, { language: 'pt-br' })
  t.match((await read('/articles?q=ours&language=pt-br')).body.data, [{ id }])
  t.same((await read('/articles?q=ours&language=en')).body.data, [])
  const drafts = (await write('GET /admin/articles?status=draft&limit=100')).body.data
  t.ok(drafts.length > 5 && drafts.every(({ status }: { status: string }) => status === 'draft'))
})

t.test('what is wrong with a request is named, each field', async (t) => {
  const { id } = await draft()
  const cases: [string, unknown, string[]][] = [
    ['POST /articles', {}, ['body.body', 'body.title']],
    [
      'POST /articles',
      { title: ' ', body: 1, tags: ['', 'x'.repeat(51)], slug: 'A b', language: 'English', x: 1 },
      [...['body.body', 'body.language', 'body.slug', 'body.tags.0', 'body.tags.1', 'body.title', 'body.x']],
    ],
    ['POST /articles', { title: 'x', body: 'x'.repeat(200_001), slug: newId() }, ['body.body', 'body.slug']],
    [`PUT /articles/${id}`, {}, ['body']],
    [`PUT /articles/${id}`, { comment: 'x' }, ['body']],
    [`PUT /articles/${id}`, { status: 'withdrawn' }, ['body.reason']],
    [`PUT /articles/${id}`, { status: 'draft', reason: 'x', base_version: 0 }, ['body.base_version', 'body.status']],
    [`PUT /articles/${id}`, { title: 'x', reason: 'x', base_version: 1 }, ['body.reason']],
    ['GET /articles?limit=0&q=&language=x1', undefined, ['query.language', 'query.limit', 'query.q']],
    ['GET /articles?q=a&cursor=b', undefined, ['query.cursor']],
    ['GET /admin/articles?status=gone', undefined, ['query.status']],
  ]
  for (const [request, body, fields] of cases) {
    const reply = await write(request, body)
    t.equal(reply.status, 400, request)
    t.same(fieldsOf(reply), fields, request)
  }
  t.equal((await write('POST /articles', { title: 'x', body: 'x'.repeat(50 * 1024 ** 2) })).status, 413)
  t.equal((await write('PUT /articles/none', { title: 'x' })).status, 404)
})
