import { z } from 'zod'
import { anyType } from '#sql/notify/preferences.ts'

/** The customer's own id of a person, in lower case as Postgres has UUIDs. */
export const UserId = z.guid().toLowerCase().describe('Your own id of the person, a UUID')

const name = z
  .string()
  .max(200)
  .regex(
    /^[^\p{C}\p{Z}]([^\p{Cc}\p{Zl}\p{Zp}]*[^\p{C}\p{Z}])?$/u,
    'must be a name in one line, without blanks around it',
  )

/** The product that an event is of. */
export const ProductKey = name.describe('The product that owns it')

/** The type of an event, in the product's own words. */
export const EventType = name
  .refine((type) => type !== anyType, { error: `must be a type; ${anyType} stands for all of them in preferences` })
  .describe('Type of events in the product’s own words, such as `order.shipped`')

export const PreferenceType = name.describe(
  `A type of events, or \`${anyType}\`: all that have no preference of their own`,
)

// biome-ignore lint/suspicious/noControlCharactersInRegex: what no mail may carry (RFC 5322 §3.5).
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/

/** A title, which is a mail's subject, too: in one line. */
export const Title = z
  .string()
  .min(1)
  .max(300)
  .refine((text) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text), { error: 'must be in one line, without control characters' })

/** A text with line breaks. */
export const Body = z
  .string()
  .min(1)
  .max(10_000)
  .refine((text) => !control.test(text), { error: 'must have no control characters but tabs and line breaks' })

/** Where an event leads to. */
export const Link = z.url({ protocol: /^https?$/, error: 'must be a URL: https://…' }).max(2_000)
