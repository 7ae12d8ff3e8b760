import { z } from 'zod'
import { withoutControl } from '#lib/characters.ts'
import { isTimeZone } from '#lib/time-zone.ts'

export const UserId = z
  .string()
  .min(1)
  .max(256)
  .regex(withoutControl, 'must not contain control characters')
  .describe('Your own ID for the user')

export const DeviceId = z.string().min(1).max(256).regex(withoutControl, 'must not contain control characters')

export const Locale = z
  .string()
  .max(35)
  .regex(/^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$/, 'must be a language tag, such as de or de-AT')
  .transform((tag) => tag.replaceAll('_', '-'))

const reserved = /^(from|message_type|google.*|gcm.*|push_.*)$/i

/** Values for the app. All values are strings, because FCM allows only strings. */
export const Data = z.record(
  z
    .string()
    .min(1)
    .max(100)
    .refine((name) => !reserved.test(name), 'must not be a name that FCM or Millrace reserves'),
  z.string(),
)

export const Topic = z
  .string()
  .min(1)
  .max(100)
  .refine((text) => isPlain(text), 'must not contain control characters')

export const Tag = z
  .string()
  .min(1)
  .max(64)
  .refine((text) => isPlain(text), 'must not contain control characters')

export const Tags = z
  .array(Tag)
  .max(50)
  .transform((tags) => [...new Set(tags)])

const isPlain = (text: string): boolean =>
  ![...text].some((letter) => letter < ' ' || (letter >= '\u007f' && letter <= '\u009f'))

/** Schema of an IANA time zone name. Offsets are not allowed, because they have no daylight saving time. */
export const TimeZone = z.string().max(64).refine(isTimeZone, 'must be an IANA time zone, such as Europe/Vienna')
