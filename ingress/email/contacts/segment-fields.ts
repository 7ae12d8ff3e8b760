import { z } from 'zod'
import { InstantInput } from '#lib/input-types.ts'
import { Match, maxDepth, Operator, type Operator as OperatorName } from '#sql/email/contacts/segment-conditions.ts'
import { line, TopicKey } from '../fields.ts'
import { findAttributeFault, Tag } from './fields.ts'

const mostConditions = 50

const texts: readonly OperatorName[] = ['eq', 'ne', 'contains']
const sizes: readonly OperatorName[] = ['gt', 'gte', 'lt', 'lte']
const presence: readonly OperatorName[] = ['exists', 'missing']

const operators: Readonly<Record<string, readonly OperatorName[]>> = {
  tag: ['has', 'lacks'],
  topic: ['has', 'lacks'],
  email: texts,
  name: [...texts, ...presence],
  created_at: ['before', 'after'],
  attributes: [...texts, ...sizes, ...presence],
}

const Value = z.union([line(500), z.number(), z.boolean()])

export const Condition = z
  .strictObject({
    field: z
      .string()
      .max(400)
      .describe(
        '`tag`, `topic`, `email`, `name`, `created_at`, or an attribute: for example, `attributes.city` or `attributes.address.zip`',
      ),
    op: Operator.describe(
      'For `tag` and `topic`: `has`, `lacks`. For `created_at`: `before`, `after`. For strings and attributes: `eq`, `ne`, `contains`, `exists`, `missing`. For attributes also `gt`, `gte`, `lt`, `lte`.',
    ),
    value: Value.optional().describe('Value to compare with. Omit it for `exists` and `missing`.'),
  })
  .superRefine(({ field, op, value }, { addIssue }) => {
    const fault = (path: 'field' | 'op' | 'value', message: string) =>
      addIssue({ code: 'custom', path: [path], message })
    const unknown = faultOfField(field)
    if (unknown) return fault('field', unknown)
    const allowed = operators[field.split('.')[0] as string] ?? []
    if (!allowed.includes(op)) return fault('op', `must be one of ${allowed.join(', ')} for ${field.slice(0, 100)}`)
    const issue = faultOfValue(field, op, value)
    if (issue) fault('value', issue)
  })

function faultOfField(field: string): string | undefined {
  const [root = '', ...path] = field.split('.')
  if (root !== 'attributes') {
    const isField = path.length === 0 && Object.hasOwn(operators, root)
    return isField ? undefined : 'must be tag, topic, email, name, created_at, or an attribute such as attributes.city'
  }
  if (path.length === 0 || path.length > maxDepth) return `must name an attribute, up to ${maxDepth} levels deep`
  return path.map(findAttributeFault).find((fault) => fault !== undefined)
}

type GivenValue = z.output<typeof Value>

function faultOfValue(field: string, op: OperatorName, value: GivenValue | undefined): string | undefined {
  if (presence.includes(op)) return value === undefined ? undefined : `cannot be set for ${op}`
  if (value === undefined) return 'is required'
  if (field === 'topic') return TopicKey.safeParse(value).success ? undefined : 'must be the key of a topic'
  if (field === 'tag') return Tag.safeParse(value).success ? undefined : 'must be a tag'
  if (field === 'created_at') return InstantInput.safeParse(value).success ? undefined : noInstant
  return faultOfComparison(field, op, value)
}

const noInstant = 'must be a time in ISO 8601, such as 2026-01-31T12:00:00Z'

function faultOfComparison(field: string, op: OperatorName, value: GivenValue): string | undefined {
  const takesText = !field.startsWith('attributes.') || op === 'contains'
  if (takesText) return typeof value === 'string' && value !== '' ? undefined : 'must be text'
  return sizes.includes(op) && typeof value === 'boolean' ? 'must be a number or text' : undefined
}

const Conditions = z.array(Condition).max(mostConditions)

export const SegmentShape = {
  match: Match.default('all').describe('`all`: all conditions and groups must match. `any`: at least one must match.'),
  conditions: Conditions.default([]),
  groups: z
    .array(z.strictObject({ match: Match, conditions: Conditions.min(1) }))
    .max(10)
    .default([])
    .describe('Groups of conditions. Each group counts as one condition.'),
}

interface GivenConditions {
  conditions?: readonly unknown[] | undefined
  groups?: readonly { conditions: readonly unknown[] }[] | undefined
}

/** Returns an error message if a segment as a whole is too large, otherwise undefined. */
export function findSizeFault({ conditions = [], groups = [] }: GivenConditions): string | undefined {
  const count = groups.reduce((sum, group) => sum + group.conditions.length, conditions.length)
  if (count === 0) return 'must contain a condition. A campaign without a segment goes to all confirmed contacts.'
  return count > mostConditions ? `must be at most ${mostConditions}, including the conditions in groups` : undefined
}
