import type { Condition } from '#sql/automation/conditions.ts'
import { getValue } from './event-paths.ts'

/** Returns the first condition that the data does not meet. Undefined if the data meets all conditions. */
export const findUnmet = (conditions: readonly Condition[], data: object): Condition | undefined =>
  conditions.find((condition) => !isMet(condition, getValue(data, condition.path)))

function isMet({ operator, value }: Condition, found: unknown): boolean {
  switch (operator) {
    case 'eq':
      return isSame(found, value)
    case 'ne':
      return !isSame(found, value)
    case 'in':
      return (value as readonly unknown[]).some((one) => isSame(found, one))
    case 'contains':
      return contains(found, value)
    case 'exists':
      return (found !== undefined && found !== null) === (value ?? true)
    case 'gt':
      return compare(found, value) > 0
    case 'lt':
      return compare(found, value) < 0
  }
}

/** A number or boolean equals its string, because metadata contains only strings. A missing field equals `null`. */
function isSame(found: unknown, value: unknown): boolean {
  if (value === null) return found === null || found === undefined
  if (found === null || typeof found === 'object' || found === undefined) return false
  return found === value || String(found) === String(value)
}

function contains(found: unknown, value: unknown): boolean {
  if (Array.isArray(found)) return found.some((item) => isSame(item, value))
  return typeof found === 'string' && value !== null && found.includes(String(value))
}

/** Compares numbers if `value` is a number, otherwise strings. Returns NaN if the values cannot be compared. */
function compare(found: unknown, value: unknown): number {
  if (typeof value === 'number') {
    const number = typeof found === 'string' && found.trim() !== '' ? Number(found) : found
    return typeof number === 'number' ? number - value : Number.NaN
  }
  if (typeof found !== 'string' || typeof value !== 'string') return Number.NaN
  return found === value ? 0 : found < value ? -1 : 1
}
