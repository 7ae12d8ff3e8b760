import '../support/work-environment.ts'
import t from 'tap'
import { workStack } from './stack.ts'

t.setTimeout(240_000)
const { create, read, ask } = await workStack(t)

t.test('the key of a deleted job creates a new job', async (t) => {
  const { id } = (await create('/a', { dedupe_key: 'deleted', delay: 3_600 })).body
  await ask(`POST /v1/jobs/${id}/cancel`)
  t.equal((await ask(`DELETE /v1/jobs/${id}`)).status, 200)
  const again = await Promise.all([0, 1, 2].map(() => create('/a', { dedupe_key: 'deleted', delay: 3_600 })))
  const ids = new Set(again.map(({ body }) => body.id))
  t.equal(ids.size, 1, 'requests at the same time create one job')
  t.equal(again.filter(({ body }) => !body.deduplicated).length, 1)
  for (const one of ids) t.match(await read(one), { status: 200, body: { dedupe_key: 'deleted', status: 'waiting' } })
  t.match((await create('/a', { dedupe_key: 'deleted' })).body, { deduplicated: true, id: [...ids][0] })
})

t.test('jobs of a batch share the key of a deleted job', async (t) => {
  const job = { url: 'https://example.com/', dedupe_key: 'batch', delay: 3_600 }
  const { id } = (await create('/a', job)).body
  await ask(`POST /v1/jobs/${id}/cancel`)
  await ask(`DELETE /v1/jobs/${id}`)
  const { data } = (await ask('POST /v1/jobs/batch', { body: { jobs: [job, job] } })).body
  t.match(data, [{ deduplicated: false }, { deduplicated: true, id: data[0].id }])
  t.equal((await read(data[0].id)).status, 200)
})
