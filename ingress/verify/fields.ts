import { z } from 'zod'
import { Address } from '#lib/email-address.ts'
import { isLanguageTag } from '#lib/language-tag.ts'

/** Line breaks and control characters, and text that email clients and phones show as a link. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds.
const unsuitable = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069[\]<>]|:\/\/|www\./i

export const Brand = z
  .string()
  .trim()
  .min(1)
  .max(40)
  .refine((text) => !unsuitable.test(text), 'must not contain links, line breaks, control characters, [, ], < or >')

export const Locale = z.string().max(35).refine(isLanguageTag, 'must be a language tag, such as `en` or `de-AT`')

export const CodeLength = z.int().min(4).max(10)

export const Ttl = z.int().min(60).max(86_400)

export const Country = z.string().regex(/^[A-Z]{2}$/, 'must be an ISO 3166 country code, such as EE')

export const SenderAddress = Address

export const Code = z.string().regex(/^[0-9]{4,10}$/, 'must be 4 to 10 digits, 0–9')

export const UserId = z.string().min(1).max(255)

export const Metadata = z
  .record(z.string().max(40), z.string().max(500))
  .refine((given) => Object.keys(given).length <= 20, 'must have at most 20 fields')

export const PhonePrefix = z
  .string()
  .regex(/^\+[1-9][0-9]{1,11}$/, 'must be the start of a phone number: + and 2 to 12 digits')
