import t from 'tap'
import { mcpStack, rpc } from './stack.ts'

t.setTimeout(240_000)

const stack = await mcpStack(t)
const one = await stack.sender()
const { post } = stack
const earlier = { 'mcp-protocol-version': '2025-03-26' }
const cancel = (requestId: number) => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })
const whoami = (id: number) => rpc('tools/call', { name: 'whoami' }, id)

t.test('a cancellation in a list of messages does not keep the request open', async (t) => {
  const { status, body } = await post(one.key, [whoami(7), cancel(7)], earlier)
  t.match([status, body], [200, { id: 7, result: {} }])
  t.match(await post(one.key, cancel(7)), { status: 202, text: '' })
  t.match(await post(one.key, [cancel(7), cancel(8)], earlier), { status: 202, text: '' })
})

t.test('messages with the same ID do not keep the request open', async (t) => {
  const { body } = await post(one.key, [whoami(1), whoami(1)], earlier)
  t.match(body, { id: 1 })
})

t.test('arguments cannot make a URL that HTTP clients cannot send', async (t) => {
  const { body } = await post(
    one.key,
    rpc('tools/call', { name: 'list_events', arguments: { cursor: 'x'.repeat(20_000) } }),
  )
  t.match(body.result, { isError: true, structuredContent: { error: { details: [{ field: 'cursor' }] } } })
})
