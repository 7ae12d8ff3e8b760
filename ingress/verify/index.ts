import { area } from '../http/area.ts'
import * as codes from './codes.ts'
import * as conversions from './conversions.ts'
import { finders } from './dashboard/finders.ts'
import * as prefixPages from './dashboard/prefixes.ts'
import * as settingsPage from './dashboard/settings.ts'
import * as verificationPage from './dashboard/verification.ts'
import * as verificationPages from './dashboard/verifications.ts'
import * as erasures from './erasures.ts'
import * as prefixes from './prefixes.ts'
import * as settings from './settings.ts'
import * as verifications from './verifications.ts'

/**
 * Codes that prove that a person has a phone number or an email address.
 *
 * Terms:
 * - verification: one recipient, up to a few codes, and one end
 * - prefix: the first digits of a range of phone numbers
 * - conversion: the approved share of verifications
 */
export const verify = area({
  name: 'verify',
  title: 'Verify',
  description: 'One-time codes by SMS, WhatsApp, phone call and email, with protection against fraud.',
  base: '/v1/verify',
  routes: { settings, prefixes, conversions, erasures, codes, verifications },
  dashboard: {
    finders,
    sections: [verificationPages.section],
    pages: { verificationPages, prefixPages, settingsPage, verificationPage },
    regions: { verification: verificationPage.verificationRegion },
  },
})
