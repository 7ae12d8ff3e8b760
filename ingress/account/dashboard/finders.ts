import * as keys from '#sql/account/keys.ts'
import * as testMessages from '#sql/account/test-messages.ts'
import * as requests from '#sql/account/usage/requests.ts'
import * as endpoints from '#sql/webhooks/endpoints.ts'
import { findById } from '../../http/dashboard/finders.ts'

export const finders = [
  findById('Request', '/app/requests', requests.find, { permission: 'log:read' }),
  findById('API key', '/app/keys', keys.find, { permission: 'keys:read', name: 'name' }),
  findById('Webhook', '/app/webhooks', (db, orgId, id) => endpoints.find(db, { orgId }, id), {
    permission: 'webhooks:read',
    name: 'url',
  }),
  findById('Test message', '/app/test-inbox', testMessages.find, { permission: 'log:read' }),
]
