import { resolvePath, type Scope } from './scopes.ts'

/** Names that Millrace fills in itself, for every provider. */
const links: Readonly<Record<string, string>> = {
  RESEND_UNSUBSCRIBE_URL: 'unsubscribe_url',
  UNSUBSCRIBE_URL: 'unsubscribe_url',
  unsubscribe: 'unsubscribe_url',
  unsubscribe_preferences: 'unsubscribe_url',
  unsubscribe_url: 'unsubscribe_url',
  pm_unsubscribe_url: 'unsubscribe_url',
}

/** Names that only Resend fills in from its contacts. At other providers, they are variables of the message. */
const ofContact: Readonly<Record<string, string>> = {
  FIRST_NAME: 'contact.attributes.first_name',
  LAST_NAME: 'contact.attributes.last_name',
  EMAIL: 'contact.email',
  'contact.first_name': 'contact.attributes.first_name',
  'contact.last_name': 'contact.attributes.last_name',
  'contact.email': 'contact.email',
}

/** Parts of a date in the notation of Moment, and in Liquid. */
const dateParts: Readonly<Record<string, string>> = {
  YYYY: '%Y',
  YY: '%y',
  MMMM: '%B',
  MMM: '%b',
  MM: '%m',
  M: '%-m',
  DD: '%d',
  D: '%-d',
  dddd: '%A',
  ddd: '%a',
  HH: '%H',
  H: '%-H',
  hh: '%I',
  h: '%-I',
  mm: '%M',
  ss: '%S',
  A: '%p',
}

/** Returns the format of Liquid. Null if it contains letters that have no equivalent. */
function dateFormat(format: string): string | null {
  const made = format.replaceAll(/[A-Za-z]+/g, (word) => {
    const parts = word.match(/Y+|M+|D+|d+|H+|h+|m+|s+|A+|[a-zA-Z]/g) ?? []
    return parts.every((part) => dateParts[part] !== undefined) ? parts.map((part) => dateParts[part]).join('') : '\0'
  })
  return made.includes('\0') || made.includes('"') ? null : made
}

/** Templates can have variables with names such as `constructor`. */
const own = (values: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined

interface ValueOptions {
  isRaw: boolean
  /** Fallbacks of variables that the provider stores with the template. */
  fallbacks: Readonly<Record<string, string>>
  /** True if the provider shows nothing for a missing variable. */
  isLenient: boolean
}

const quoted = (text: string): string | null =>
  text.includes('"') ? (text.includes("'") ? null : `'${text}'`) : `"${text}"`

/** Returns the path, the fallback and the format of a date that a tag contains. */
function readValue(inside: string): { path: string; fallback?: string | undefined; format?: string | undefined } {
  const text = inside.trim()
  const insert = /^insert\s+(\S+)(?:\s+"default=([^"]*)")?$/.exec(text)
  if (insert) return { path: insert[1] ?? '', fallback: insert[2] }
  const dated = /^formatDate\s+(\S+)\s+["']([^"']*)["']$/.exec(text)
  if (dated) return { path: dated[1] ?? '', format: dated[2] }
  const at = text.indexOf('|')
  if (at < 0) return { path: text }
  return { path: text.slice(0, at).trim(), fallback: text.slice(at + 1).trim() }
}

/** Translates a tag that shows a value. Null if Liquid cannot express it. */
export function translateValue(inside: string, scopes: readonly Scope[], options: ValueOptions): string | null {
  const { path, fallback = own(options.fallbacks, path), format } = readValue(inside)
  const name = own(links, path) ?? (options.isLenient ? undefined : own(ofContact, path))
  const isKnown = name !== undefined
  const variable = name ?? resolvePath(path, scopes)
  if (!variable) return null
  // Millrace always sets these.
  if (variable === 'unsubscribe_url' || variable.startsWith('forloop.')) return `{{ ${variable} }}`
  const filters = [variable]
  // A missing value is allowed only if `default` is the first filter.
  if (fallback !== undefined || options.isLenient || isKnown) filters.push(defaultFilter(fallback ?? ''))
  if (format !== undefined) filters.push(dateFilter(format))
  if (options.isRaw) filters.push('raw')
  return filters.includes('') ? null : `{{ ${filters.join(' | ')} }}`
}

/** Returns a filter. Empty if Liquid cannot express it. */
function dateFilter(format: string): string {
  const made = dateFormat(format)
  return made === null ? '' : `date: "${made}"`
}

function defaultFilter(fallback: string): string {
  const value = quoted(fallback.trim())
  return value === null ? '' : `default: ${value}`
}
