import { parsePhoneNumberFromString } from 'libphonenumber-js'
import { z } from 'zod'

/** Schema of a phone number in E.164. Spaces around the number are removed. */
export const PhoneNumber = z
  .string()
  .trim()
  .regex(/^\+[1-9]\d{6,14}$/, { error: 'must be a phone number in E.164: + and 7 to 15 digits', abort: true })
  .refine(
    (phone) => parsePhoneNumberFromString(phone)?.isPossible() === true,
    'must be a possible phone number in its country',
  )
