import t from 'tap'
import { createMeaningModel } from '../../workers/llm/meaning/model.ts'
import { until } from '../support/until.ts'

t.setTimeout(120_000)
const never = new AbortController().signal
const megabytes = () => process.memoryUsage.rss() / 1e6

t.test('memory is used from the first text on, and returned after a time without work', async (t) => {
  const before = megabytes()
  const model = createMeaningModel(1)
  t.teardown(() => model.close())
  t.ok(megabytes() - before < 20, 'nothing is loaded yet')
  const texts = Array.from({ length: 48 }, (_, i) => `The customer asked about parcel ${i}, which arrived late.`)
  const vectors = await model.embed(texts, never)
  t.same([vectors.length, vectors[0]?.length], [48, 512])
  const loaded = megabytes()
  t.ok(loaded - before < 350, `${Math.round(loaded - before)} MB`)
  await until(() => loaded - megabytes() > 40)
  t.equal((await model.embed(['One more question'], never)).length, 1, 'it is loaded again')
})

t.test('a caller that goes away ends at once, and others go on', async (t) => {
  const model = createMeaningModel()
  t.teardown(() => model.close())
  await model.embed(['loaded'], never)
  const given = new AbortController()
  const long = Array.from({ length: 64 }, (_, i) => `Sentence ${i} about an order that was late.`)
  const gone = t.rejects(model.embed(long, given.signal), { message: 'gone' })
  const other = model.embed(['Another question'], never)
  given.abort(new Error('gone'))
  await gone
  t.equal((await other).length, 1)
  t.same(await model.embed([], never), [])
})

t.test('long and broken texts have vectors within bounds', async (t) => {
  const model = createMeaningModel()
  t.teardown(() => model.close())
  const vectors = await model.embed(['a'.repeat(32_768), 'word '.repeat(6_554), '', '\ud800 x', '\udc00'], never)
  for (const vector of vectors) t.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-4)
})
