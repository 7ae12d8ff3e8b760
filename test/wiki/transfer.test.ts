import '../support/webhooks-environment.ts'
import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { evidenceStack, filler, article as pageOf } from './evidence-stack.ts'
import { proveBy } from './proven.ts'

t.setTimeout(240_000)
const stack = await evidenceStack(t)
const { ask, done, pages, source, snapshot, base } = stack
await stack.startWorkers()
pages['/report'] = pageOf(['The bridge was opened in 1932 by the premier.', filler])

/** Publishes an article with its evidence and returns its ID. */
async function proven(): Promise<string> {
  const id = await source('/report')
  await snapshot(id)
  const labels = { en: 'The bridge' }
  const entity = await done('POST /v1/wiki/entities', { type: 'bridge', labels, external_ids: { wikidata: 'Q54495' } })
  const { id: article } = await done('POST /v1/wiki/articles', { title: 'The bridge', body: 'x', tags: ['bridges'] })
  const { id: claim } = await done('POST /v1/wiki/claims', {
    entity_id: entity.id,
    property: 'opened',
    value: { type: 'time', content: '1932' },
    references: [{ source_id: id, quote: 'was opened in 1932', locator: 'first paragraph' }],
    article_ids: [article],
  })
  const body = `It was opened[^${claim}].\n\n---\n\nThe end.\n`
  await done(`PUT /v1/wiki/articles/${article}`, { body, status: 'published', base_version: 1 })
  return article
}

const article = await proven()
const { document, filename } = await done(`GET /v1/wiki/admin/articles/${article}/export`)

