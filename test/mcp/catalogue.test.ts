import t from 'tap'
import { areas } from '../../ingress/areas.ts'
import { canCall, listTools } from '../../ingress/mcp/tools/list.ts'

const operations = areas.flatMap(({ operations }) => operations)
const marked = operations.filter(({ route }) => route.tool)
const tools = listTools(marked)

/** Names of secrets in requests. A model must not need one. */
const secretName = /secret|password|token$/i

t.test('every marked operation is a tool with a unique name, a description and a schema', async (t) => {
  t.equal(tools.size, marked.length)
  t.ok(tools.size >= 30)
  for (const [name, { facts, operation }] of tools) {
    t.match(name, /^[a-z][a-z0-9_]{2,63}$/)
    t.ok((facts.description ?? '').length > 20, name)
    t.ok((facts.description ?? '').length < 1_024, `${name} has a short description`)
    t.equal(facts.inputSchema.type, 'object')
    const text = JSON.stringify(facts.inputSchema)
    t.notMatch(text, /\$ref|\$defs/, `${name} has no references`)
    for (const field of Object.keys(facts.inputSchema.properties ?? {})) t.notMatch(field, secretName, name)
    t.ok(text.length < 6_000, `${name} is small enough for the context of a model`)
    t.notOk(operation.route.streams && facts.inputSchema.properties?.stream, `${name} cannot stream`)
  }
})

t.test('no tool that only reads has the method of a change, unless it says so', async (t) => {
  for (const [name, { facts, operation }] of tools) {
    const { method, tool } = operation.route
    const reads = facts.annotations?.readOnlyHint
    t.equal(reads, method === 'GET' || tool?.reads === true, name)
    if (/^(list|get|search|look|read)_/.test(name)) t.equal(reads, true, name)
    if (/^(delete|cancel)_/.test(name)) t.equal(facts.annotations?.destructiveHint, true, name)
  }
})

t.test('a key without scopes sees only the tools that need none', async (t) => {
  const key = { scopes: [], locks: {}, mode: 'live', prefix: 'bt_live_' }
  const seen = [...tools.values()].filter((tool) => canCall({ key } as never, tool)).map(({ facts }) => facts.name)
  t.same(seen, ['read_docs', 'search_docs', 'whoami'])
})
