import { area } from '../http/area.ts'
import * as audit from './audit.ts'
import * as catalogue from './catalogue.ts'
import * as invitations from './invitations.ts'
import * as members from './members.ts'

/** What the API is: the catalogue of its operations and the contract; and what an organisation does for itself. */
export const account = area({
  name: 'account',
  title: 'Account',
  description:
    'The catalogue of this API, and the organisation itself: keys, members, requests, usage, webhooks, audit.',
  base: '/v1',
  platform: true,
  routes: { catalogue, audit, invitations, members },
})
