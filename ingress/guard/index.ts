import { area } from '../http/area.ts'
import { addressListings } from './address-listings.ts'
import * as answers from './answers.ts'
import * as assess from './assess.ts'
import * as challenges from './challenges.ts'
import { finders } from './dashboard/finders.ts'
import * as sitePage from './dashboard/site.ts'
import * as siteSecret from './dashboard/site-secret.ts'
import * as sitePages from './dashboard/sites.ts'
import * as demo from './demo.ts'
import * as guardPages from './guard-pages.ts'
import { guardRegion, siteRegion } from './guard-region.ts'
import { siteCache } from './known-sites.ts'
import { observeStock } from './metrics.ts'
import * as noscript from './noscript.ts'
import * as sites from './sites.ts'
import * as siteverify from './siteverify.ts'
import { stockWatch } from './stock-watch.ts'
import * as tokens from './tokens.ts'
import { visitorCounter } from './visitor-notes.ts'
import * as widget from './widget.ts'

/**
 * Challenges that make automated abuse expensive.
 *
 * Terms:
 * - site: has a public key, origins and a policy
 * - puzzle: scrypt work with a known answer, created in advance and stored in the stock
 * - challenge: work for one visitor and one action, with one attempt
 * - assessment: reasons for and against a visitor, with their weights
 * - token: result of a solved challenge; verifying uses it
 */
export const guard = area({
  name: 'guard',
  title: 'Guard',
  description: 'Proof-of-work challenges and single-use tokens that make automated abuse costly.',
  base: '/v1/guard',
  services: [siteCache, stockWatch, addressListings, visitorCounter, siteverify.secretUses],
  observe: observeStock,
  routes: { sites, assess, challenges, answers, tokens, siteverify, widget, noscript, demo },
  console: {
    sections: [guardPages.guardSection],
    pages: { guardPages },
    regions: { guard: guardRegion, 'guard-site': siteRegion },
  },
  dashboard: { finders, sections: [sitePages.section], pages: { sitePages, siteSecret, sitePage } },
})
