import type { Condition, Segment } from '#sql/email/contacts/segment-conditions.ts'

export function formatCondition({ field, op, value }: Condition): string {
  return value === undefined ? `${field} ${op}` : `${field} ${op} ${formatValue(value)}`
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
