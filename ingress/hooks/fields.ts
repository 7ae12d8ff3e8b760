import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { secret } from '#lib/secret-fields.ts'

const uidPattern = /^[A-Za-z0-9_.~:@+-]{1,200}$/

/** Schema of the customer's own ID for an app. An ID of ours would be ambiguous in a path. */
export const Uid = z
  .string()
  .regex(uidPattern, 'must have 1 to 200 letters, digits and _ . ~ : @ + -')
  .refine((uid) => !Id.safeParse(uid).success, 'cannot have the form of a UUID')
  // HTTP clients remove these parts from a path.
  .refine((uid) => uid !== '.' && uid !== '..', 'cannot be . or ..')
  .describe('Your own ID for the app, unique in your organisation. Paths accept it instead of `id`.')

/** Schema of an app in a path: its ID or `uid`. */
export const AppPath = z.string().max(200).describe('`id` or `uid` of the app')

const namePattern = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/

export const EventTypeName = z
  .string()
  .max(100)
  .regex(namePattern, 'must be words of letters, digits, _ and - with a full stop between them, such as invoice.paid')

const Pattern = z
  .string()
  .max(100)
  .refine(
    (text) => text === '*' || namePattern.test(text.endsWith('.*') ? text.slice(0, -2) : text),
    'must be an event type such as invoice.paid, a group such as invoice.*, or *',
  )

export const Patterns = z
  .array(Pattern)
  .min(1)
  .max(200)
  .transform((given) => (given.includes('*') ? ['*'] : [...new Set(given)]))
  .describe('Event types such as `invoice.paid`, groups such as `invoice.*`, or `*`')

export const Rate = z
  .strictObject({ limit: z.int().min(1).max(100_000), per: z.enum(['second', 'minute']) })
  .describe('Maximum number of attempts per second or minute')

export const toRate = (rate: z.output<typeof Rate> | null) => ({
  rate_limit: rate?.limit ?? null,
  rate_per: rate?.per ?? null,
})

export const presentRate = (row: { rate_limit: number | null; rate_per: 'second' | 'minute' | null }) =>
  row.rate_limit === null || row.rate_per === null ? null : { limit: row.rate_limit, per: row.rate_per }

export const Label = z.string().regex(/^[A-Za-z0-9_.:-]{1,64}$/, 'must have 1 to 64 letters, digits and _ . : -')

/** Schema of up to `max` different labels, such as tags. */
export const labels = (max: number) =>
  z
    .array(Label)
    .max(max)
    .transform((given) => [...new Set(given)])

const FilterPath = z
  .string()
  .regex(/^[\w-]{1,50}(\.[\w-]{1,50}){0,7}$/, 'must be a path of up to 8 names or indexes, such as order.items.0.price')
  .describe('Path of the value in the payload, such as `order.total`')

const Scalar = z.union([z.string().max(500), z.number(), z.boolean(), z.null()], {
  error: 'must be a text of up to 500 characters, a number, a boolean or null',
})

const Filter = z.discriminatedUnion('op', [
  z.strictObject({ path: FilterPath, op: z.enum(['eq', 'ne']), value: Scalar }),
  z.strictObject({ path: FilterPath, op: z.literal('in'), value: z.array(Scalar).min(1).max(50) }),
  z.strictObject({ path: FilterPath, op: z.literal('exists'), value: z.boolean().default(true) }),
  z.strictObject({ path: FilterPath, op: z.enum(['gt', 'lt']), value: z.union([z.number(), z.string().max(500)]) }),
])

export const Filters = z
  .array(Filter)
  .max(10)
  .describe(
    'Conditions on the payload. All must be true. `gt` and `lt` compare numbers, or texts such as times in ISO 8601.',
  )

/** Headers that Millrace or the HTTP client sets. */
const reserved =
  /^(host|content-(length|type|encoding)|transfer-encoding|connection|expect|upgrade|te|trailer|accept-encoding|keep-alive|proxy-.*|webhook-.*|svix-.*)$/i

const maxHeaders = 20

export const Headers = secret(
  z
    .record(
      z
        .string()
        .regex(/^[A-Za-z0-9-]{1,60}$/, 'must be the name of a header')
        .refine((name) => !reserved.test(name), 'cannot be set: Millrace or HTTP sets this header'),
      z
        .string()
        .max(2_000)
        .regex(/^[\x20-\x7e]*$/, 'must contain only printable ASCII'),
    )
    .refine((headers) => Object.keys(headers).length <= maxHeaders, `must have at most ${maxHeaders} headers`)
    .refine(
      (headers) => new Set(Object.keys(headers).map((name) => name.toLowerCase())).size === Object.keys(headers).length,
      'must not contain a header twice',
    ),
).describe('Additional headers of each request. The values are encrypted and never returned.')

/** Schema of a signing secret of 24 to 64 bytes (Standard Webhooks 1.0). */
export const Secret = secret(
  z
    .string()
    .max(100)
    .regex(/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/, { error: 'must be whsec_ and 24 to 64 bytes in Base64', abort: true })
    .refine((text) => {
      const encoded = text.slice('whsec_'.length)
      const bytes = Buffer.from(encoded, 'base64')
      return bytes.length >= 24 && bytes.length <= 64 && bytes.toString('base64') === encoded
    }, 'must be whsec_ and 24 to 64 bytes in Base64'),
)

export const Description = z.string().trim().max(500)
