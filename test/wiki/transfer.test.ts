import '../support/webhooks-environment.ts'
import t from 'tap'
import { newId } from '#lib/ids.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { evidenceStack, filler, article as pageOf } from './evidence-stack.ts'

t.setTimeout(90_000)
const stack = await evidenceStack(t)
const { ask, done, pages, source, snapshot, base } = stack
await stack.startWorkers()
pages['/report'] = pageOf(['The bridge was opened in 1932 by the premier.', filler])

/** A published article with its evidence; its id. */
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
    const moved = document.replace('"slug": "the-bridge",', '')
    const made = await there('POST /v1/wiki/admin/import', { document: moved, author: 'Ann' })
    t.equal(made.status, 201, made.text)
    t.match(made.body, { title: 'The bridge', status: 'draft', tags: ['bridges'], evidence: { claims: 1 } })
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
  t.match(await ask('POST /v1/wiki/admin/import', { body: { document } }), {
    status: 409,
    body: { error: { code: 'slug_taken' } },
  })
  const before = (await done('GET /v1/wiki/entities')).data.length
  const made = await done('POST /v1/wiki/admin/import', { document: document.replace('"slug": "the-bridge",', '') })
  t.match(made.slug, /^the-bridge-\d$/)
  t.equal((await done('GET /v1/wiki/entities')).data.length, before)
})

t.test('what is no document is refused by what is wrong with it, and nothing of it is kept', async (t) => {
  const front = JSON.parse(document.split('\n---\n')[0].slice(4))
  const claim = front.claims[0]
  const entity = { id: newId(), type: 'a', labels: { en: 'b' } }
  const write = (more: object, text = 'x') =>
    `---\n${JSON.stringify({ ...front, slug: undefined, ...more })}\n---\n\n${text}`
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
