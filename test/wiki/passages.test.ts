import t from 'tap'
import { sql } from '#sql/db.ts'
import { getTasksOfPool } from '#tasks/index.ts'
import { embedMissing } from '#tasks/knowledge/embed-missing.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { makePassages } from '#tasks/wiki/make-passages.ts'
import { createEmbeddedEngine } from '../../workers/llm/embedded/engine.ts'
import { startFleet } from '../../workers/runtime/fleet.ts'
import { helpCentre } from '../knowledge/help-centre.ts'
import { actionClient } from '../support/action-client.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { authoring, wikiKeys } from './authors.ts'

t.setTimeout(240_000)
const { db, databaseUrl, ingress, read, write, published, draft } = await authoring(t)
const llm = createEmbeddedEngine()
t.teardown(() => llm.close())

const find = async (q: string, more = '') => (await read(`/passages?q=${encodeURIComponent(q)}${more}`)).body
const titlesOf = async (q: string, more = '') => (await find(q, more)).data.map(({ title }: { title: string }) => title)

const left = () => db.oneFirst(sql.typeAlias('count')`select count(*) from knowledge.sources where model is null`)

async function startWorker() {
  const plan = {
    pool: 'llm' as const,
    settings: { concurrency: 4, fetchAhead: 0 },
    tasks: getTasksOfPool('llm'),
    tools: { llm, actions: actionClient() },
  }
  const settings = { lease: 60_000, sweep: 200, grace: 2_000 }
  return await startFleet(databaseUrl, [plan], settings, (why) => t.fail(why))
}

const questionsOf = (count: number) => helpCentre.slice(0, count)

t.test(
  'an article is found by forms of its words, while it is published, by readers of its organisation',
  async (t) => {
    const { id } = await published({ title: 'Harbour', summary: 'Boats.', body: 'Fishermen are repairing their nets.' })
    await draft({ title: 'Secret plan', body: 'Fishermen will strike.' })
    const found = await find('Who repaired a net?')
    t.match(found, { model: null, data: [{ article_id: id, title: 'Harbour', version: 1, likeness: null }] })
    t.match(found.data[0].passage, 'Fishermen are repairing their nets.')
    t.equal(found.data.length, 1, 'drafts are not searched')
    t.same(await titlesOf('Who repaired a net?', '&language=de'), [])
    t.same(await titlesOf('Who repaired a net?', '&tag=boats'), [])
    const other = await testOrg(db, [], { keys: wikiKeys })
    const strange = await ingress.ask('GET /v1/wiki/passages?q=repairing+nets', { key: other.keys.reader })
    t.same(strange.body.data, [], 'another organisation')
    const list = async (q: string) => (await read(`/articles?q=${q}`)).body.data
    t.match(
      await list('repaired+net'),
      [{ id, highlights: { title: 'Harbour' } }],
      'the list finds forms of words, too',
    )
    t.same(await list('"repaired+net"'), [], 'a phrase is exact')
    await write(`PUT /articles/${id}`, { status: 'withdrawn', reason: 'Wrong.' })
    t.same(await titlesOf('Who repaired a net?'), [], 'withdrawn')
    t.same(await list('repaired+net'), [])
  },
)

t.test('articles that an earlier release published get passages, and vectors in the background', async (t) => {
  for (const { title, text } of questionsOf(10)) await published({ title, body: text })
  await db.query(sql.typeAlias('void')`delete from knowledge.sources`)
  t.same(await titlesOf('reset password link'), [])
  await makePassages.run({}, { db, signal: new AbortController().signal } as never)
  t.same(await titlesOf('reset password link'), ['Forgotten passwords'])
  const fleet = await startWorker()
  try {
    await enqueue(db, embedMissing, {})
    await until(async () => (await left()) === 0)
    const counts = { first: 0, five: 0 }
    for (const { title, paraphrase } of questionsOf(10)) {
      const found = await find(paraphrase)
      t.equal(found.model, 'use-lite-en/sentences-1')
      const titles = found.data.map((one: { title: string }) => one.title)
      if (titles[0] === title) counts.first++
      if (titles.includes(title)) counts.five++
    }
    t.ok(counts.first >= 4 && counts.five >= 6, JSON.stringify(counts))
    const [{ passage, likeness }] = (await find('When will I get my cash returned?')).data
    t.ok(helpCentre[0]?.text.includes(passage), passage)
    t.ok(likeness > 0.35 && likeness <= 1, likeness)
    t.same(await titlesOf('Where are you?'), [])
  } finally {
    await fleet.stop()
  }
})

t.test('invalid queries are rejected, with every invalid field', async (t) => {
  const reply = await read('/passages?q=&limit=21&language=no+tag')
  t.equal(reply.status, 400)
  t.same(fieldsOf(reply), ['query.language', 'query.limit', 'query.q'])
})
