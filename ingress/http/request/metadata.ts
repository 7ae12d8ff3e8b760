import { z } from 'zod'

export const maxMetadataEntries = 50

const MetadataKey = z.string().regex(/^[A-Za-z0-9_.-]{1,40}$/, 'must have 1 to 40 letters, digits, `_`, `.` and `-`')
const MetadataValue = z.string().max(500)

export const MetadataField = z
  .record(MetadataKey, MetadataValue)
  .refine(
    (entries) => Object.keys(entries).length <= maxMetadataEntries,
    `must have up to ${maxMetadataEntries} entries`,
  )
  .describe('Your own metadata, as strings by name. Lists can be filtered by it.')

export const MetadataChange = z
  .record(MetadataKey, MetadataValue.nullable())
  .nullable()
  .describe(
    'Entries with a value are set. Entries with `null` are removed. Other entries do not change. `null` removes all entries.',
  )

/** Query parameter that filters a list by a metadata entry. */
export const MetadataFilter = z
  .string()
  .max(550)
  .regex(/^[A-Za-z0-9_.-]{1,40}:/, 'must have the form `key:value`')
  .transform((pair) => {
    const at = pair.indexOf(':')
    return { key: pair.slice(0, at), value: pair.slice(at + 1) }
  })
  .describe('Metadata entry to filter by, in the form `key:value`')

export function mergeMetadata(
  before: Readonly<Record<string, string>>,
  change: Readonly<Record<string, string | null>> | null,
): Record<string, string> {
  if (change === null) return {}
  return Object.fromEntries(
    Object.entries({ ...before, ...change }).flatMap(([key, value]) => (value === null ? [] : [[key, value]])),
  )
}
