import { z } from 'zod'

const Plain = z.union([z.guid(), z.iso.datetime({ offset: true }), z.iso.date(), z.literal('')])

/**
 * Returns the structure of a JSON value. Names, numbers, IDs and times stay. Other strings are replaced by their
 * length.
 */
export function createOutline(value: unknown): unknown {
  if (typeof value === 'string') return Plain.safeParse(value).success ? value : `text of ${value.length} characters`
  if (Array.isArray(value)) return value.map(createOutline)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, createOutline(field)]))
}