t.test(
  'an article goes to another organisation with its evidence, and is published there by its own snapshots',
  async (t) => {
    t.equal(filename, 'the-bridge.md')
    t.match(document, /^---\n\{\n {2}"title": "The bridge",/)
    t.match(document, /"quote": "was opened in 1932"/)
    const { keys } = await testOrg(base.db, ['wiki:write'])
    const there = (request: string, body?: unknown) => base.ask(request, { key: keys.main, body })
    const made = await there('POST /v1/wiki/admin/import', { document, author: 'Ann' })
    t.equal(made.status, 201, made.text)
    t.match(made.body, {
      title: 'The bridge',
      slug: 'the-bridge-2',
      status: 'draft',
      tags: ['bridges'],
      evidence: { claims: 1 },
    })
    t.notOk(made.body.body.includes(document.match(/"id": "([^"]+)"/)?.[1]))
    t.match(made.body.body, /^It was opened\[\^[0-9a-f-]{36}\]\.\n\n---\n\nThe end\.\n$/)
    const { data } = (await there(`GET /v1/wiki/claims?article_id=${made.body.id}`)).body
    const [reference] = data[0].references
    t.match(reference, { locator: 'first paragraph', quote: 'was opened in 1932' })
    t.match((await there(`GET /v1/wiki/entities/${data[0].entity_id}`)).body, { external_ids: { wikidata: 'Q54495' } })
    const claim = async () => (await there(`GET /v1/wiki/claims/${data[0].id}`)).body
    await until(async () => (await claim()).references[0].snapshot_status !== 'pending', {
      what: 'its source is fetched',
    })
    const published = await there(`PUT /v1/wiki/articles/${made.body.id}`, { status: 'published', base_version: 1 })
    t.equal(published.status, 200, published.text)
    const again = (await there(`GET /v1/wiki/admin/articles/${made.body.id}/export`)).body.document
    const plain = (text: string) =>
      text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID').replaceAll(/"(slug|captured_at)": "[^"]*",?/g, '')
    t.equal(plain(again), plain(document), 'what is exported there is the same')
  },
)

t.test('in its own organisation it has the entities that there are, and another slug', async (t) => {
  const before = (await done('GET /v1/wiki/entities')).data.length
  const made = await done('POST /v1/wiki/admin/import', { document })
  t.match(made.slug, /^the-bridge-\d$/)
  t.equal((await done('GET /v1/wiki/entities')).data.length, before)
})

const frontOf = (text: string) => JSON.parse(text.split('\n---\n')[0]?.slice(4) ?? '')
const written = (front: object, text = 'x') => `---\n${JSON.stringify(front)}\n---\n\n${text}`

t.test('all that its claims name goes with an article, or it is said to be too much', async (t) => {
  const [bridge, city] = await Promise.all(
    ['Arch bridge', 'Tallinn'].map((en) => done('POST /v1/wiki/entities', { type: 'thing', labels: { en } })),
  )
  const { id } = await done('POST /v1/wiki/articles', { title: 'Qualified', body: 'x' })
  const value = { type: 'string', content: 'steel' }
  const claim = (more: object) =>
    done('POST /v1/wiki/claims', { entity_id: bridge.id, property: 'made_of', value, article_ids: [id], ...more })
  await claim({ qualifiers: [{ property: 'of', value: { type: 'entity', content: city.id } }] })
  const old = await claim({ rank: 'deprecated', deprecation_reason: 'It is stone.' })
  const short = await proveBy(base.db, stack.orgId, id, { quote: '1932', rules: 'first' })
  const { keys } = await testOrg(base.db, ['wiki:write'])
  const there = (request: string, body?: unknown) => base.ask(request, { key: keys.main, body })
  const exported = () => ask(`GET /v1/wiki/admin/articles/${id}/export`)
  const given = (await exported()).body.document
  t.notOk(given.includes(old.id), 'a deprecated claim stays behind')
  t.match(frontOf(given).claims, [{}, { id: short, references: [] }], 'and what is no quote by now')
  const made = await there('POST /v1/wiki/admin/import', { document: given })
  t.equal(made.status, 201, made.text)
  const [, taken] = (await there(`GET /v1/wiki/claims?article_id=${made.body.id}`)).body.data
  t.match((await there(`GET /v1/wiki/entities/${taken.qualifiers[0].value.content}`)).body.labels, { en: 'Tallinn' })
  const front = frontOf(given)
  const lacking = await there('POST /v1/wiki/admin/import', {
    document: written({ ...front, entities: front.entities.filter((one: { id: string }) => one.id === bridge.id) }),
  })
  t.match([lacking.status, fieldsOf(lacking)], [400, ['body.document.claims.0.qualifiers.0.value.content']])
  await base.db.query(sql.typeAlias('void')`
    with made as (
      insert into wiki.claims (id, org_id, entity_id, property, value)
      select gen_random_uuid(), org_id, entity_id, property, value from wiki.claims, generate_series(1, 98)
      where id = ${old.id} returning id)
    insert into wiki.claim_articles (article_id, claim_id) select ${id}, id from made`)
  const all = await exported()
  t.equal(frontOf(all.body.document).claims.length, 100)
  t.equal((await there('POST /v1/wiki/admin/import', { document: all.body.document })).status, 201)
  await claim({})
  t.match(await exported(), { status: 409, body: { error: { code: 'too_large' } } })
})

t.test('an import asks for snapshots that fit the plan, and two of the same sources at once both do', async (t) => {
  const front = frontOf(document)
  const citing = (uris: string[]) => {
    const [reference] = front.claims[0].references
    const cited = uris.map((uri, i) => ({
      ...front.claims[0],
      id: newId(),
      references: [{ ...reference, uri: stack.url(uri) }],
      property: `p${i}`,
    }))
    return written({ ...front, slug: undefined, claims: cited })
  }
  const uris = Array.from({ length: 60 }, (_, i) => `/of-two/${i}`)
  const both = await Promise.all(
    [uris, uris.toReversed()].map((each) => ask('POST /v1/wiki/admin/import', { body: { document: citing(each) } })),
  )
  t.strictSame(
    both.map(({ status }) => status),
    [201, 201],
  )
  const count = sql.type(z.object({ count: z.number() }))`
    select count(*)::int from wiki.sources where uri like '%/of-two/%'`
  t.equal(await base.db.oneFirst(count), 60, 'each is registered once')
  const small = await testOrg(base.db, ['wiki:write'], { plan: 'free' })
  await base.db.query(sql.typeAlias('void')`
    update account.plans set storage_bytes = ${60 * 5 * 1024 ** 2 - 1} where name = 'free'`)
  t.match(await base.ask('POST /v1/wiki/admin/import', { key: small.keys.main, body: { document: citing(uris) } }), {
    status: 400,
    body: { error: { code: 'plan_limit_exceeded', details: { limit: 'storage_bytes' } } },
  })
})

t.test('what is no document is refused by what is wrong with it, and nothing of it is kept', async (t) => {
  const front = frontOf(document)
  const claim = front.claims[0]
  const entity = { id: newId(), type: 'a', labels: { en: 'b' } }
  const write = (more: object, text?: string) => written({ ...front, slug: undefined, ...more }, text)
  const claims = (more: object) => write({ claims: [{ ...claim, ...more }] })
  const quoted = (more: object) => claims({ references: [{ ...claim.references[0], ...more }] })
  const bad: [string, string][] = [
    ['no front', 'body.document'],
    ['---\n{', 'body.document'],
    ['---\n{]\n---\n', 'body.document'],
    ['---\ntitle: yaml\n---\n', 'body.document'],
    ['---\n[]\n---\n', 'body.document'],
    ['---\n{}\n---\n', 'body.document.title'],
    [write({ title: '' }), 'body.document.title'],
    [write({ title: 1 }), 'body.document.title'],
    [write({ title: 'a\u0000b' }), 'body.document.title'],
    [write({ summary: 'a\ud800b' }), 'body.document.summary'],
    [`---\n{"title":"a","claims":[${'{},'.repeat(300_000)}{}]}\n---\n`, 'body.document'],
    [`---\n${'['.repeat(100_000)}${']'.repeat(100_000)}\n---\n`, 'body.document'],
    [write({ slug: 'Not A Slug' }), 'body.document.slug'],
    [write({ language: 'English' }), 'body.document.language'],
    [write({ summary: 's'.repeat(1_001) }), 'body.document.summary'],
    [write({ tags: [''] }), 'body.document.tags.0'],
    [write({ other: 1 }), 'body.document'],
    [write({ title: 'a\0b' }), 'body.document.title'],
    [write({ title: 'a' }).replace('"title":"a"', '"title":"\\ud800"'), 'body.document.title'],
    [write({ entities: [{ ...entity, labels: { en: 'a\0b' } }] }), 'body.document.entities.0.labels.en'],
    [write({ entities: [entity, entity] }), 'body.document.entities.1.id'],
    [write({ claims: [claim, claim] }), 'body.document.claims.1.id'],
    [`---\n${'['.repeat(400_000)}${']'.repeat(400_000)}\n---\n`, 'body.document'],
    [write({ entities: {} }), 'body.document.entities'],
    [write({ entities: [{ id: 'x', type: 'a', labels: { en: 'b' } }] }), 'body.document.entities.0.id'],
    [write({ entities: [{ id: newId(), type: 'A B', labels: { en: 'b' } }] }), 'body.document.entities.0.type'],
    [write({ entities: [{ id: newId(), type: 'a', labels: {} }] }), 'body.document.entities.0.labels'],
    [write({ claims: 1 }), 'body.document.claims'],
    [write({ claims: Array.from({ length: 101 }, () => claim) }), 'body.document.claims'],
    [claims({ id: 'x' }), 'body.document.claims.0.id'],
    [
      claims({
        references: Array.from({ length: 201 }, (_, i) => ({ ...claim.references[0], uri: `https://a.example/${i}` })),
      }),
      'body.document.claims',
    ],
    [claims({ references: Array.from({ length: 2_001 }, () => claim.references[0]) }), 'body.document.claims'],
    [claims({ value: { type: 'entity', content: newId() } }), 'body.document.claims.0.value.content'],
    [write({ claims: [claim, claim] }), 'body.document.claims.1.id'],
    [write({ entities: [front.entities[0], front.entities[0]] }), 'body.document.entities.1.id'],
    [claims({ entity_id: newId() }), 'body.document.claims.0.entity_id'],
    [claims({ property: 'Opened' }), 'body.document.claims.0.property'],
    [claims({ value: { type: 'time', content: 'long ago' } }), 'body.document.claims.0.value.content'],
    [claims({ rank: 'deprecated' }), 'body.document.claims.0.rank'],
    [quoted({ uri: 'ftp://a.example/' }), 'body.document.claims.0.references.0.uri'],
    [quoted({ uri: 'http://10.0.0.1/' }), 'body.document.claims.0.references.0.uri'],
    [quoted({ quote: 'in' }), 'body.document.claims.0.references.0.quote'],
    [quoted({ locator: '' }), 'body.document.claims.0.references.0.locator'],
    [write({}, 'x'.repeat(200_001)), 'body.document.text'],
    ['', 'body.document'],
    ['x'.repeat(1_000_001), 'body.document'],
  ]
  const count = async () => (await done('GET /v1/wiki/admin/articles?limit=100')).data.length
  const before = await count()
  for (const [given, field] of bad) {
    const reply = await ask('POST /v1/wiki/admin/import', { body: { document: given } })
    t.equal(reply.status, 400, `${field}: ${given.slice(0, 60)}`)
    if (reply.status === 400)
      t.ok(
        fieldsOf(reply).some((named) => named.startsWith(field)),
        `${fieldsOf(reply)} has ${field}`,
      )
  }
  t.equal(await count(), before)
})
