import parsePhoneNumber, { type CountryCode, type NumberType, type PhoneNumber } from 'libphonenumber-js/max'
import type { CurrentSettings } from '#sql/sms/settings.ts'

/** Number types that can cost more than a normal message. They are also the targets of fraud. */
const costly = new Set<NumberType>(['PREMIUM_RATE', 'SHARED_COST', 'PERSONAL_NUMBER', 'UAN', 'PAGER', 'VOICEMAIL'])

export interface Refusal {
  code: string
  message: string
}

/** Returns the countries to which a number can belong. Several if the number is in an unused part of a shared plan. */
const listCountries = (parsed: PhoneNumber | undefined): readonly CountryCode[] =>
  parsed?.country ? [parsed.country] : (parsed?.getPossibleCountries() ?? [])

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
  const possible = listCountries(parsed)
  const own = sender?.startsWith('+') ? listCountries(parsePhoneNumber(sender)) : []
  const allowed: readonly string[] = countries ?? own
  if (possible.length > 0 && possible.every((country) => allowed.includes(country))) return undefined
  return {
    code: 'country_not_allowed',
    message: `Messages to ${possible.length === 1 ? possible[0] : 'this region'} are not allowed. Add the country with \`PUT /v1/sms/settings\`.`,
  }
}
