import '../support/webhooks-environment.ts'
import t from 'tap'
import { sql } from '#sql/db.ts'
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

t.test('deletions are in the audit log, and changes by keys do not use its limit', async (t) => {
  const app = await stack.app()
  const { id } = await stack.endpoint(app, 'https://customer.example.com/secret-path')
  const path = `/v1/hooks/apps/${app}`
  t.equal((await ask(`PATCH ${path}/endpoints/${id}`, { body: { description: 'x' } })).status, 200)
  t.equal((await ask(`GET ${path}/endpoints/${id}/secret`)).status, 200)
  t.equal((await ask(`POST ${path}/endpoints/${id}/rotate-secret`, { body: {} })).status, 200)
  t.equal((await ask(`DELETE ${path}/endpoints/${id}`)).status, 200)
  t.equal((await ask(`DELETE ${path}`)).status, 200)
  t.equal((await ask('DELETE /v1/hooks/event-types/race-0')).status, 200)
  const entries = await stack.db.any(sql.unsafe`
    select action, target from account.audit where org_id = ${stack.orgId} order by number`)
  t.same(entries, [
    { action: 'hooks.endpoint.deleted', target: id },
    { action: 'hooks.app.deleted', target: app },
    { action: 'hooks.event_type.deleted', target: 'race-0' },
  ])
})
