type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Merges `over` into `base`, objects recursively (RFC 7396, except that null is kept). */
export function mergeJson(base: Json, over: Json | undefined): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...base }
  for (const [name, value] of Object.entries(over ?? {})) {
    const before = merged[name]
    merged[name] = isObject(before) && isObject(value) ? mergeJson(before, value) : value
  }
  return merged
}
