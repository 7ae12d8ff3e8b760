import { z } from 'zod'
import { Channel } from './preferences.ts'

/** Fields of conditions, in addition to `data.…` and `person.data.…`. */
export const fixedFields = [
  ...['type', 'product_key', 'title', 'url', 'count', 'inbox'],
  ...['person.name', 'person.email', 'person.phone', 'person.locale', 'person.time_zone'],
  ...Channel.options.map((channel) => `channels.${channel}`),
] as const

/** Field of the response of an earlier `fetch` step. */
const fetchedField = /^fetch\.([a-z][a-z0-9_]{0,31})\../

/** Returns the name of the `fetch` step whose response a field belongs to. Undefined for other fields. */
export const getFetchName = (field: string): string | undefined => fetchedField.exec(field)?.[1]

const isField = (field: string): boolean =>
  fixedFields.some((fixed) => fixed === field) ||
  ['data.', 'person.data.'].some((start) => field.startsWith(start) && field.length > start.length) ||
  getFetchName(field) !== undefined

/** One comparison. All comparisons of a step must be true. */
export const Condition = z
  .strictObject({
    field: z
      .string()
      .max(120)
      .refine(isField, { error: `must be data.…, person.data.…, fetch.<name>.…, or one of ${fixedFields.join(', ')}` }),
    operator: z.enum([
      ...(['equal_to', 'not_equal_to', 'greater_than', 'less_than'] as const),
      ...(['contains', 'not_contains', 'empty', 'not_empty'] as const),
    ]),
    value: z.string().max(500).optional().describe('Value to compare with. Numbers are compared as numbers.'),
  })
  .refine(({ operator, value }) => operator.endsWith('empty') === (value === undefined), {
    path: ['value'],
    error: 'is required, except for `empty` and `not_empty`, which have no value',
  })
  .meta({ id: 'notify.Condition' })

export type Condition = z.infer<typeof Condition>

export const maxConditions = 10

export const conditions = z
  .array(Condition)
  .max(maxConditions)
  .optional()
  .describe('Conditions, up to 10. If one is false, the step is skipped.')

/** Duration in minutes, up to 30 days. */
export const minutes = z.int().min(1).max(43_200)

/** Field of events by which they are grouped. */
export const groupKey = z
  .string()
  .max(120)
  .refine((key) => key.startsWith('data.') && key.length > 5, { error: 'must be data.…' })
