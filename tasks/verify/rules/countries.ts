import type { Settings } from '#sql/verify/settings.ts'
import type { Channel } from '#sql/verify/verifications.ts'

/** True if codes can go to a country on a channel. Without a list of countries, only WhatsApp is allowed. */
export const isCountryAllowed = (channel: Channel, country: string, { countries }: Settings): boolean =>
  countries.includes(country) || (channel === 'whatsapp' && countries.length === 0)
