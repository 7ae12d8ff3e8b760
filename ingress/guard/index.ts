import { area } from '../http/area.ts'
import * as answers from './answers.ts'
import * as challenges from './challenges.ts'
import { knownSites } from './known-sites.ts'
import { observeStock } from './metrics.ts'
import * as sites from './sites.ts'
import { stockWatch } from './stock-watch.ts'
import * as tokens from './tokens.ts'

/**
 * What makes automated abuse costly. Words used here:
 *   site       what has a public key, origins and a policy
 *   puzzle     scrypt work with a known answer, minted ahead into the stock
 *   challenge  work given to one visitor for one action; it has one attempt
 *   token      what a solved challenge earns; it is spent by being verified
 */
export const guard = area({
  name: 'guard',
  title: 'Guard',
  description: 'Proof-of-work challenges and single-use tokens that make automated abuse costly.',
  base: '/v1/guard',
  services: [knownSites, stockWatch],
  observe: observeStock,
  routes: {
    sites: {
      create: sites.create,
      list: sites.list,
      read: sites.read,
      update: sites.update,
      rotate: sites.rotate,
      remove: sites.remove,
    },
    challenges: { create: challenges.create },
    answers: { complete: answers.complete },
    tokens: { verify: tokens.verify },
  },
})
