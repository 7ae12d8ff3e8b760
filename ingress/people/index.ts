import { area } from '../http/area.ts'
import * as consent from './consent.ts'
import * as consentPages from './dashboard/consent.ts'
import * as erasurePages from './dashboard/erasures.ts'
import { finders } from './dashboard/finders.ts'
import * as peoplePages from './dashboard/people.ts'
import * as personPages from './dashboard/person.ts'
import { section } from './dashboard/section.ts'
import { timelineRegions } from './dashboard/timeline.ts'
import * as erasures from './erasures.ts'
import * as persons from './people.ts'
import * as timeline from './timeline.ts'

/**
 * People over all areas.
 *
 * Terms:
 * - person: whoever an organisation knows by its own `user_id`, in any area
 * - linked: a row of an area that has the `user_id`, or an address that only this person has
 * - consent: what a person accepts per channel, read from the tables of the channel
 * - erasure: deletion of a person in all areas, with a receipt per table
 */
export const people = area({
  name: 'people',
  title: 'People',
  description: 'One person over all areas: addresses, timeline, consent and erasure.',
  base: '/v1/people',
  platform: true,
  routes: { erasures, people: persons, timeline, consent },
  dashboard: {
    finders,
    sections: [section],
    pages: { peoplePages, erasurePages, personPages, consentPages },
    regions: { ...timelineRegions, 'people-erasure': erasurePages.receiptRegion },
  },
})
