import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { storesStack } from './stores-stack.ts'

t.setTimeout(120_000)
const { ask, base } = await storesStack(t)

t.test('without a worker for vectors, a search does not wait for one', async (t) => {
  const store = (await ask('POST /v1/ai/vector_stores', { body: { name: 'Notes' } })).body.id
  const path = `/v1/ai/vector_stores/${store}`
  const added = await ask(`POST ${path}/files`, { body: { content: 'Refunds take five days.', filename: 'a.md' } })
  t.equal(added.status, 200, added.text)
  const { status, body, text } = await ask(`POST ${path}/search`, { body: { query: 'refunds days' } })
  t.equal(status, 200, text)
  t.equal(body.data.length, 1)
  const asked = await base.db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*)::int4 as count from jobs.runs where task = 'knowledge/embed-search'`)
  t.equal(asked, 0)
})
