import { observeFeeds } from '#tasks/trust/rules/feed-gauges.ts'
import { area } from '../http/area.ts'
import * as checkUrl from './check-url.ts'
import * as checkUrls from './check-urls.ts'
import * as feedPages from './feed-pages.ts'
import { feedsRegion } from './feeds-region.ts'
import { known } from './known/known.ts'
import * as lists from './lists.ts'
import * as watches from './watches.ts'

/**
 * What is known of a URL. Words used here:
 *   feed        a list of threats that somebody else keeps, and the copy of it here
 *   entry       what a feed lists, by the hash of one of Safe Browsing's expressions
 *   expression  a suffix of a URL's host with a prefix of its path
 *   source      a feed, as the answer to a check shows it
 *   watch       a URL of whose verdict an organisation is told when it changes
 */
export const trust = area({
  name: 'trust',
  title: 'Trust',
  description: 'Checks of URLs against threat feeds.',
  base: '/v1/trust',
  platform: true,
  observe: observeFeeds,
  services: [known],
  routes: { checkUrl, checkUrls, lists, watches },
  console: {
    sections: [feedPages.trustSection],
    pages: { feedPages },
    regions: { 'trust-feeds': feedsRegion },
  },
})
