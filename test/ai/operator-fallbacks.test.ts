import '../support/ai-fallbacks-environment.ts'
import t from 'tap'
import { json } from '../support/model-server.ts'
import { moneyStack } from './money-stack.ts'

t.setTimeout(240_000)
const { ingress, main, backup, limited } = await moneyStack(t)

t.test('a cached reply of the operator’s fallback is only for keys that can use this model', async (t) => {
  backup.answer = (res) => json(res, {}, 500)
  let calls = 0
  main.answer = (res) =>
    calls++ === 0 ? json(res, {}, 500) : json(res, { choices: [{ message: { content: 'x' }, finish_reason: 'stop' }] })
  const [all, one] = [await limited(null), await limited({ models: ['default'] })]
  const body = { model: 'default', messages: [{ role: 'user', content: 'operator' }] }
  const ask = async (key: string) => {
    const given = { key, body, headers: { 'millrace-cache': '60' } }
    const { status, headers, body: answer } = await ingress.ask('POST /v1/ai/chat/completions', given)
    return [status, headers.get('millrace-cache'), answer.model]
  }
  t.same(await ask(all.secret), [200, 'miss', 'gpt-4o'])
  t.same(await ask(all.secret), [200, 'hit', 'gpt-4o'])
  t.match(await ask(one.secret), [200, 'miss'], 'asks the model again')
})
