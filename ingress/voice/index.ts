import { area } from '../http/area.ts'
import * as callPages from './call-pages.ts'
import { callRegion } from './call-region.ts'
import * as calls from './calls.ts'
import * as clickToCall from './click-to-call.ts'
import * as callPage from './dashboard/call.ts'
import * as dashboardCalls from './dashboard/calls.ts'
import * as newCall from './dashboard/new-call.ts'
import * as dids from './dids.ts'
import * as status from './status.ts'

/**
 * Telephone calls. Terms: a DID is a number from which an organisation calls. A call connects two telephones. A leg is
 * the connection to one of them, and leg `a` rings first. A trunk is a SIP connection to the telephone network.
 */
export const voice = area({
  name: 'voice',
  title: 'Voice',
  description: 'Phone numbers, the state of trunks, and calls between two numbers.',
  base: '/v1/voice',
  platform: true,
  routes: { dids, status, clickToCall, calls },
  console: {
    sections: [callPages.calls],
    pages: { callPages },
    regions: { calls: callRegion },
  },
  dashboard: {
    sections: [dashboardCalls.section],
    pages: { dashboardCalls, newCall, callPage },
    regions: { call: callPage.callRegion },
  },
})
