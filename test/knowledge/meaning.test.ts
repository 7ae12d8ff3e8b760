import t from 'tap'
import { newId } from '#lib/ids.ts'
import { log } from '#lib/log.ts'
import { type Db, sql } from '#sql/db.ts'
import { find } from '#sql/knowledge/find.ts'
import { save, table } from '#sql/knowledge/sources.ts'
import { embed } from '#tasks/knowledge/embed.ts'
import { embedQuestion } from '#tasks/knowledge/rules/embed-question.ts'
import { createEmbeddedEngine } from '../../workers/llm/embedded/engine.ts'
import { testDatabase } from '../support/database.ts'
import { testOrg } from '../support/ingress.ts'
import { helpCentre } from './help-centre.ts'

t.setTimeout(240_000)
const { db } = await testDatabase(t)
const { org } = await testOrg(db, [])
const llm = createEmbeddedEngine()
t.teardown(() => llm.close())

const own = <T>(work: (tx: Db) => Promise<T>) => db.transaction(work)
const tools = () => ({ db, llm, own, signal: new AbortController().signal, log }) as never

async function keep(collectionId: string, title: string, text: string): Promise<string> {
  const id = newId()
  await save(db, { id, org_id: org.id, collection_id: collectionId, title, url: null, text })
  return id
}

const modelOf = (id: string) =>
  db.oneFirst(sql.type(table.Row.pick({ model: true }))`select model from knowledge.sources where id = ${id}`)

const vectorsOf = (id: string) =>
  db.oneFirst(sql.typeAlias('count')`select count(*) from knowledge.vectors where source_id = ${id}`)

const collectionId = newId()
const ids: string[] = []
for (const { title, text } of helpCentre) ids.push(await keep(collectionId, title, text))

/** Returns the ranks of the right articles, 0 if first, and their number among the first and the first five. */
async function ranks(questions: readonly string[], byVectors: boolean): Promise<{ first: number; five: number }> {
  let [first, five] = [0, 0]
  for (const [i, question] of questions.entries()) {
    const embedded = byVectors ? await embedQuestion(question, org.id, tools()) : undefined
    const found = await find(db, { collectionId, question, embedded, most: 5 })
    const rank = found.findIndex(({ source_id }) => source_id === ids[i])
    if (rank === 0) first++
    if (rank >= 0) five++
  }
  return { first, five }
}

t.test('paraphrased questions find their article by meaning, and questions with its words still do', async (t) => {
  const paraphrased = helpCentre.map(({ paraphrase }) => paraphrase)
  const shared = helpCentre.map(({ shared }) => shared)
  const before = await ranks(paraphrased, false)
  for (const id of ids) await embed.run({ sourceId: id }, tools())
  t.equal(await modelOf(ids[0] ?? ''), 'use-lite-en/sentences-1')
  const after = await ranks(paraphrased, true)
  t.comment({ before, after, shared: await ranks(shared, true), words: await ranks(shared, false) })
  t.ok(before.first < 5, `${before.first} by words`)
  t.ok(after.first >= 24 && after.five >= 34, JSON.stringify(after))
  t.same(await ranks(shared, true), { first: 40, five: 40 })
})
