import type { Condition, Segment } from '#sql/email/contacts/segment-conditions.ts'

export function formatCondition({ field, op, value }: Condition): string {
  if (value === undefined) return `${field} ${op}`
  const isPlain = typeof value !== 'string' || typeof scalarOf(value) === 'string'
  return `${field} ${op} ${isPlain ? String(value) : JSON.stringify(value)}`
}

export const formatConditions = ({ conditions, groups }: Segment): string[] => [
  ...conditions.map(formatCondition),
  ...groups.map((group) => group.conditions.map(formatCondition).join(group.match === 'all' ? ' and ' : ' or ')),
]

export const parseConditions = (text: string): { field: string; op: string; value?: string | number | boolean }[] =>
  text.split('\n').flatMap((line) => {
    const [field = '', op = '', ...rest] = line
      .trim()
      .split(' ')
      .filter((word) => word !== '')
    if (field === '') return []
    const value = rest.join(' ')
    return [{ field, op, ...(value !== '' && { value: takesText(field) ? value : scalarOf(value) }) }]
  })

const takesText = (field: string): boolean => !field.startsWith('attributes.')

/** Converts a value to a number or boolean, unless it is in quotes. */
function scalarOf(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  if (text.length > 1 && text.startsWith('"') && text.endsWith('"')) return text.slice(1, -1)
  const number = Number(text)
  return text.trim() !== '' && Number.isFinite(number) ? number : text
}
