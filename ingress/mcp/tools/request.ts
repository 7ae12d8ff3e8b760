import type { Fault } from '#lib/errors.ts'
import type { Json } from '../../http/openapi/schemas.ts'
import { namesIn, type Place } from './input-schema.ts'
import type { ListedTool } from './list.ts'

export interface ToolRequest {
  method: string
  url: string
  headers: Record<string, string>
  payload?: string
}

/** Converts the arguments of a tool to the request of its operation, or returns the invalid arguments. */
export function toRequest({ operation, input }: ListedTool, given: Json): ToolRequest | Fault[] {
  const { path, route } = operation
  const faults = checkArguments({ operation, input }, given)
  if (faults.length > 0) return faults
  const parts: Record<Place, Json> = { path: {}, query: {}, body: {}, header: {} }
  const unknownPlace = route.body ? 'body' : 'query'
  for (const [name, value] of Object.entries(given)) parts[input.places.get(name) ?? unknownPlace][name] = value
  const query = toQuery(parts.query)
  const url = fillPath(path, parts.path) + (query === '' ? '' : `?${query}`)
  if (url.length > longestUrl) return [tooLong({ ...parts.path, ...parts.query })]
  const key = parts.header.idempotency_key
  return {
    method: route.method,
    url,
    headers: {
      ...(typeof key === 'string' && { 'idempotency-key': encodeURIComponent(key) }),
      ...(route.body && { 'content-type': 'application/json' }),
    },
    ...(route.body && { payload: JSON.stringify(parts.body) }),
  }
}

/** Maximum length of a URL, as for an HTTP client: Node accepts 16 KB of headers. */
const longestUrl = 14_000

/** Returns a fault for the longest of these arguments. */
function tooLong(values: Json): Fault {
  const lengths = Object.entries(values).map(([name, value]) => ({ name, length: textOf(value).length }))
  const [longest] = lengths.sort((a, b) => b.length - a.length)
  return { field: longest?.name ?? 'arguments', issue: `is too long. The URL has at most ${longestUrl} characters.` }
}

/**
 * Checks the arguments that the operation cannot check: path parameters, and fields that the tool does not offer. The
 * operation checks the others and names unknown ones.
 */
function checkArguments({ operation, input }: Pick<ListedTool, 'operation' | 'input'>, given: Json): Fault[] {
  const { path, route } = operation
  const faults: Fault[] = []
  for (const name of namesIn(path)) {
    const value = given[name]
    if (value === undefined) faults.push({ field: name, issue: 'is required' })
    else if (typeof value !== 'string' || value === '' || value.length > 2_000 || !value.isWellFormed())
      faults.push({ field: name, issue: 'must be a string of 1 to 2,000 characters' })
  }
  for (const [name, value] of Object.entries(given)) {
    const isKnown = input.places.has(name)
    if (input.withheld.has(name) || (!isKnown && !route.body && !route.query))
      faults.push({ field: name, issue: 'is not an argument of this tool' })
    if (input.places.get(name) === 'header' && typeof value !== 'string')
      faults.push({ field: name, issue: 'must be a string' })
  }
  return faults
}

const fillPath = (path: string, params: Json): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeSegment(String(params[name])))

/** `.` and `..` would be resolved as folders. */
const encodeSegment = (text: string): string =>
  /^\.{1,2}$/.test(text) ? text.replaceAll('.', '%252E') : encodeURIComponent(text)

/** Query parameters are text. Objects are sent as JSON. `null` is omitted, because models send it for “not set”. */
function toQuery(values: Json): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    for (const one of [value].flat()) if (one !== null && one !== undefined) query.append(name, textOf(one))
  }
  return query.toString()
}

const textOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value))
