import { area } from '../http/area.ts'
import * as apps from './apps.ts'
import * as attempts from './attempts.ts'
import * as endpoints from './endpoints.ts'
import * as eventTypes from './event-types.ts'
import * as messages from './messages.ts'
import * as replays from './replays.ts'

/**
 * Webhooks that organisations send to their own customers.
 * Terms:
 * - app: a customer of the organisation, with its endpoints and messages
 * - event type: a kind of message, with the schema of its payload
 * - endpoint: a URL of a customer
 * - message: a payload that is delivered to the endpoints of one app
 */
export const hooks = area({
  name: 'hooks',
  title: 'Customer webhooks',
  description: 'Send webhooks to your own customers, with retries, signatures and a log.',
  base: '/v1/hooks',
  platform: true,
  routes: { apps, eventTypes, endpoints, messages, attempts, replays },
})
