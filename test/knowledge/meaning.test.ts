import t from 'tap'
import { Later } from '#lib/errors.ts'
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
import { until } from '../support/until.ts'
import { type HelpArticle, helpCentre } from './help-centre.ts'
import { library } from './library.ts'

t.setTimeout(240_000)
const { db } = await testDatabase(t)
const { org } = await testOrg(db, [])
const llm = createEmbeddedEngine()
t.teardown(() => llm.close())

/** Model that says which texts it reads, and can wait before it answers. */
const { meaning } = llm
const read: string[] = []
const spied = (before: () => Promise<unknown> = async () => {}) => ({
  ...llm,
  meaning: meaning && {
    ...meaning,
    async embed(texts: readonly string[], signal: AbortSignal) {
      read.push(...texts)
      await before()
      return await meaning.embed(texts, signal)
    },
  },
})

const own = <T>(work: (tx: Db) => Promise<T>) => db.transaction(work)
const tools = (of: object = llm) => ({ db, llm: of, own, signal: new AbortController().signal, log }) as never

async function keep(collectionId: string, title: string, text: string): Promise<string> {
  const id = newId()
  await save(db, { id, org_id: org.id, collection_id: collectionId, title, url: null, text })
  return id
}

const modelOf = (id: string) =>
  db.oneFirst(sql.type(table.Row.pick({ model: true }))`select model from knowledge.sources where id = ${id}`)

const vectorsOf = (id: string) =>
  db.oneFirst(sql.typeAlias('count')`select count(*) from knowledge.vectors where source_id = ${id}`)

/** Stores articles as a collection. */
async function keepAll(articles: readonly HelpArticle[]): Promise<{ collectionId: string; ids: string[] }> {
  const [collectionId, ids]: [string, string[]] = [newId(), []]
  for (const { title, text } of articles) ids.push(await keep(collectionId, title, text))
  return { collectionId, ids }
}

/** Returns the ranks of the right articles, 0 if first, and their number among the first and the first five. */
async function ranks(
  { collectionId, ids }: { collectionId: string; ids: readonly string[] },
  questions: readonly string[],
  byVectors: boolean,
): Promise<{ first: number; five: number }> {
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
  const kept = await keepAll(helpCentre)
  const paraphrased = helpCentre.map(({ paraphrase }) => paraphrase)
  const shared = helpCentre.map(({ shared }) => shared)
  const before = await ranks(kept, paraphrased, false)
  for (const id of kept.ids) await embed.run({ sourceId: id }, tools())
  t.equal(await modelOf(kept.ids[0] ?? ''), 'use-lite-en/sentences-1')
  const after = await ranks(kept, paraphrased, true)
  t.ok(before.first < 5, `${before.first} by words`)
  t.ok(after.first >= 24 && after.five >= 34, JSON.stringify(after))
  t.same(await ranks(kept, shared, true), { first: 40, five: 40 })
})

t.test('articles that nothing is tuned to are found less often', async (t) => {
  const kept = await keepAll(library)
  for (const id of kept.ids) await embed.run({ sourceId: id }, tools())
  const questions = library.map(({ paraphrase }) => paraphrase)
  const [before, after] = [await ranks(kept, questions, false), await ranks(kept, questions, true)]
  t.ok(after.first >= 7 && after.five >= 15 && after.first > before.first, JSON.stringify({ before, after }))
  const shared = library.map(({ shared }) => shared)
  t.match(await ranks(kept, shared, true), { five: 20 })
})

t.test('each sentence is read below its heading; other languages have no vectors', async (t) => {
  const text = `# Shop

## Opening hours

We are open from 9 to 17. On Sundays the shop is closed.

## Parking

You can leave your car behind the house. The barrier opens with your ticket. Cars that stay for more than three hours pay two euros, and bicycles are free of charge.

## Öffnungszeiten

Wir haben von 9 bis 17 Uhr geöffnet. Am Sonntag ist der Laden geschlossen, und das ist gut für die Nachbarn. ${'Das ist ein Satz. '.repeat(10)}`
  const id = await keep(newId(), 'Guide', text)
  await embed.run({ sourceId: id }, tools(spied()))
  t.ok(read.includes('opening hours. we are open from 9 to 17.'), read.join('|'))
  t.ok(read.includes('opening hours. on sundays the shop is closed.'))
  t.ok(read.includes('parking. the barrier opens with your ticket.'), 'below its own heading')
  t.notOk(read.some((one) => /geöffnet/.test(one)))
  t.equal(await vectorsOf(id), 5)
  t.equal(await modelOf(id), 'use-lite-en/sentences-1')
})

/** Creates the vectors of a source, in as many turns as it needs. */
async function embedWhole(id: string): Promise<void> {
  for (;;) {
    try {
      return await embed.run({ sourceId: id }, tools())
    } catch (error) {
      if (!(error instanceof Later)) throw error
    }
  }
}

t.test('a sentence of 32 KB and a chunk of many short sentences have few vectors', async (t) => {
  const long = await keep(newId(), 'Long', `The boat is at the ${'harbour and at the '.repeat(1_700)}pier.`)
  await embedWhole(long)
  const short = await keep(newId(), 'Short', 'It is so. '.repeat(300))
  await embedWhole(short)
  for (const id of [long, short]) {
    const chunks = await db.oneFirst(sql.typeAlias('count')`
      select chunks as count from knowledge.sources where id = ${id}`)
    const vectors = await vectorsOf(id)
    t.ok(vectors >= chunks && vectors <= chunks * 16, `${vectors} vectors of ${chunks} chunks`)
  }
})

t.test('vectors that were made of a deleted or replaced text are not stored', async (t) => {
  const collection = newId()
  const id = await keep(collection, 'Boats', 'The boat is at the pier.')
  const removed = db.query(sql.typeAlias('void')`delete from knowledge.sources where collection_id = ${collection}`)
  await embed.run({ sourceId: id }, tools(spied(() => removed)))
  t.equal(await vectorsOf(id), 0)
})

t.test('a long source does not delay the vector of a question, and takes turns with other sources', async (t) => {
  const sentence = (i: number) => `The harbour of town number ${i} is open to all of the boats that come from the sea. `
  const text = Array.from({ length: 2_000 }, (_, i) => sentence(i)).join('')
  const long = await keep(newId(), 'Harbours', text)
  const gone = new AbortController()
  const running = embed.run({ sourceId: long }, { ...(tools() as object), signal: gone.signal } as never)
  await until(async () => (await vectorsOf(long)) > 0)
  await t.rejects(embed.run({ sourceId: await keep(newId(), 'Other', 'It is the sea.') }, tools()), Later)
  for (let i = 0; i < 5; i++) {
    const embedded = await embedQuestion(`When will I get my cash returned ${i}?`, org.id, tools())
    t.ok(embedded, 'within the patience of a question')
  }
  gone.abort(new Error('stopped'))
  await t.rejects(running)
  t.equal(await modelOf(long), null)
})

t.test('a question in another language, or without the model, has no vector', async (t) => {
  for (const question of ['Wann bekomme ich mein Geld zurück?', 'Сколько стоит доставка в Эстонию?'])
    t.equal(await embedQuestion(question, org.id, tools()), undefined)
  t.equal(await embedQuestion('When do I get my money?', org.id, tools({ ...llm, meaning: undefined })), undefined)
  const failing = { ...llm, meaning: meaning && { ...meaning, embed: () => Promise.reject(new Error('crashed')) } }
  t.equal(await embedQuestion('When do I get my money?', org.id, tools(failing)), undefined)
})
