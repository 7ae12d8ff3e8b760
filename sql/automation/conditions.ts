import { z } from 'zod'

/** Maximum number of conditions of a rule. */
export const maxConditions = 10

/** Maximum number of values of the operator `in`. */
const maxValues = 50

const Plain = z.union([z.string().max(500), z.number(), z.boolean(), z.null()])

export const operators = ['eq', 'ne', 'in', 'contains', 'exists', 'gt', 'lt'] as const

const ofOperator: Readonly<Record<(typeof operators)[number], { accepts: z.ZodType; issue: string }>> = {
  eq: { accepts: Plain, issue: 'must be a string, a number, true, false or null' },
  ne: { accepts: Plain, issue: 'must be a string, a number, true, false or null' },
  in: { accepts: z.array(Plain).min(1).max(maxValues), issue: `must be a list of 1 to ${maxValues} plain values` },
  contains: { accepts: Plain, issue: 'must be a string, a number, true, false or null' },
  exists: { accepts: z.boolean().optional(), issue: 'must be true or false' },
  gt: { accepts: z.union([z.number(), z.string().max(500)]), issue: 'must be a number or a string' },
  lt: { accepts: z.union([z.number(), z.string().max(500)]), issue: 'must be a number or a string' },
}

/** One comparison with a field of the event’s data. All comparisons of a rule must be true. */
export const Condition = z
  .strictObject({
    path: z.string().min(1).max(200).describe('Field of the event’s `data`, such as `scan_status` or `metadata.order`'),
    operator: z
      .enum(operators)
      .describe(
        '`contains`: part of a string, or item of a list. `gt` and `lt` compare numbers, or strings such as times. `exists` without `value`: the field is not `null`.',
      ),
    value: z.unknown().optional().describe('Value to compare with. A list for `in`, true or false for `exists`.'),
  })
  .superRefine(({ operator, value }, { addIssue }) => {
    const { accepts, issue } = ofOperator[operator]
    if (!accepts.safeParse(value).success) addIssue({ code: 'custom', path: ['value'], message: issue })
  })
  .meta({ id: 'automation.Condition' })

export type Condition = z.infer<typeof Condition>
