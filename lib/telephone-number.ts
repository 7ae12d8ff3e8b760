import parsePhoneNumber, { type CountryCode, type NumberType } from 'libphonenumber-js/max'

export interface TelephoneNumber {
  number: string
  country: CountryCode
  type: 'local' | 'mobile' | 'toll_free'
}

const emergency = new Set(
  '000 061 066 100 101 102 103 104 108 110 111 112 113 114 115 117 118 119 120 122 123 125 128 129 131 132 133 190 191 192 193 194 195 196 197 198 199 911 912 913 914 916 917 933 988 995 997 998 999 1122 15 17 18'.split(
    ' ',
  ),
)

/**
 * Number types with normal call charges. All other types are rejected: premium rate, shared cost, personal, universal
 * access, pagers.
 */
const kinds: Partial<Record<NonNullable<NumberType>, TelephoneNumber['type']>> = {
  FIXED_LINE: 'local',
  FIXED_LINE_OR_MOBILE: 'local',
  VOIP: 'local',
  MOBILE: 'mobile',
  TOLL_FREE: 'toll_free',
}

/**
 * Returns the number, or the reason why calls to it are rejected. Accepts only E.164, although the parser also accepts
 * `tel:`, extensions and invisible characters.
 */
export function readTelephoneNumber(text: string): TelephoneNumber | string {
  const number = text.trim()
  const digits = number.replace(/^\+/, '')
  if (emergency.has(digits)) return 'must not be an emergency number'
  if (!/^\+[1-9]\d{6,14}$/.test(number)) return 'must be in E.164 format: +, country code and number, only digits'
  const parsed = parsePhoneNumber(number)
  if (!parsed?.isValid() || parsed.number !== number) return 'must be a valid telephone number'
  if (emergency.has(parsed.nationalNumber)) return 'must not be an emergency number'
  if (!parsed.country) return 'must belong to a country. Satellite networks cannot be called.'
  const type = kinds[parsed.getType() ?? 'UAN']
  if (!type) return `cannot be a number of type ${(parsed.getType() ?? 'unknown').toLowerCase().replaceAll('_', ' ')}`
  return { number, country: parsed.country, type }
}
