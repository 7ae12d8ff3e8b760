import '../support/words-environment.ts'
import t from 'tap'
import { storesStack } from './stores-stack.ts'

t.setTimeout(300_000)
const stack = await storesStack(t)
const { ask, base, key } = stack
const { id } = (await ask('POST /v1/ai/vector_stores', { body: {} })).body
const file = (await ask(`POST /v1/ai/vector_stores/${id}/files`, { body: { content: 'Text.' } })).body.id
const path = `/v1/ai/vector_stores/${id}`

const nested = (levels: number): unknown =>
  levels === 0 ? { type: 'eq', key: 'a', value: 1 } : { type: 'and', filters: [nested(levels - 1)] }

const many = Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, 'v']))
const flat = {
  type: 'or',
  filters: Array.from({ length: 11 }, () => ({ type: 'and', filters: Array.from({ length: 5 }, () => nested(0)) })),
}

const wrong: readonly [string, string, unknown][] = [
  ['no query', `POST ${path}/search`, {}],
  ['a blank query', `POST ${path}/search`, { query: ' ' }],
  ['a long query', `POST ${path}/search`, { query: 'x'.repeat(4_097) }],
  ['no queries', `POST ${path}/search`, { query: [] }],
  ['many queries', `POST ${path}/search`, { query: Array(6).fill('x') }],
  ['a query of another type', `POST ${path}/search`, { query: 7 }],
  ['no results', `POST ${path}/search`, { query: 'x', max_num_results: 0 }],
  ['many results', `POST ${path}/search`, { query: 'x', max_num_results: 51 }],
  ['a rewritten query', `POST ${path}/search`, { query: 'x', rewrite_query: true }],
  ['a threshold above 1', `POST ${path}/search`, { query: 'x', ranking_options: { score_threshold: 2 } }],
  ['an unknown ranker', `POST ${path}/search`, { query: 'x', ranking_options: { ranker: 'best' } }],
  ['a list as filter', `POST ${path}/search`, { query: 'x', filters: [] }],
  ['an unknown comparison', `POST ${path}/search`, { query: 'x', filters: { type: 'like', key: 'a', value: 'b' } }],
  ['a filter without a key', `POST ${path}/search`, { query: 'x', filters: { type: 'eq', value: 'b' } }],
  ['a filter with an object', `POST ${path}/search`, { query: 'x', filters: { type: 'eq', key: 'a', value: {} } }],
  ['`gt` with a boolean', `POST ${path}/search`, { query: 'x', filters: { type: 'gt', key: 'a', value: true } }],
  ['`in` with a text', `POST ${path}/search`, { query: 'x', filters: { type: 'in', key: 'a', value: 'b' } }],
  ['`in` without values', `POST ${path}/search`, { query: 'x', filters: { type: 'in', key: 'a', value: [] } }],
  ['`and` without filters', `POST ${path}/search`, { query: 'x', filters: { type: 'and', filters: [] } }],
  ['a key with NUL', `POST ${path}/search`, { query: 'x', filters: { type: 'eq', key: '\u0000', value: 1 } }],
  ['6 levels', `POST ${path}/search`, { query: 'x', filters: nested(5) }],
  ['100 levels', `POST ${path}/search`, { query: 'x', filters: nested(100) }],
  ['55 comparisons', `POST ${path}/search`, { query: 'x', filters: flat }],
  ['an unknown field', `POST ${path}/search`, { query: 'x', limit: 3 }],
  ['neither file nor text', `POST ${path}/files`, {}],
  ['file and text', `POST ${path}/files`, { file_id: file, content: 'x' }],
  ['a file ID of another form', `POST ${path}/files`, { file_id: 'file-abc' }],
  ['a name without text', `POST ${path}/files`, { file_id: file, filename: 'x' }],
  ['blank text', `POST ${path}/files`, { content: '\n' }],
  ['long text', `POST ${path}/files`, { content: 'x'.repeat(40_001) }],
  ['17 attributes', `POST ${path}/files`, { content: 'x', attributes: many }],
  ['a long attribute', `POST ${path}/files`, { content: 'x', attributes: { a: 'x'.repeat(513) } }],
  ['a long key', `POST ${path}/files`, { content: 'x', attributes: { ['k'.repeat(65)]: 1 } }],
  ['an attribute without a key', `POST ${path}/files`, { content: 'x', attributes: { '': 1 } }],
  ['an attribute that is a list', `POST ${path}/files`, { content: 'x', attributes: { a: [1] } }],
  ['an attribute that is null', `POST ${path}/files`, { content: 'x', attributes: { a: null } }],
  ['static chunking', `POST ${path}/files`, { content: 'x', chunking_strategy: { type: 'static', static: {} } }],
  ['attributes of another type', `POST ${path}/files/${file}`, { attributes: 'x' }],
  ['no attributes', `POST ${path}/files/${file}`, {}],
  ['no files', `POST ${path}/file_batches`, {}],
  ['an empty batch', `POST ${path}/file_batches`, { file_ids: [] }],
  ['two kinds of files', `POST ${path}/file_batches`, { file_ids: [file], files: [{ file_id: file }] }],
  ['501 files', `POST ${path}/file_batches`, { file_ids: Array(501).fill(file) }],
  ['a name that is too long', 'POST /v1/ai/vector_stores', { name: 'x'.repeat(257) }],
  ['17 entries of metadata', 'POST /v1/ai/vector_stores', { metadata: many }],
  ['no days', 'POST /v1/ai/vector_stores', { expires_after: { anchor: 'last_active_at', days: 0 } }],
  ['another anchor', 'POST /v1/ai/vector_stores', { expires_after: { anchor: 'created_at', days: 3 } }],
  ['101 first files', 'POST /v1/ai/vector_stores', { file_ids: Array(101).fill(file) }],
  ['an unknown order', 'GET /v1/ai/vector_stores?order=up', undefined],
  ['a cursor of another form', `GET ${path}/files?after=file-1`, undefined],
  ['an unknown status', `GET ${path}/files?filter=done`, undefined],
]

