import '../support/webhooks-environment.ts'
import t from 'tap'
import { sql } from '#sql/db.ts'
import { article, evidenceStack, filler } from './evidence-stack.ts'
import { proveBy } from './proven.ts'

t.setTimeout(240_000)
const stack = await evidenceStack(t)
const { pages, ask, done, source, snapshot } = stack
await stack.startWorkers()

pages['/one'] = article([filler, 'The bridge was opened on 19 March 1932.'])
pages['/two'] = article([filler, 'It was on 19 March 1932 that the bridge was opened.'])
const [one, two] = [await source('/one'), await source('/two')]
const taken = [await snapshot(one), await snapshot(two)]
const bridge = (await done('POST /v1/wiki/entities', { type: 'bridge', labels: { en: 'The bridge' } })).id
const from = (source_id: string) => ({ source_id, quote: '19 March 1932' })
const opened = { entity_id: bridge, property: 'opened', value: { type: 'time', content: '1932-03-19' } }
const claim = async (facts: object = {}): Promise<string> =>
  (await done('POST /v1/wiki/claims', { ...opened, references: [from(one)], ...facts })).id
let count = 0
const draft = async (): Promise<{ id: string; slug: string }> =>
  await done('POST /v1/wiki/articles', { title: `Bridges ${++count}`, body: 'It was opened.' })
const publish = (id: string, change: object = {}) =>
  ask(`PUT /v1/wiki/articles/${id}`, { body: { status: 'published', base_version: 1, ...change } })
const change = (id: string, body: object) => ask(`PATCH /v1/wiki/claims/${id}`, { body })
const deprecation = { rank: 'deprecated', deprecation_reason: 'measured anew' }

/** Returns a published article with its claim. */
async function published(facts: object = {}, text: (claimId: string) => object = () => ({})) {
  const { id, slug } = await draft()
  const claimId = await claim({ ...facts, article_ids: [id] })
  const { status, text: why } = await publish(id, text(claimId))
  if (status !== 200) throw new Error(why)
  return { id, slug, claimId }
}

/** Returns the affected claims of a rejection. */
function brokenBy({ status, body }: { status: number; body: { error: { code: string; details: object } } }) {
  return { status, code: body.error?.code, ...body.error?.details }
}

t.test(
  'a change of a claim that would leave a published article unproven is refused, and says what it breaks',
  async (t) => {
    const { id, slug, claimId } = await published()
    const articles = [{ id, slug }]
    t.match(brokenBy(await change(claimId, deprecation)), { status: 409, code: 'would_unprove', claims: [], articles })
    t.match(brokenBy(await change(claimId, { article_ids: [] })), { status: 409, code: 'would_unprove', articles })

    const bare = await claim({ references: [] })
    const missing = { article_id: id, slug, claim_id: bare, problem: 'no_reference' }
    t.match(brokenBy(await change(bare, { article_ids: [id] })), { status: 409, claims: [missing], articles })
    const born = await ask('POST /v1/wiki/claims', { body: { ...opened, references: [], article_ids: [id] } })
    t.match(brokenBy(born), { status: 409, claims: [{ problem: 'no_reference', article_id: id }], articles })
    const dropped = await claim({ references: [], ...deprecation, article_ids: [id] })
    t.match(brokenBy(await change(dropped, { rank: 'normal' })), { status: 409, claims: [{ claim_id: dropped }] })

    const other = await claim({ article_ids: [id] })
    t.equal((await change(claimId, deprecation)).status, 200, 'another claim is left')
    t.equal((await change(other, { rank: 'preferred' })).status, 200)
    t.match(await done(`GET /v1/wiki/articles/${id}`), { evidence: { claims: 1, supported: 1, unproven: [] } })
    t.match(
      await ask(`GET /v1/wiki/claims/${dropped}`),
      { body: { rank: 'deprecated' } },
      'nothing of a refused change is kept',
    )
  },
)

t.test('a claim that the published text cites stays one of the article', async (t) => {
  const { id, claimId } = await published({}, (claimId) => ({ body: `It was opened[^${claimId}].` }))
  await claim({ article_ids: [id] })
  const cited = { claims: [{ claim_id: claimId, problem: 'not_a_claim_of_the_article' }] }
  t.match(brokenBy(await change(claimId, deprecation)), { status: 409, ...cited })
  t.match(brokenBy(await change(claimId, { article_ids: [] })), { status: 409, ...cited })
  t.equal((await publish(id, { body: 'It was opened.', base_version: 2 })).status, 200)
  t.equal((await change(claimId, deprecation)).status, 200)
})

