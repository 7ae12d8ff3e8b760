import { area } from '../http/area.ts'
import * as audit from './audit.ts'
import * as budgets from './budgets.ts'
import * as catalogue from './catalogue.ts'
import * as testInboxPages from './dashboard/test-inbox.ts'
import * as events from './events.ts'
import * as invitations from './invitations.ts'
import * as keyChecks from './key-checks.ts'
import * as keys from './keys.ts'
import * as members from './members.ts'
import * as organisation from './organisation.ts'
import * as requests from './requests.ts'
import * as testMessages from './test-messages.ts'
import * as usage from './usage.ts'
import * as webhookDeliveries from './webhook-deliveries.ts'
import * as webhooks from './webhooks.ts'

/** What the API is: the catalogue of its operations and the contract; and what an organisation does for itself. */
export const account = area({
  name: 'account',
  title: 'Account',
  description:
    'The catalogue of this API, and the organisation itself: keys, members, requests, usage, webhooks, audit.',
  base: '/v1',
  platform: true,
  routes: {
    catalogue,
    organisation,
    keys,
    keyChecks,
    members,
    invitations,
    audit,
    requests,
    usage,
    budgets,
    events,
    webhooks,
    webhookDeliveries,
    testMessages,
  },
  dashboard: {
    sections: [testInboxPages.section],
    pages: { testInboxPages },
  },
})
