import OpenAI from 'openai'
import t from 'tap'
import * as usage from '#sql/ai/usage.ts'
import { createEmbeddedEngine } from '../../workers/llm/embedded/engine.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { aiStack } from './stack.ts'

t.setTimeout(240_000)
const { db, ingress, orgId, key, ask } = await aiStack(t, createEmbeddedEngine())
const sdkOf = (apiKey: string) => new OpenAI({ baseURL: `${ingress.url}/v1/ai`, apiKey, maxRetries: 0 })
const sdk = sdkOf(key)
const post = (body: object) => ask('POST /v1/ai/embeddings', { body: { model: 'use-lite-en', ...body } })

const dot = (one: readonly number[], other: readonly number[]) =>
  one.reduce((sum, value, i) => sum + value * (other[i] ?? 0), 0)

t.test('OpenAI’s SDK gets vectors without an upstream server', async (t) => {
  const input = ['How do I reset my password?', 'I forgot my login credentials', 'The weather in Paris is nice today']
  const { model, data, usage: spent } = await sdk.embeddings.create({ model: 'use-lite-en', input })
  t.equal(model, 'use-lite-en')
  const [asked, near, far] = data.map(({ embedding }) => embedding) as [number[], number[], number[]]
  for (const vector of [asked, near, far]) {
    t.equal(vector.length, 512)
    t.ok(Math.abs(dot(vector, vector) - 1) < 1e-4, 'it is a unit vector')
  }
  t.ok(dot(asked, near) > dot(asked, far) + 0.2, `${dot(asked, near)} and ${dot(asked, far)}`)
  t.ok(spent.prompt_tokens > 15)
  const before = await usage.find(db, orgId)
  const again = await sdk.embeddings.create({ model: 'default', input, encoding_format: 'float' })
  t.match(again, { model: 'use-lite-en', language: 'en', usage: { prompt_tokens: 0, total_tokens: 0 } })
  t.same(
    again.data.map(({ embedding }) => embedding.map(Math.fround)),
    data.map(({ embedding }) => embedding.map(Math.fround)),
    'cached vectors are the same',
  )
  t.equal((await usage.find(db, orgId)).tokens, before.tokens)
  t.match(await sdk.embeddings.create({ model: 'use-lite-en', input: 'one', dimensions: 512 }), {
    model: 'use-lite-en',
  })
})

t.test('the model is in the list with its language', async (t) => {
  t.match((await sdk.models.list()).data, [{ id: 'use-lite-en', kind: 'embedding', language: 'en' }])
  t.match(await sdk.models.retrieve('use-lite-en'), { owned_by: 'millrace' })
  await t.rejects(sdk.embeddings.create({ model: 'text-embedding-3-small', input: 'a' }), {
    status: 404,
    code: 'model_not_found',
  })
})

t.test('requests that the model cannot do are refused with each field', async (t) => {
  const both = await post({ input: [[1, 2, 3]], dimensions: 256 })
  t.equal(both.status, 400)
  t.same(fieldsOf(both), ['body.dimensions', 'body.input'])
  t.match(await post({ input: [5, 6] }), { status: 400, body: { error: { param: 'input', message: /must be text/ } } })
  t.match(await post({ input: 'word '.repeat(6_554) }), {
    status: 400,
    body: { error: { code: 'context_length_exceeded', message: /32770 characters.*4096/ } },
  })
  t.match(await post({ input: Array.from({ length: 50 }, (_, i) => `${i} `.padEnd(3_000, 'word ')) }), {
    status: 400,
    body: { error: { code: 'context_length_exceeded', message: /150000 characters.*100000/ } },
  })
  t.equal((await post({ input: '' })).status, 400)
})

t.test('unusual texts have vectors', async (t) => {
  const input = [' ', 'a'.repeat(4_096), '🚢🚢🚢', '\u00a0', '漢字', 'x'.repeat(3_000)]
  const { body } = await post({ input, encoding_format: 'float' })
  t.equal(body.data.length, input.length)
  for (const { embedding } of body.data) t.ok(Math.abs(dot(embedding, embedding) - 1) < 1e-4)
})

t.test('a large request of one organisation does not delay a question of another one', async (t) => {
  const other = await testOrg(db, ['ai:invoke'])
  const ended: string[] = []
  const large = Array.from({ length: 160 }, (_, i) => `The customer asked about parcel ${i}, which arrived late.`)
  const bulk = sdk.embeddings.create({ model: 'use-lite-en', input: large }).then(({ data }) => {
    ended.push('bulk')
    return data.length
  })
  await sdkOf(other.keys.main).embeddings.create({ model: 'use-lite-en', input: 'Where is my parcel?' })
  ended.push('question')
  t.equal(await bulk, 160)
  t.same(ended, ['question', 'bulk'])
})
