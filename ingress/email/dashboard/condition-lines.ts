import type { Condition, Segment } from '#sql/email/contacts/segment-conditions.ts'

/** Fields and operators of the builder, with their words and the fields that an operator is for. */
export const fields = [
  ['tag', 'Tag'],
  ['topic', 'Topic'],
  ['email', 'Email address'],
  ['name', 'Name'],
  ['created_at', 'Date added'],
  ['attributes', 'Attribute'],
] as const

export const operators = [
  ['has', 'has', 'tag topic'],
  ['lacks', 'does not have', 'tag topic'],
  ['eq', 'is', 'email name attributes'],
  ['ne', 'is not', 'email name attributes'],
  ['contains', 'contains', 'email name attributes'],
  ['gt', 'is more than', 'attributes'],
  ['gte', 'is at least', 'attributes'],
  ['lt', 'is less than', 'attributes'],
  ['lte', 'is at most', 'attributes'],
  ['exists', 'exists', 'name attributes'],
  ['missing', 'is missing', 'name attributes'],
  ['before', 'is before', 'created_at'],
  ['after', 'is on or after', 'created_at'],
] as const

/** Returns a condition in the words of the builder: `Attribute plan is pro`. */
export function formatCondition({ field, op, value }: Condition): string {
  const [start = field, ...path] = field.split('.')
  const name = [fields.find(([known]) => known === start)?.[1] ?? start, path.join('.')].filter(Boolean).join(' ')
  const verb = operators.find(([known]) => known === op)?.[1] ?? op
  return value === undefined ? `${name} ${verb}` : `${name} ${verb} ${formatValue(value)}`
}

/** Returns the text that `parseScalar` converts back to the same value. */
export function formatValue(value: NonNullable<Condition['value']>): string {
  const isPlain = typeof value !== 'string' || typeof parseScalar(value) === 'string'
  return isPlain ? String(value) : JSON.stringify(value)
}

export const formatConditions = ({ conditions, groups }: Segment): string[] => [
  ...conditions.map(formatCondition),
  ...groups.map((group) => group.conditions.map(formatCondition).join(group.match === 'all' ? ' and ' : ' or ')),
]

/** Converts a value to a number or boolean, unless it is in quotes. */
export function parseScalar(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  if (text.length > 1 && text.startsWith('"') && text.endsWith('"')) return text.slice(1, -1)
  const number = Number(text)
  return text.trim() !== '' && Number.isFinite(number) ? number : text
}
