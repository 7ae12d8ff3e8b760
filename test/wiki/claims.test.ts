import '../support/webhooks-environment.ts'
import t from 'tap'
import { newId } from '#lib/ids.ts'
import { fieldsOf } from '../support/ingress.ts'
import { article, evidenceStack, filler } from './evidence-stack.ts'

t.setTimeout(240_000)
const stack = await evidenceStack(t)
const { pages, ask, done, source, snapshot } = stack
await stack.startWorkers()

pages['/census'] = article([
  filler,
  'In January 2026 the city had 461\u00a0346\n inhabitants; the mayor called it “a ﬁne\u00ad number”.',
  filler,
  '<i>It</i> will <b>grow</b>, he said.',
])
const census = await source('/census')
const taken = await snapshot(census)
const city = (await done('POST /v1/wiki/entities', { type: 'city', labels: { en: 'Tallinn', 'de-at': 'Tallinn' } })).id
const population = { entity_id: city, property: 'population', value: { type: 'quantity', content: '461346' } }
const claim = (facts: object = {}) => done('POST /v1/wiki/claims', { ...population, ...facts })
const newArticle = async (): Promise<string> =>
  (await done('POST /v1/wiki/articles', { title: `About ${newId()}`, body: 'What is said.' })).id
const publish = (id: string) => ask(`PUT /v1/wiki/articles/${id}`, { body: { status: 'published', base_version: 1 } })
/** Returns the claims that prevent the publication of an article. */
const unproven = async (id: string) => {
  const { status, body } = await publish(id)
  return status === 400 && body.error.code === 'insufficient_evidence' ? body.error.details.claims : status
}

t.test(
  'a quote is verified when the snapshot holds its words, however quotes and white space are written',
  async (t) => {
    const verified = async (quote: string) =>
      (await claim({ references: [{ source_id: census, quote }] })).references[0].quote_verified
    for (const quote of [
      'the city had 461 346 inhabitants',
      '  had\n461\u2003346 inhabitants;   the mayor ',
      `called it "a fine number".`,
      '«a fine number»',
      'It will grow, he said.',
      `„a ﬁne number“.`,
    ]) {
      t.equal(await verified(quote), true, quote.slice(0, 40))
    }
    for (const quote of [
      'the city had 461 347 inhabitants',
      'The city had',
      'menu of the day',
      'grow he said',
      `„a ﬁne number“. ${filler}`,
    ]) {
      t.equal(await verified(quote), false, quote)
    }
    t.match(await claim({ references: [{ source_id: census, quote: '461 346 inhabitants' }] }), {
      status: 'supported',
      references: [{ snapshot_id: taken.id, snapshot_status: 'ok', locator: null }],
    })
  },
)

t.test(
  'an article is proven when each of its claims has a verified quote; those that lack one are named',
  async (t) => {
    const article = await newArticle()
    t.same(await unproven(article), [], 'it makes no claim')
    const facts = { article_ids: [article] }
    const reference = { source_id: census, snapshot_id: taken.id }
    const good = await claim({
      ...facts,
      references: [
        { ...reference, quote: 'had 461 346 inhabitants' },
        { ...reference, quote: 'he sang of it' },
      ],
    })
    const bare = await claim(facts)
    const wrong = await claim({ ...facts, references: [{ ...reference, quote: 'no such words' }] })
    t.match([good.status, bare.status, wrong.status], ['supported', 'unsupported', 'unsupported'])
    t.same(await unproven(article), [
      { claim_id: bare.id, entity_id: city, property: 'population', problem: 'no_reference' },
      { claim_id: wrong.id, entity_id: city, property: 'population', problem: 'quote_not_found' },
    ])
    await done(`POST /v1/wiki/claims/${bare.id}/references`, {
      ...reference,
      quote: 'the city had 461 346',
      locator: 'end',
    })
    const dropped = await ask(`PATCH /v1/wiki/claims/${wrong.id}`, {
      body: { rank: 'deprecated', deprecation_reason: 'made up' },
    })
    t.match(dropped.body, { rank: 'deprecated', deprecation_reason: 'made up', article_ids: [article] })
    t.equal(await unproven(article), 200)
    const { body } = await ask(`GET /v1/wiki/admin/articles?status=published`)
    t.match(body.data, [{ id: article }])
    await ask(`PATCH /v1/wiki/claims/${good.id}`, { body: { article_ids: [] } })
    t.same((await done(`GET /v1/wiki/claims?article_id=${article}`)).data.length, 2, 'the deprecated one and the other')
  },
)

