import { z } from 'zod'

const Plain = z.union([z.guid(), z.iso.datetime({ offset: true }), z.iso.date(), z.literal('')])

/** The shape of a JSON value: names, numbers, ids and times stay; a text is replaced by its length. */
export function outlineOf(value: unknown): unknown {
  if (typeof value === 'string') return Plain.safeParse(value).success ? value : `text of ${value.length} characters`
  if (Array.isArray(value)) return value.map(outlineOf)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, outlineOf(field)]))
}
