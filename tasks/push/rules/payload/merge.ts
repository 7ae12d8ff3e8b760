type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** `base` with what `over` says of it, objects in objects merged (RFC 7396, but that null stays null). */
export function merge(base: Json, over: Json | undefined): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...base }
  for (const [name, value] of Object.entries(over ?? {})) {
    const before = merged[name]
    merged[name] = isObject(before) && isObject(value) ? merge(before, value) : value
  }
  return merged
}
