import t from 'tap'
import { testDatabase } from '../support/database.ts'
import { commandLine } from '../support/millrace.ts'

t.setTimeout(240_000)
const { url } = await testDatabase(t)
const { run: millrace, ask: asked } = commandLine(url)

t.test('prices are set, listed with their history, and removed', async (t) => {
  t.match(await millrace('ai prices'), { code: 0, out: /The cost of all models is unknown/ })
  await millrace('ai set-price qwen3:8b --currency USD --input 0.15 --output 0.6')
  await millrace('ai set-price qwen3:8b --currency USD --input 0.2 --cached-input 0.000000001 --output 0.6 --minute 1')
  const now = {
    model: 'qwen3:8b',
    currency: 'USD',
    input: '0.2',
    cached_input: '0.000000001',
    output: '0.6',
    minute: '1',
  }
  t.match(await asked('ai prices'), [now])
  t.match(await asked('ai prices --all'), [now, { input: '0.15', cached_input: null }])
  await millrace('ai set-price qwen3:8b --currency USD --input 9 --output 9 --from 2999-01-01T00:00:00Z')
  t.match(await asked('ai prices'), [{ input: '9', valid_from: '2999-01-01T00:00:00.000Z' }, now])
  t.equal((await asked('ai remove-price qwen3:8b')).set, false)
  t.match((await asked('ai prices')).at(-1), { model: 'qwen3:8b', currency: null, input: null, output: null })
})

t.test('wrong prices are rejected with all faults', async (t) => {
  const { code, err } = await millrace(
    'ai set-price m --currency usd --input -1 --output 1e3 --minute x --from 2020-01-01',
  )
  t.equal(code, 2)
  for (const option of ['--currency', '--input', '--output', '--minute', '--from']) t.match(err, option)
  t.equal((await millrace('ai set-price m --currency USD --input 1')).code, 2)
  t.equal((await millrace('ai set-price m --currency USD --input 1 --output 9007200')).code, 2)
  t.same(await asked('ai prices --all').then((all) => all.filter(({ model }: { model: string }) => model === 'm')), [])
})
