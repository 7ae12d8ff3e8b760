import { observeFeeds } from '#tasks/trust/rules/feed-gauges.ts'
import { area } from '../http/area.ts'
import * as checkUrl from './check-url.ts'
import * as checkUrls from './check-urls.ts'
import * as additionPages from './dashboard/additions.ts'
import * as checkPages from './dashboard/checks.ts'
import * as feedPages from './feed-pages.ts'
import { feedsRegion } from './feeds-region.ts'
import { feedCache } from './known/known.ts'
import * as lists from './lists.ts'
import * as watches from './watches.ts'

/**
 * Checks of URLs.
 *
 * Terms:
 * - feed: a list of threats from an external provider, and the copy of it here
 * - entry: the hash of a listed expression of Safe Browsing
 * - expression: a suffix of a URL’s host with a prefix of its path
 * - source: a feed in the response of a check
 * - watch: a URL for which an organisation is notified when its verdict changes
 */
export const trust = area({
  name: 'trust',
  title: 'Trust',
  description: 'Checks of URLs against threat feeds.',
  base: '/v1/trust',
  platform: true,
  observe: observeFeeds,
  services: [feedCache],
  routes: { checkUrl, checkUrls, lists, watches },
  dashboard: { sections: [checkPages.section], pages: { checkPages, additionPages } },
  console: {
    sections: [feedPages.trustSection],
    pages: { feedPages },
    regions: { 'trust-feeds': feedsRegion },
  },
})
