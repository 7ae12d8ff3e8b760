import { toStorableText } from '#lib/outside-text.ts'

/** Limits of the fields that are stored from a response. */
const [mostFields, mostName, mostValue, mostDepth] = [100, 100, 2_000, 5]

/**
 * Returns the plain values of a JSON response by path: `{"order": {"lines": [{"id": 7}]}}` has the field
 * `order.lines.0.id`. Undefined if the text is not JSON. Further and deeper values are ignored.
 */
export function readFields(text: string): Record<string, string> | undefined {
  if (text.trim() === '') return {}
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return undefined
  }
  const fields: [string, string][] = []
  collect(fields, '', parsed, 0)
  return Object.fromEntries(fields)
}

function collect(fields: [string, string][], path: string, value: unknown, depth: number): void {
  if (typeof value !== 'object') {
    const isLong = path.length > mostName || fields.length >= mostFields
    if (path !== '' && !isLong) fields.push([toStorableText(path), toStorableText(String(value), mostValue)])
    return
  }
  if (value === null || depth >= mostDepth) return
  for (const [name, inner] of Object.entries(value)) {
    if (fields.length >= mostFields) return
    collect(fields, path === '' ? name : `${path}.${name}`, inner, depth + 1)
  }
}