t.test('sources and snapshots are deleted unless that leaves something published unproven', async (t) => {
  const { id, claimId } = await published({ references: [from(one), from(two)] })
  const remove = (path: string) => ask(`DELETE /v1/wiki/${path}`)
  t.match((await remove(`snapshots/${taken[1].id}`)).body, { id: taken[1].id, deleted: true }, 'the other is left')
  t.equal((await ask(`GET /v1/wiki/snapshots/${taken[1].id}`)).status, 404)
  const refused = await remove(`snapshots/${taken[0].id}`)
  t.equal(refused.status, 409)
  const broken = refused.body.error.details.claims.find((it: { claim_id: string }) => it.claim_id === claimId)
  t.match(broken, { article_id: id, problem: 'no_reference' })
  t.equal(brokenBy(await remove(`sources/${one}`)).status, 409)
  t.equal((await remove(`sources/${two}`)).status, 200)
  t.equal((await ask(`GET /v1/wiki/sources/${two}`)).status, 404)
  t.equal((await remove(`sources/${two}`)).status, 404)
  t.match((await done(`GET /v1/wiki/claims/${claimId}`)).references, { length: 1 })

  pages['/three'] = pages['/two'] as string
  const three = await source('/three')
  const used = await snapshot(three)
  const { status } = await ask(`DELETE /v1/wiki/snapshots/${used.id}`, { key: stack.keys.reader })
  t.equal(status, 403)
  const withdrawn = await published({ references: [from(three)] })
  t.equal((await remove(`sources/${three}`)).status, 409)
  await ask(`PUT /v1/wiki/articles/${withdrawn.id}`, { body: { status: 'withdrawn', reason: 'It is old.' } })
  t.equal((await remove(`sources/${three}`)).status, 200, 'what is withdrawn needs no proof')
})

t.test('the value of a published claim keeps a name that its quotes name', async (t) => {
  pages['/mayor'] = article([filler, 'Since May the mayor of the town is Mari Tamm.'])
  const source_id = await source('/mayor')
  await snapshot(source_id)
  const names = { labels: { en: 'Mari Tamm' } }
  const mayor = (await done('POST /v1/wiki/entities', { type: 'person', ...names })).id
  const { claimId } = await published({
    property: 'mayor',
    value: { type: 'entity', content: mayor },
    references: [{ source_id, quote: 'the mayor of the town is Mari Tamm' }],
  })
  const rename = (body: object) => ask(`PATCH /v1/wiki/entities/${mayor}`, { body })
  t.match(brokenBy(await rename({ labels: { en: 'Jaan Tamm' } })), {
    status: 409,
    claims: [{ claim_id: claimId, problem: 'value_not_in_quote' }],
  })
  t.match((await done(`GET /v1/wiki/entities/${mayor}`)).labels, names.labels)
  t.equal((await rename({ labels: { en: 'Mari Kask' }, aliases: { en: ['Mari Tamm'] } })).status, 200)
  t.equal((await rename({ descriptions: { en: 'A mayor' } })).status, 200)
})

t.test('of a publication and a change of its claim at the same time one loses', async (t) => {
  for (let round = 0; round < 12; round++) {
    const { id } = await draft()
    const claimId = await claim({ article_ids: [id] })
    const other = await claim({ references: [], ...deprecation, article_ids: [id] })
    const rival = round % 2 === 0 ? () => change(claimId, { article_ids: [] }) : () => change(other, { rank: 'normal' })
    const both = round % 4 < 2 ? [publish(id), rival()] : [rival(), publish(id)].reverse()
    const [publication, changed] = await Promise.all(both as [ReturnType<typeof publish>, ReturnType<typeof change>])
    const outcome = [publication.status, changed.status]
    t.ok(['200 409', '400 200'].includes(outcome.join(' ')), outcome.join(' '))
  }
})

t.test(
  'what was published under the first rules stays, is told, and is published again when it is proven',
  async (t) => {
    const { id } = await draft()
    const claimId = await proveBy(stack.db, stack.orgId, id, { rules: 'first' })
    const problem = { claim_id: claimId, problem: 'snapshot_outdated' }
    t.match((await publish(id)).body.error, { code: 'insufficient_evidence', details: { claims: [problem] } })
    await stack.db.query(sql.typeAlias('void')`
    update wiki.articles set status = 'published', published_version = 1, first_published_at = now() where id = ${id}`)
    t.match(await done(`GET /v1/wiki/articles/${id}`), {
      status: 'published',
      evidence: { claims: 1, supported: 0, coverage: 0, unproven: [problem] },
    })
    t.match(await done(`GET /v1/wiki/claims/${claimId}`), {
      status: 'unsupported',
      references: [{ quote_verified: true, problem: 'snapshot_outdated' }],
    })
    t.equal((await publish(id, { body: 'More.' })).status, 400)
    t.equal((await change(claimId, { rank: 'preferred' })).status, 200, 'what is no worse is no break')
    await done(`POST /v1/wiki/claims/${claimId}/references`, from(one))
    t.equal((await publish(id, { body: 'More.' })).status, 200)
  },
)
