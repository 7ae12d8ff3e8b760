import { area } from '../http/area.ts'
import * as receiving from './receive.ts'
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
  pages: { receiving },
})
