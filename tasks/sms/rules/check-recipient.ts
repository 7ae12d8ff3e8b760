import parsePhoneNumber, { type CountryCode, type NumberType, type PhoneNumber } from 'libphonenumber-js/max'
import type { CurrentSettings } from '#sql/sms/settings.ts'

/** Number types that can cost more than a normal message. They are also the targets of fraud. */
const costly = new Set<NumberType>(['PREMIUM_RATE', 'SHARED_COST', 'PERSONAL_NUMBER', 'UAN', 'PAGER', 'VOICEMAIL'])

export interface Refusal {
  code: string
  message: string
}

/** Returns the country of a number. Undefined if the number can belong to several countries, or to none. */
export function findCountry(phone: string): CountryCode | undefined {
  return countryOf(parsePhoneNumber(phone))
}

function countryOf(parsed: PhoneNumber | undefined): CountryCode | undefined {
  if (parsed?.country) return parsed.country
  const possible = parsed?.getPossibleCountries() ?? []
  return possible.length === 1 ? possible[0] : undefined
}

/**
 * Returns why an organisation does not send messages to a number. Undefined if it does. Without a list of countries,
 * only numbers in the country of the sender are allowed.
 */
export function checkRecipient(
  phone: string,
  sender: string | null,
  { countries, allow_premium }: Pick<CurrentSettings, 'countries' | 'allow_premium'>,
): Refusal | undefined {
  const parsed = parsePhoneNumber(phone)
  const type = parsed?.getType()
  if (type && costly.has(type) && !allow_premium)
    return {
      code: 'premium_not_allowed',
      message: 'The number has a higher price than a normal number. Allow it with `PUT /v1/sms/settings`.',
    }
  const country = countryOf(parsed)
  const own = sender?.startsWith('+') ? findCountry(sender) : undefined
  const allowed = countries ?? (own === undefined ? [] : [own])
  if (country !== undefined && allowed.includes(country)) return undefined
  return {
    code: 'country_not_allowed',
    message: `Messages to ${country ?? 'this region'} are not allowed. Add the country with \`PUT /v1/sms/settings\`.`,
  }
}