t.test('wrong input is rejected in the format of OpenAI, and never an internal error', async (t) => {
  for (const [what, request, body] of wrong) {
    const reply = await ask(request, body === undefined ? {} : { body })
    t.equal(reply.status, 400, `${what}: ${reply.text.slice(0, 200)}`)
    t.equal(reply.body.error?.type, 'invalid_request_error', what)
    t.ok(reply.body.error?.message, what)
  }
})

t.test('`__proto__` is no attribute', async (t) => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = '{"content":"x","attributes":{"__proto__":"y"}}'
  const reply = await fetch(`${base.ingress.url}${path}/files`, { method: 'POST', headers, body })
  t.equal(reply.status, 400)
  const fine = await ask(`POST ${path}/files`, {
    body: { content: 'x', attributes: { constructor: 'y', toString: 1 } },
  })
  t.match(fine.body.attributes, { constructor: 'y' })
})

const line = '\r\n'
const field = (name: string, value: string) =>
  `--b${line}content-disposition: form-data; name="${name}"${line}${line}${value}${line}`
const attached = (name: string, value = 'Text.') =>
  `--b${line}content-disposition: form-data; name="file"; filename="${name}"${line}content-type: text/plain${line}${line}${value}${line}`
const end = `--b--${line}`
const purpose = field('purpose', 'assistants')

const wrongForms: readonly [string, number, string, string?][] = [
  ['JSON', 415, '{}', 'application/json'],
  ['no boundary', 400, purpose + attached('a.txt') + end, 'multipart/form-data'],
  ['another boundary', 400, purpose + attached('a.txt') + end, 'multipart/form-data; boundary=c'],
  ['no end', 400, purpose + attached('a.txt')],
  ['no file', 400, purpose + end],
  ['no purpose', 400, attached('a.txt') + end],
  ['an unknown purpose', 400, field('purpose', 'batch') + attached('a.txt') + end],
  ['an unknown field', 400, purpose + field('model', 'x') + attached('a.txt') + end],
  ['two files', 400, purpose + attached('a.txt') + attached('b.txt') + end],
  ['no file name', 400, purpose + field('file', 'x') + end],
  ['a folder', 400, purpose + attached('../a.txt') + end],
  ['a file name with NUL', 400, purpose + attached('a\u0000.txt') + end],
  ['many parts', 400, Array.from({ length: 30 }, (_, i) => field(`f${i}`, 'x')).join('') + end],
  ['a part without headers', 400, `--b${line}x${line}${end}`],
  ['a short expiry', 400, purpose + field('expires_after[seconds]', '5') + attached('a.txt') + end],
  ['an expiry that is no number', 400, purpose + field('expires_after[seconds]', 'x') + attached('a.txt') + end],
  ['an empty body', 400, ''],
  ['21 MiB', 413, purpose + attached('a.txt', 'x'.repeat(21 * 1024 ** 2)) + end],
]

t.test('a wrong form stores nothing', async (t) => {
  for (const [what, status, body, type = 'multipart/form-data; boundary=b'] of wrongForms) {
    const headers = { authorization: `Bearer ${key}`, 'content-type': type }
    const reply = await fetch(`${base.ingress.url}/v1/ai/files`, { method: 'POST', headers, body })
    t.equal(reply.status, status, `${what}: ${(await reply.text()).slice(0, 300)}`)
  }
  t.same((await ask('GET /v1/ai/files')).body.data, [])
})

t.test('a form in the order of browsers, with a name of several languages, is stored', async (t) => {
  const body = purpose + attached('Übersicht "2026"; 概要.txt'.replaceAll('"', '%22'), 'Hello.') + end
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'multipart/form-data; boundary=b' }
  const reply = await fetch(`${base.ingress.url}/v1/ai/files`, { method: 'POST', headers, body })
  t.match(await reply.json(), {
    object: 'file',
    filename: 'Übersicht "2026"; 概要.txt',
    bytes: 6,
    purpose: 'assistants',
  })
})
