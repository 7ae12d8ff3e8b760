import '../support/webhooks-environment.ts'
import t from 'tap'
import { hookStack } from './stack.ts'

t.setTimeout(120_000)
const stack = await hookStack(t)
const { ask } = stack

t.test('two changes of an event type at the same time lose nothing', async (t) => {
  for (let i = 0; i < 10; i++) {
    const path = `/v1/hooks/event-types/race-${i}`
    await stack.type(`race-${i}`)
    const schema = { type: 'object', required: [`field_${i}`] }
    const replies = await Promise.all([
      ask(`PATCH ${path}`, { body: { schema } }),
      ask(`PATCH ${path}`, { body: { description: 'New.' } }),
    ])
    const { body } = await ask(`GET ${path}`)
    if (replies[0]?.status === 200) t.same(body.schema, schema)
    else t.equal(replies[0]?.status, 409)
    t.equal(replies[1]?.status, 200)
    t.equal(body.description, 'New.')
  }
})
