import { resolvePath, type Scope } from './scopes.ts'

/** Names of a provider that Millrace fills in itself. */
const known: Readonly<Record<string, string>> = {
  RESEND_UNSUBSCRIBE_URL: 'unsubscribe_url',
  UNSUBSCRIBE_URL: 'unsubscribe_url',
  unsubscribe: 'unsubscribe_url',
  unsubscribe_url: 'unsubscribe_url',
  pm_unsubscribe_url: 'unsubscribe_url',
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

interface ValueOptions {
  isRaw: boolean
  /** Fallbacks of variables that the provider stores with the template. */
  fallbacks: Readonly<Record<string, string>>
  /** True if the provider shows nothing for a missing variable. */
  isLenient: boolean
}

const quoted = (text: string): string | null => (text.includes('"') ? (text.includes("'") ? null : `'${text}'`) : `"${text}"`)

/** Translates a tag that shows a value. Null if Liquid cannot express it. */
export function valueOf(inside: string, scopes: readonly Scope[], options: ValueOptions): string | null {
  const text = inside.trim()
  const insert = /^insert\s+(\S+)(?:\s+"default=([^"]*)")?$/.exec(text)
  const dated = /^formatDate\s+(\S+)\s+["']([^"']*)["']$/.exec(text)
  const [, path = '', , inline] = /^([^\s|]+)(\s*\|\s*(.*))?$/.exec(text) ?? []
  const wanted = insert?.[1] ?? dated?.[1] ?? path
  const isKnown = Object.hasOwn(known, wanted)
  const variable = isKnown ? known[wanted] : resolvePath(wanted, scopes)
  if (!variable) return null
  const fallback = insert?.[2] ?? inline ?? options.fallbacks[wanted]
  const filters: string[] = []
  if (dated) {
    const format = dateFormat(dated[2] ?? '')
    if (format === null) return null
    filters.push(`date: "${format}"`)
  }
  const isOwn = variable === 'unsubscribe_url' || variable.startsWith('forloop.')
  if (fallback !== undefined || (options.isLenient && !isOwn) || (isKnown && !isOwn)) {
    const value = quoted((fallback ?? '').trim())
    if (value === null) return null
    filters.push(`default: ${value}`)
  }
  if (options.isRaw && !isOwn) filters.push('raw')
  return `{{ ${[variable, ...filters].join(' | ')} }}`
}
