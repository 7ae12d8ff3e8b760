import type { Filter } from '#sql/webhooks/endpoints.ts'

/** True if the payload meets all conditions. */
export const passesFilters = (filters: readonly Filter[], payload: unknown): boolean =>
  filters.every((filter) => passes(filter, readPath(payload, filter.path)))

/** Returns the value at a path such as `order.items.0.price`. Undefined if the payload has no such value. */
function readPath(payload: unknown, path: string): unknown {
  let value = payload
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}

function passes({ op, value: wanted }: Filter, found: unknown): boolean {
  switch (op) {
    case 'exists':
      return (found !== undefined) === wanted
    case 'eq':
      return found === wanted
    case 'ne':
      return found !== wanted
    case 'in':
      return (wanted as unknown[]).includes(found)
    case 'gt':
      return compare(found, wanted) > 0
    case 'lt':
      return compare(found, wanted) < 0
  }
}

/** Compares two numbers, or two texts, such as times in ISO 8601. Returns `NaN` for other values. */
function compare(found: unknown, wanted: unknown): number {
  if (typeof found === 'number' && typeof wanted === 'number') return found - wanted
  if (typeof found === 'string' && typeof wanted === 'string') return found < wanted ? -1 : found > wanted ? 1 : 0
  return Number.NaN
}
