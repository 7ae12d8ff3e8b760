import { area } from '../http/area.ts'
import * as challenges from './challenges.ts'
import * as checks from './checks.ts'
import * as dashboardCheck from './dashboard/check.ts'
import * as dashboardChecks from './dashboard/checks.ts'
import { finders } from './dashboard/finders.ts'
import * as linkPages from './dashboard/new-link.ts'
import * as document from './document.ts'
import * as faceChecks from './face-checks.ts'
import { faceImages } from './face-images.ts'
import * as faceMatch from './face-match.ts'
import * as identityPages from './identity-pages.ts'
import * as promptPage from './prompt-page.ts'
import * as prompts from './prompts.ts'
import * as readiness from './readiness.ts'
import * as requirements from './requirements.ts'
import * as selfie from './selfie.ts'
import * as status from './status.ts'
import * as webhook from './webhook.ts'

/**
 * Verified identities of people. Terms:
 * - subject: a person, by the identifier of the customer's identity provider; the organisation itself without one
 * - requirement: condition of a product of the catalogue
 * - check: state of a subject for a requirement
 * - prompt: link with which a subject meets one requirement, once
 */
export const identity = area({
  name: 'identity',
  title: 'Identity',
  description: 'Requirements, readiness and status of people’s verification, and face matching.',
  base: '/v1/identity',
  platform: true,
  services: [faceImages],
  routes: { requirements, readiness, status, faceMatch, faceChecks, checks, document, webhook },
  pages: { prompts, challenges, selfie, promptPage },
  dashboard: { finders, sections: [dashboardChecks.section], pages: { dashboardChecks, linkPages, dashboardCheck } },
  console: {
    sections: [identityPages.identities],
    pages: { identityPages },
  },
})