t.test('a quote from a snapshot that is pending is settled with it; a failed one proves nothing', async (t) => {
  const article = await newArticle()
  const held = Promise.withResolvers<void>()
  pages['/later'] = (_, res) => void held.promise.then(() => res.writeHead(200).end('Words that come later.'))
  const later = await source('/later')
  const pending = await done(`POST /v1/wiki/sources/${later}/snapshots`, {})
  const facts = { article_ids: [article] }
  const value = { type: 'string', content: 'come later' }
  const made = await claim({ ...facts, value, references: [{ source_id: later, quote: 'that come later' }] })
  t.match(made, { status: 'unsupported', references: [{ snapshot_id: pending.id, snapshot_status: 'pending' }] })
  t.match(await unproven(article), [{ claim_id: made.id, problem: 'snapshot_pending' }])
  held.resolve()
  await stack.ended(pending.id)
  t.match(await done(`GET /v1/wiki/claims/${made.id}`), { status: 'supported', references: [{ quote_verified: true }] })
  t.equal(await unproven(article), 200)

  const lost = await source('/lost')
  const failed = await snapshot(lost)
  const none = await ask('POST /v1/wiki/claims', {
    body: { ...population, references: [{ source_id: lost, quote: 'no such words' }] },
  })
  t.same(fieldsOf(none), ['body.references.0.snapshot_id'], 'a failed snapshot is not taken by itself')
  const draft = await newArticle()
  const rests = [{ source_id: lost, snapshot_id: failed.id, quote: 'no such words' }]
  const vain = await claim({ article_ids: [draft], references: rests })
  t.match(
    await ask(`PUT /v1/wiki/articles/${draft}`, { body: { body: 'More.', status: 'published', base_version: 1 } }),
    {
      status: 400,
      body: { error: { details: { claims: [{ claim_id: vain.id, problem: 'snapshot_failed' }] } } },
    },
  )
})

t.test('lists tell claims by entity, article, property and best rank', async (t) => {
  const entity = (await done('POST /v1/wiki/entities', { type: 'lake', labels: { en: 'Ülemiste' } })).id
  const article = await newArticle()
  const about = (content: string, facts: object) =>
    claim({ entity_id: entity, property: 'depth', value: { type: 'string', content }, ...facts })
  const old = await about('3 m', { rank: 'deprecated', deprecation_reason: 'measured anew' })
  const usual = await about('4 m', { article_ids: [article] })
  const idsOf = async (query: string) =>
    (await done(`GET /v1/wiki/claims?${query}`)).data.map((one: { id: string }) => one.id)
  t.same(await idsOf(`entity_id=${entity}&rank=best`), [usual.id])
  const first = await about('4.2 m', { rank: 'preferred' })
  t.same(await idsOf(`entity_id=${entity}&rank=best`), [first.id])
  t.same(await idsOf(`entity_id=${entity}&property=depth`), [first.id, usual.id, old.id])
  t.same(await idsOf(`article_id=${article}`), [usual.id])
  const changed = await ask(`PATCH /v1/wiki/entities/${entity}`, { body: { external_ids: { wikidata: 'Q1' } } })
  t.match(changed.body, { labels: { en: 'Ülemiste' }, external_ids: { wikidata: 'Q1' } })
  const lakes = await done('GET /v1/wiki/entities?type=lake')
  const { descriptions: _, aliases: __, ...summary } = changed.body
  t.same(lakes.data, [summary])
})

t.test('bad input is answered 400 with every field that is wrong', async (t) => {
  const stranger = newId()
  const cases: [string, unknown, string[]][] = [
    ['entities', { labels: {}, kind: 1 }, ['body.kind', 'body.labels', 'body.type']],
    ['entities', { type: 'A', labels: { '?': 'x', en: '' } }, ['body.labels.?', 'body.labels.en', 'body.type']],
    ['claims', {}, ['body.entity_id', 'body.property', 'body.value']],
    [
      'claims',
      { ...population, value: { type: 'quantity', content: 'many' }, rank: 'best', references: [{ quote: 'x' }] },
      ['body.rank', 'body.references.0.quote', 'body.references.0.source_id', 'body.value.content'],
    ],
    ['claims', { ...population, rank: 'deprecated' }, ['body.deprecation_reason']],
    ['claims', { ...population, deprecation_reason: 'x' }, ['body.deprecation_reason']],
    [
      'claims',
      {
        entity_id: stranger,
        property: 'mayor',
        value: { type: 'entity', content: stranger },
        qualifiers: [{ property: 'of', value: { type: 'entity', content: stranger } }],
        article_ids: [stranger],
        references: [
          { source_id: stranger, quote: 'some words of it' },
          { source_id: census, snapshot_id: stranger, quote: 'some words of it' },
        ],
      },
      [
        ...['body.article_ids.0', 'body.entity_id', 'body.qualifiers.0.value.content'],
        ...['body.references.0.source_id', 'body.references.1.snapshot_id', 'body.value.content'],
      ],
    ],
    [`sources/${census}/snapshots`, { now: true }, ['body.now']],
    [
      'sources',
      { type: 'book', authors: [''], published_at: '2026' },
      ['body.authors.0', 'body.published_at', 'body.type', 'body.uri'],
    ],
  ]
  for (const [path, body, fields] of cases) {
    const reply = await ask(`POST /v1/wiki/${path}`, { body })
    t.match(
      [reply.status, reply.status === 400 && fieldsOf(reply)],
      [400, fields],
      `${path}: ${reply.text.slice(0, 200)}`,
    )
  }
  // Valid extreme values do not cause internal errors either.
  const odd = [null, [], 'X y', 0, 1e300, { a: {} }, '\ud800', `\u{1f600}${'x'.repeat(5_000)}`]
  const fields = { claims: ['entity_id', 'property', 'value', 'qualifiers', 'rank', 'references', 'article_ids'] }
  for (const field of fields.claims) {
    for (const value of odd) {
      const { status, text } = await ask('POST /v1/wiki/claims', { body: { ...population, [field]: value } })
      t.ok(status === 400 || (status === 200 && Array.isArray(value)), `${field}: ${status} ${text.slice(0, 100)}`)
    }
  }
})
