import { z } from 'zod'
import { withoutControl } from '#lib/characters.ts'
import type { AttributeFilter } from '#sql/knowledge/attribute-filter.ts'

/** Limits of a filter, so that each file is compared in microseconds. */
const [mostLevels, mostConditions, mostValues] = [5, 50, 100]

export const AttributeKey = z.string().min(1).max(64).regex(withoutControl, 'must not contain control characters')

const Text = z.string().max(512)

const Comparison = [
  z.strictObject({
    type: z.enum(['eq', 'ne']),
    key: AttributeKey,
    value: z.union([Text, z.number(), z.boolean()]),
  }),
  z.strictObject({
    type: z.enum(['gt', 'gte', 'lt', 'lte']),
    key: AttributeKey,
    value: z.union([Text, z.number()]),
  }),
  z.strictObject({
    type: z.enum(['in', 'nin']),
    key: AttributeKey,
    value: z
      .array(z.union([Text, z.number()]))
      .min(1)
      .max(mostValues),
  }),
] as const

/** Returns the schema of a filter with this number of levels. */
function levels(count: number): z.ZodType<AttributeFilter> {
  if (count === 1) return z.discriminatedUnion('type', Comparison)
  const filters = z
    .array(levels(count - 1))
    .min(1)
    .max(mostConditions)
  return z.discriminatedUnion('type', [...Comparison, z.strictObject({ type: z.enum(['and', 'or']), filters })])
}

const countConditions = (filter: AttributeFilter): number =>
  'filters' in filter ? filter.filters.reduce((sum, one) => sum + countConditions(one), 0) : 1

export const Filters = levels(mostLevels)
  .refine((filter) => countConditions(filter) <= mostConditions, `must have at most ${mostConditions} comparisons`)
  .describe(
    `Condition for the attributes of files: \`eq\`, \`ne\`, \`gt\`, \`gte\`, \`lt\`, \`lte\`, \`in\` or \`nin\`, joined by \`and\` and \`or\`. Up to ${mostLevels} levels and ${mostConditions} comparisons. A file without the attribute matches only \`ne\` and \`nin\`.`,
  )
