import { z } from 'zod'
import type { Fault } from '#lib/errors.ts'

type RawIssue = z.core.$ZodRawIssue

const kinds: Record<string, string> = {
  int: 'a whole number',
  number: 'a number',
  string: 'text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

const forms: Record<string, string> = {
  guid: 'a UUID',
  uuid: 'a UUID',
  url: 'a URL',
  email: 'an email address',
  datetime: 'a date and time in ISO 8601, such as 2026-01-31T12:00:00Z',
  date: 'a date, such as 2026-01-31',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
}

const units: Record<string, string> = { string: 'characters', array: 'items', object: 'fields' }

function wordsFor(issue: RawIssue): string | undefined {
  if (issue.input === undefined) return 'is required'
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected === 'never' ? 'is not allowed here' : `must be ${kinds[issue.expected] ?? issue.expected}`
    case 'invalid_format':
      return formOf(issue)
    case 'invalid_value':
      return oneOf(issue.values)
    case 'invalid_union':
      return Array.isArray(issue.options) ? oneOf(issue.options) : formsOf(issue)
    case 'too_small':
    case 'too_big':
      return boundOf(issue)
    case 'invalid_key':
      return wordsForKey(issue.issues[0])
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    default:
      return undefined
  }
}

/** The name of a field has its own message, or a bound. */
function wordsForKey(issue: z.core.$ZodIssue | undefined): string | undefined {
  if (issue?.code !== 'too_small' && issue?.code !== 'too_big') return issue?.message
  return `has a name that ${boundOf({ ...issue, input: '' })}`
}

function formOf(issue: RawIssue & { code: 'invalid_format' }): string | undefined {
  if (issue.format === 'regex') return `must match ${issue.pattern}`
  const form = forms[issue.format]
  return form && `must be ${form}`
}

function formsOf({ errors = [] }: RawIssue & { code: 'invalid_union' }): string {
  const wanted = errors
    .flat()
    .flatMap((issue) => (issue.code === 'invalid_value' && issue.path.length === 0 ? [issue] : []))
  const isChoice = wanted.length > 0 && wanted.length === errors.flat().length
  return isChoice ? oneOf(wanted.flatMap(({ values }) => values)) : 'must have one of the documented forms'
}

function oneOf(values: readonly unknown[]): string {
  const shown = values.map((value) => JSON.stringify(value))
  return shown.length === 1 ? `must be ${shown[0]}` : `must be one of ${shown.join(', ')}`
}

function boundOf(issue: RawIssue & { code: 'too_small' | 'too_big' }): string {
  const [limit, least] = issue.code === 'too_small' ? [issue.minimum, true] : [issue.maximum, false]
  const unit = units[issue.origin]
  if (unit && issue.exact) return `must have exactly ${limit} ${unit}`
  if (unit && least && limit === 1) return 'must not be empty'
  if (unit) return `must have ${least ? 'at least' : 'at most'} ${limit} ${unit}`
  if (issue.inclusive === false) return `must be ${least ? 'more' : 'less'} than ${limit}`
  return `must be ${least ? 'at least' : 'at most'} ${limit}`
}

const maxWorded = 100

/** Options of unions that `textOr` has created. */
const ofTextOr = new WeakSet<object>()

/**
 * Creates the schema of a text or another value. The faults of another value are named one by one. For other unions,
 * only the field of the union is named.
 */
export function textOr<T extends z.ZodType<string>, O extends z.ZodType>(
  text: T,
  other: O,
): z.ZodUnion<readonly [T, O]> {
  const union = z.union([text, other])
  ofTextOr.add(union.def.options)
  return union
}

/** Returns the schema that a value of such a union should match. Undefined for other issues. */
function optionOf({ code, inst, input }: RawIssue): z.ZodType | undefined {
  if (code !== 'invalid_union' || !(inst instanceof z.ZodUnion) || !ofTextOr.has(inst.def.options)) return undefined
  return inst.def.options[typeof input === 'string' ? 0 : 1] as z.ZodType
}

/**
 * Parses a value with a schema. Adds a fault with an error message for each issue. Only the first issues get a message.
 * A list can have thousands of invalid items, and zod’s `safeParse` would create all messages.
 */
export function parseWithFaults(schema: z.ZodType, value: unknown, place: string, faults: Fault[]): unknown {
  const parsed = schema._zod.run({ value, issues: [] }, { async: false })
  if (parsed instanceof Promise) throw new Error('Request schemas must not be asynchronous.')
  if (parsed.issues.length === 0) return parsed.value
  const mistyped = new Set<string>()
  for (const [i, issue] of parsed.issues.entries()) {
    const at = (issue.path ?? []).map(String).join('.')
    // Zod also checks the length of a value with the wrong type. These issues are ignored: a string in place of a list
    // is not also a list that is too long.
    if (mistyped.has(at)) continue
    if (issue.code === 'invalid_type') mistyped.add(at)
    if (i >= maxWorded) faults.push({ field: place, issue: '' })
    else addIssue(issue, at, place, faults)
  }
  return undefined
}

function addIssue(issue: RawIssue, at: string, place: string, faults: Fault[]): void {
  const option = optionOf(issue)
  if (option) parseWithFaults(option, issue.input, at === '' ? place : `${place}.${at}`, faults)
  else addFaults(z.core.util.finalizeIssue(issue, { error: wordsFor }, z.core.config()), place, faults)
}

function addFaults(issue: z.core.$ZodIssue, place: string, faults: Fault[]): void {
  const field = [place, ...issue.path.map(String)].join('.')
  if (issue.code !== 'unrecognized_keys') faults.push({ field, issue: issue.message })
  else for (const key of issue.keys) faults.push({ field: `${field}.${key}`, issue: 'is not a field of this request' })
}
