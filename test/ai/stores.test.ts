import { Document } from '@langchain/core/documents'
import { BaseRetriever } from '@langchain/core/retrievers'
import { toFile } from 'openai'
import t from 'tap'
import { until } from '../support/until.ts'
import { storesStack } from './stores-stack.ts'

t.setTimeout(300_000)
const stack = await storesStack(t)
const { sdk } = stack
await stack.startWorkers('core,scan,web,llm')

const upload = (name: string, text: string) => toFile(Buffer.from(text), name, { type: 'text/markdown' })

t.test('the openai package uploads, searches with a filter and deletes', async (t) => {
  const store = await sdk.vectorStores.create({ name: 'Help centre', metadata: { team: 'support' } })
  t.match(store, { object: 'vector_store', name: 'Help centre', status: 'completed', file_counts: { total: 0 } })
  const texts = {
    'refunds.md': '# Refunds\n\nRefunds take five working days and go to the card that paid.',
    'ferry.md': '# Ferry\n\nThe ferry sails at noon. Refunds of ferry tickets are not possible.',
    'garage.md': '# Garage\n\nThe garage closes at midnight.',
  }
  const files = await Promise.all(
    Object.entries(texts).map(async ([name, text]) =>
      sdk.vectorStores.files.uploadAndPoll(store.id, await upload(name, text), { pollIntervalMs: 200 }),
    ),
  )
  t.same(
    files.map(({ status, last_error }) => [status, last_error]),
    files.map(() => ['completed', null]),
  )
  const [refunds, ferry] = files.map(({ id }) => id) as [string, string]
  await sdk.vectorStores.files.update(refunds, {
    vector_store_id: store.id,
    attributes: { topic: 'money', year: 2025 },
  })
  await sdk.vectorStores.files.update(ferry, { vector_store_id: store.id, attributes: { topic: 'travel', year: 2026 } })
  const all = await sdk.vectorStores.search(store.id, { query: 'How long do refunds take?' })
  t.equal(all.data[0]?.file_id, refunds)
  t.equal(all.data[0]?.filename, 'refunds.md')
  t.match(all.data[0]?.content[0]?.text, /five working days/)
  const filtered = await sdk.vectorStores.search(store.id, {
    query: 'How long do refunds take?',
    filters: {
      type: 'and',
      filters: [
        { type: 'eq', key: 'topic', value: 'travel' },
        { type: 'gt', key: 'year', value: 2025 },
      ],
    },
  })
  t.same(
    filtered.data.map(({ file_id }) => file_id),
    [ferry],
  )
  t.match(filtered.data[0], { attributes: { topic: 'travel', year: 2026 } })
  t.match(await sdk.vectorStores.retrieve(store.id), {
    file_counts: { in_progress: 0, completed: 3, failed: 0, cancelled: 0, total: 3 },
    usage_bytes: Object.values(texts).join('').length,
  })
  const content = await sdk.vectorStores.files.content(refunds, { vector_store_id: store.id })
  t.equal(content.data.map(({ text }) => text).join(''), texts['refunds.md'])
  const pages: string[] = []
  for await (const file of sdk.vectorStores.files.list(store.id, { limit: 1, order: 'asc' })) pages.push(file.id)
  t.same(pages.toSorted(), files.map(({ id }) => id).toSorted())
  await sdk.vectorStores.files.delete(ferry, { vector_store_id: store.id })
  await sdk.files.delete(refunds)
  const left = await sdk.vectorStores.search(store.id, { query: 'refunds' })
  t.ok(left.data.every(({ filename }) => filename === 'garage.md'))
  t.match(await sdk.vectorStores.retrieve(store.id), { file_counts: { total: 1 } })
  t.match(
    await sdk.vectorStores.update(store.id, { name: 'Docs', expires_after: { anchor: 'last_active_at', days: 2 } }),
    {
      name: 'Docs',
      metadata: { team: 'support' },
      expires_after: { days: 2 },
    },
  )
  t.match(await sdk.vectorStores.delete(store.id), { deleted: true })
  await t.rejects(sdk.vectorStores.retrieve(store.id), { message: /No such vector store/ })
})

t.test('texts are found by their meaning, and the threshold omits others', async (t) => {
  const store = await sdk.vectorStores.create({ name: 'Meaning' })
  const texts = [
    'Refunds take five working days and go to the card that paid.',
    'The ferry to the island sails at noon.',
    'Dogs are welcome in the garden.',
  ]
  for (const content of texts) await stack.ask(`POST /v1/ai/vector_stores/${store.id}/files`, { body: { content } })
  const query = 'When will I get my money back?'
  const best = await until(
    async () => {
      const { data } = await sdk.vectorStores.search(store.id, { query })
      return data.length === texts.length && (data[0]?.score ?? 0) > 0.3 && data
    },
    { timeout: 120_000, what: 'the vectors of all texts exist' },
  )
  t.equal(best[0]?.content[0]?.text, texts[0])
  const [first, second] = best.map(({ score }) => score) as [number, number]
  t.ok(first > second, `${first} and ${second}`)
  const { data } = await sdk.vectorStores.search(store.id, {
    query,
    ranking_options: { score_threshold: Number(((first + second) / 2).toFixed(3)) },
  })
  t.same(
    data.map(({ content }) => content[0]?.text),
    [texts[0]],
  )
})

t.test('a retriever of LangChain returns documents with their attributes', async (t) => {
  const store = await sdk.vectorStores.create({ name: 'Retriever' })
  const body = { content: 'The garage closes at midnight.', attributes: { topic: 'parking' } }
  await stack.ask(`POST /v1/ai/vector_stores/${store.id}/files`, { body })
  class StoreRetriever extends BaseRetriever {
    readonly lc_namespace = ['millrace']
    override async _getRelevantDocuments(query: string) {
      const { data } = await sdk.vectorStores.search(store.id, { query })
      return data.map(({ content, attributes }) => {
        return new Document({ pageContent: content.map(({ text }) => text).join('\n'), metadata: attributes ?? {} })
      })
    }
  }
  const [document] = await new StoreRetriever().invoke('When does the garage close?')
  t.match(document, { pageContent: body.content, metadata: body.attributes })
})
