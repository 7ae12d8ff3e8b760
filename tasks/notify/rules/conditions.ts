import type { Condition } from '#sql/notify/step-conditions.ts'

/** Values for conditions and texts, by name, nested. */
export type Facts = Readonly<
  Record<string, string | Readonly<Record<string, string | Readonly<Record<string, string>>>>>
>

/**
 * Returns the value of a name such as `person.data.plan`. Empty if the value does not exist. Names of data may contain
 * dots.
 */
export function getFact(facts: Facts, field: string): string {
  if (field.startsWith('fetch.')) {
    const [head, name = '', ...rest] = field.split('.')
    return valueAt(facts, [head as string, name, rest.join('.')])
  }
  const start = ['person.data.', 'data.'].find((one) => field.startsWith(one))
  const path = start ? [...start.slice(0, -1).split('.'), field.slice(start.length)] : field.split('.')
  return valueAt(facts, path)
}

function valueAt(facts: Facts, path: readonly string[]): string {
  let value: unknown = facts
  for (const name of path) {
    const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    if (!isThere) return ''
    value = (value as Record<string, unknown>)[name]
  }
  return typeof value === 'string' ? value : ''
}

/** Returns the first condition that is false, as a string. Undefined if all conditions are true. */
export function findUnmetCondition(conditions: readonly Condition[] | undefined, facts: Facts): string | undefined {
  const failed = conditions?.find((condition) => !holds(condition, facts))
  return failed && [failed.field, failed.operator, failed.value].filter((word) => word !== undefined).join(' ')
}

function holds({ field, operator, value = '' }: Condition, facts: Facts): boolean {
  const fact = getFact(facts, field)
  const order = compare(fact, value)
  return {
    equal_to: order === 0,
    not_equal_to: order !== 0,
    greater_than: order !== undefined && order > 0,
    less_than: order !== undefined && order < 0,
    contains: fact.includes(value),
    not_contains: !fact.includes(value),
    empty: fact === '',
    not_empty: fact !== '',
  }[operator]
}

/** Compares numbers if both values are numbers, otherwise strings. Returns undefined for a number and a string. */
function compare(fact: string, value: string): number | undefined {
  const [a, b] = [numberOf(fact), numberOf(value)]
  if (a !== undefined && b !== undefined) return a - b
  if (fact === value) return 0
  return a === undefined && b === undefined ? (fact < value ? -1 : 1) : undefined
}

function numberOf(text: string): number | undefined {
  const number = text.trim() === '' ? Number.NaN : Number(text)
  return Number.isFinite(number) ? number : undefined
}
