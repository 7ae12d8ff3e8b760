import { area } from '../http/area.ts'
import * as requestPages from './dashboard/request.ts'
import * as overviewPages from './dashboard/requests.ts'
import { section } from './dashboard/section.ts'
import * as sourcePages from './dashboard/source.ts'
import * as sourceChangePages from './dashboard/source-changes.ts'
import * as sourceListPages from './dashboard/sources.ts'
import * as receive from './receive.ts'
import * as requests from './requests.ts'
import * as sources from './sources.ts'

/**
 * Webhooks that other services send to organisations.
 * Terms:
 * - source: a service that sends webhooks to its own URL
 * - provider: the kind of a source, which determines how requests are signed
 * - request: a received webhook
 */
export const intake = area({
  name: 'intake',
  title: 'Received webhooks',
  description: 'Receive webhooks of Stripe, GitHub, Shopify, Slack and others. Check, store and forward them.',
  base: '/v1/intake',
  platform: true,
  routes: { sources, requests },
  pages: { receive },
  dashboard: {
    finders: requestPages.finders,
    sections: [section],
    pages: { overviewPages, requestPages, sourceListPages, sourcePages, sourceChangePages },
    regions: { intake: overviewPages.requestsRegion, 'intake-request': requestPages.requestRegion },
  },
})
