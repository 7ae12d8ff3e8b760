import { fill, findPlaceholderFault, listPlaceholders, maxLength, type Part } from '#lib/placeholders.ts'
import type { CampaignParts } from '#sql/email/campaigns.ts'
import { maxDepth } from '#sql/email/contacts/segment-conditions.ts'
import type { Contact } from '#sql/email/contacts.ts'

export const unsubscribeField = 'unsubscribe_url'

const mostFields = 200

/** Values of placeholders by name. Placeholders without a value are omitted. */
export type MergeFields = Readonly<Record<string, string>>

export type Person = Pick<Contact, 'email' | 'name' | 'attributes'>

const isField = (name: string): boolean => {
  const [root, of, ...path] = name.split('.')
  if (root !== 'contact') return false
  if (of === 'attributes') return path.length >= 1 && path.length <= maxDepth
  return (of === 'email' || of === 'name') && path.length === 0
}

/** Returns what is wrong with the placeholders of a part. Undefined if they are valid. */
export function findFieldFault(part: Part, text: string): string | undefined {
  const fault = findPlaceholderFault(text, '{{contact.name}} and {{contact.name|"there"}}')
  if (fault !== undefined) return fault
  const names = listPlaceholders(text)
  if (names.length > mostFields) return `must have at most ${mostFields} placeholders`
  const isKnown = (name: string) => isField(name) || (name === unsubscribeField && part !== 'subject')
  const unknown = names.find((name) => !isKnown(name))
  if (unknown === undefined) return undefined
  const inBody = part === 'subject' ? '' : `, ${unsubscribeField}`
  return `has the unknown placeholder {{${unknown.slice(0, 100)}}}. Use contact.email, contact.name, contact.attributes.…${inBody}`
}

export const fieldNames = (...texts: (string | null)[]): string[] => listPlaceholders(...texts).filter(isField)

export function getFieldValues({ email, name, attributes }: Person, names: readonly string[]): MergeFields {
  const known = { contact: { email, name, attributes } }
  return Object.fromEntries(
    names.flatMap((field) => {
      const value = textAt(known, field.split('.'))
      return value === undefined ? [] : [[field, value]]
    }),
  )
}

function textAt(known: unknown, path: readonly string[]): string | undefined {
  let value = known
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    value = (value as Record<string, unknown>)[step]
  }
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what no mail may carry (RFC 5322 §3.5).
  if (typeof value === 'string') return value.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, ' ')
  return undefined
}

/**
 * Fills in a part for a person. A placeholder without a value is replaced by its fallback or removed. Unknown
 * placeholders stay unchanged, because older messages may contain them. Returns undefined if the part becomes too long.
 */
export const fillPart = (part: Part, text: string, fields: MergeFields): string | undefined =>
  fill(part, text, (name, fallback) => {
    if (!isField(name) && name !== unsubscribeField) return undefined
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined
    return value || (fallback ?? '')
  })

/** Fills in the subject and cuts it at the maximum length of a header. */
export function fillSubject(subject: string, fields: MergeFields): string {
  const whole = fillPart('subject', subject, fields)
  if (whole !== undefined) return whole
  return (fillPart('text', subject, fields) ?? subject)
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .slice(0, maxLength.subject)
}

export function findEmptyFields(fields: MergeFields, ...texts: (string | null)[]): string[] {
  const empty = new Set<string>()
  for (const text of texts) {
    fill('text', text ?? '', (name, fallback) => {
      if (!fields[name] && !fallback) empty.add(name)
      return ''
    })
  }
  return [...empty]
}

const escapeText = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const hidden = 'display:none;max-height:0;overflow:hidden;mso-hide:all'

/** Returns the HTML with the preheader at the start, where it is invisible. */
export function withPreheader({ html, preheader }: Pick<CampaignParts, 'html' | 'preheader'>): string {
  if (!preheader) return html
  // Expressions of Liquid stay as they are. Their results are escaped.
  const said = preheader
    .split(/(\{\{[^{}]*\}\}|\{%[^%]*%\})/)
    .map((piece, i) => (i % 2 === 1 ? piece : escapeText(piece)))
    .join('')
  const block = `<div data-preheader style="${hidden}">${said}</div>`
  const body = html.search(/<body[\s>]/i)
  const at = body < 0 ? 0 : html.indexOf('>', body) + 1
  return `${html.slice(0, at)}${block}${html.slice(at)}`
}
