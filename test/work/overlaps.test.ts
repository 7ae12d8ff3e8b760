import '../support/work-environment.ts'
import { once } from 'node:events'
import t from 'tap'
import type { Db } from '#sql/db.ts'
import { type Flow, lockMany } from '#sql/work/flows.ts'
import { cancelFlow } from '#tasks/work/rules/flows/cancel-flow.ts'
import { isWhole } from '../support/sample.ts'
import { workStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await workStack(t)
const { server, create, ask, db } = stack

/** Transactions that were repeated, because Postgres ended them to resolve a deadlock. */
let repeated = 0

function transact<T>(work: (tx: Db) => Promise<T>): Promise<T> {
  let tries = 0
  return db.transaction((tx) => {
    if (tries++ > 0) repeated++
    return work(tx)
  })
}

t.test('flows with the same keys in another order are cancelled at the same time', async (t) => {
  const names = Array.from({ length: 12 }, (_, i) => `key-${i}`)
  for (let round = 0; round < (isWhole ? 20 : 5); round++) {
    const flows = await Promise.all(
      [names, names.toReversed()].map((order) =>
        ask('POST /v1/jobs/flows', {
          body: {
            jobs: order.map((name) => ({
              ...{ name, url: `${server.url}/flow` },
              concurrency: { key: `${name}-${round}`, limit: 5 },
            })),
          },
        }),
      ),
    )
    await Promise.all(
      flows.map(({ body }) =>
        transact(async (tx) => {
          const [flow] = await lockMany(tx, [body.id])
          await cancelFlow(tx, flow as Flow)
        }),
      ),
    )
    for (const { body } of flows)
      t.match(await ask(`GET /v1/jobs/flows/${body.id}`), {
        body: { state: 'cancelled', jobs_count: { cancelled: names.length } },
      })
  }
  t.equal(repeated, 0)
})

t.test('a cancelled request is aborted, also if the job is replayed or deleted at once', async (t) => {
  await stack.startWorkers()
  const aborted: Promise<unknown>[] = []
  server.answer = ({ path }, res) => {
    if (path !== '/hangs') return void res.writeHead(204).end()
    aborted.push(once(res, 'close'))
    if (aborted.length === 2) res.writeHead(204).end()
  }
  const { id } = (await create('/hangs', { timeout: 300, retries: { max_attempts: 1 } })).body
  await server.has(1, '/hangs')
  await ask(`POST /v1/jobs/${id}/cancel`)
  await ask(`POST /v1/jobs/${id}/replay`)
  await server.has(2, '/hangs')
  await aborted[0]
  t.match(await stack.ended(id), { status: 'completed' })

  const deleted = (await create('/hangs', { timeout: 300 })).body.id
  await server.has(3, '/hangs')
  await ask(`POST /v1/jobs/${deleted}/cancel`)
  await ask(`DELETE /v1/jobs/${deleted}`)
  await aborted[2]
  t.equal((await stack.read(deleted)).status, 404)
})
