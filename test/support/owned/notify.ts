import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import type { Owned } from './owned.ts'

const workflow = {
  name: 'A flow',
  product_key: 'crm',
  type: 'flow.begun',
  steps: [{ type: 'channel', channel: 'in_app' }],
}
const chat = { kind: 'slack', name: 'a', url: 'https://hooks.slack.com/services/T/B/X' }
const begun = { product_key: 'crm', type: 'flow.begun', subject_user_id: 'ann', title: 'A title' }

export const notify: Owned = ({ make, db, owner }) => ({
  made: {
    '/v1/notify/connections': () => make('POST /v1/notify/connections', chat),
    '/v1/notify/chat-messages': async () => {
      const [id, connection] = [newId(), await make('POST /v1/notify/connections', chat)]
      await db.query(sql.typeAlias('void')`
        insert into notify.chat_messages (id, org_id, connection_id, product_key, type, title, status)
        values (${id}, ${owner.org.id}, ${connection}, 'crm', 'a', 'A title', 'sent')`)
      return id
    },
    '/v1/notify/people': () => make('PUT /v1/notify/people/ann', { name: 'Ann' }, 'user_id'),
    '/v1/notify/workflows': () => make('PUT /v1/notify/workflows/flow', workflow, 'key'),
    '/v1/notify/runs': async () => {
      await make('PUT /v1/notify/workflows/flow', workflow, 'key')
      await make('POST /v1/notify/workflows/flow/publish', undefined, 'key')
      return await make('POST /v1/notify/events', begun, 'run_id')
    },
  },
  bodies: { 'notify.connections.update': { name: 'b' } },
  // Using a person or a workflow creates the caller’s own one.
  anyones: ['notify.people.put', 'notify.workflows.put'],
})
