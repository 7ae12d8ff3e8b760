import { area } from '../http/area.ts'
import * as apps from './apps.ts'
import * as attempts from './attempts.ts'
import * as appPages from './dashboard/app.ts'
import * as appChanges from './dashboard/app-changes.ts'
import * as appsPages from './dashboard/apps.ts'
import * as endpointPage from './dashboard/endpoint.ts'
import * as endpointActions from './dashboard/endpoint-actions.ts'
import * as endpointChanges from './dashboard/endpoint-changes.ts'
import * as typePages from './dashboard/event-types.ts'
import * as messagePage from './dashboard/message.ts'
import * as newMessage from './dashboard/new-message.ts'
import { section } from './dashboard/section.ts'
import * as endpoints from './endpoints.ts'
import * as eventTypes from './event-types.ts'
import * as messages from './messages.ts'
import * as portal from './portal.ts'
import * as portalElement from './portal-element.ts'
import * as portalEndpoints from './portal-endpoints.ts'
import * as portalMessages from './portal-messages.ts'
import * as portalPage from './portal-page.ts'
import * as portalTokens from './portal-tokens.ts'
import * as portalTypes from './portal-types.ts'
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
  pages: { portalPage },
  routes: {
    ...{ apps, eventTypes, endpoints, messages, attempts, replays },
    ...{ portalTokens, portal, portalEndpoints, portalMessages, portalTypes, portalElement },
  },
  dashboard: {
    finders: appsPages.finders,
    sections: [section],
    pages: {
      ...{ appsPages, newMessage, endpointChanges, endpointActions },
      ...{ appPages, appChanges, typePages, messagePage, endpointPage },
    },
    regions: {
      'hooks-endpoints': appPages.endpointRegion,
      'hooks-messages': appPages.messageRegion,
      'hooks-attempts': endpointPage.attemptRegion,
      'hooks-message': messagePage.messageStateRegion,
    },
  },
})
