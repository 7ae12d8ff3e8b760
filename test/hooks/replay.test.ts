import '../support/webhooks-environment.ts'
import t from 'tap'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import { hookStack } from './stack.ts'

t.setTimeout(120_000)
const stack = await hookStack(t)
const { ask, db } = stack
await stack.type('invoice.paid')

const at = '2026-11-20T10:00:00.000Z'

/** Stores messages of one moment. */
async function store(app: string, payloads: readonly object[]): Promise<void> {
  const rows = payloads.map((data) => ({ id: newId(), data }))
  await db.query(sql.typeAlias('void')`
    insert into webhooks.events (id, org_id, type, data, sample, created_at, app_id)
    select g.id, ${stack.orgId}, 'invoice.paid', g.data, false, ${at}, ${app}
    from json_to_recordset(${JSON.stringify(rows)}::json) as g (id uuid, data json)`)
}

t.test('a replay of many messages of one moment ends, even if none matches', async (t) => {
  const app = await stack.app()
  const filters = [{ path: 'n', op: 'lt', value: 2 }]
  const { id } = await stack.endpoint(app, 'https://customer.example.com/x', { filters })
  const path = `POST /v1/hooks/apps/${app}/endpoints/${id}/replay-missing`
  await store(
    app,
    Array.from({ length: 1_100 }, (_, n) => ({ n: 10 + n })),
  )
  await store(app, [{ n: 1 }])
  const first = await ask(path, { body: { since: '2026-11-20T09:00:00Z' } })
  t.same(first.body, { replayed: 0, next_since: at })
  t.same((await ask(path, { body: { since: first.body.next_since } })).body, { replayed: 1, next_since: null })
  t.same((await ask(path, { body: { since: at } })).body.replayed, 0, 'each message is added once')
})
