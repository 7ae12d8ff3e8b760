import type { Issue } from '#sql/moving/rows.ts'
import type { Scope } from './scopes.ts'
import { closeBlock, elseOf, openBlock, openInverse } from './tags.ts'
import { translateValue } from './values.ts'

/** Template language of a provider. */
export type Dialect = 'resend' | 'mustachio' | 'handlebars'

export interface TranslateOptions {
  dialect: Dialect
  field: string
  fallbacks?: Readonly<Record<string, string>>
}

/** Tags of the source, and text that Liquid would read as its own tag. Legacy SendGrid tags are `<%…%>`. */
const tokens = /\{\{\{[^{}]*\}\}\}|\{\{[^{}]*\}\}|\{%|%\}|<%[\w.-]{1,100}%>/g

/** Removes comments of the form `{{!-- … --}}`, which can contain braces. Line breaks are kept for the numbers of lines. */
function withoutComments(source: string): string {
  const pieces: string[] = []
  let at = 0
  for (;;) {
    const start = source.indexOf('{{!--', at)
    const end = start < 0 ? -1 : source.indexOf('--}}', start)
    if (end < 0) return at === 0 ? source : pieces.join('') + source.slice(at)
    pieces.push(source.slice(at, start), source.slice(start, end).replaceAll(/[^\n]/g, ''))
    at = end + '--}}'.length
  }
}

/** Maximum number of issues, of blocks within blocks, and of tags of a template part. */
const [mostIssues, mostLevels, mostTags] = [50, 50, 5_000]

/** Maximum number of characters of a tag. */
const longestTag = 2_000

/**
 * Translates a part of a template to Liquid. Each tag that cannot be translated is an issue with its line. The result is
 * complete only if there are no issues.
 */
export function translate(
  given: string,
  { dialect, field, fallbacks = {} }: TranslateOptions,
): { text: string; issues: Issue[] } {
  const source = withoutComments(given)
  const issues: Issue[] = []
  const scopes: Scope[] = []
  const out: string[] = []
  let [at, line, counted] = [0, 1, 0]
  const lineAt = (index: number) => {
    for (; counted < index; counted++) if (source.charCodeAt(counted) === 10) line++
    return line
  }
  const report = (index: number, text: string, issue: string) => {
    const shown = text.length > 200 ? `${text.slice(0, 200)}…` : text
    if (issues.length < mostIssues) issues.push({ field, line: lineAt(index), text: shown, issue })
  }
  let tags = 0
  for (const match of source.matchAll(tokens)) {
    if (++tags > mostTags) {
      report(match.index, match[0], `is one of more than ${mostTags} tags.`)
      break
    }
    const [whole] = match
    out.push(source.slice(at, match.index))
    at = match.index + whole.length
    const made = translateToken(whole, scopes, { dialect, fallbacks })
    if (issues.length >= mostIssues) break
    if (made === null) report(match.index, whole, 'has no equivalent in Liquid. Write this part again.')
    else out.push(made)
  }
  out.push(source.slice(at))
  for (const { closes } of scopes) report(source.length, `{{#${closes}}}`, 'is not closed.')
  const text = out.join('')
  const loose = issues.length === 0 ? /\{\{\{|\}\}\}/.exec(text) : null
  if (loose) report(Math.min(loose.index, source.length), loose[0], 'is not a complete tag.')
  return { text, issues }
}

function translateToken(token: string, scopes: Scope[], options: TagOptions): string | null {
  if (token.startsWith('<%')) return legacyTag(token.slice(2, -2))
  if (token.startsWith('{{{')) return tag(token.slice(3, -3), true, scopes, options)
  return token.startsWith('{{') ? tag(token.slice(2, -2), false, scopes, options) : `{{ "${token}" }}`
}

type TagOptions = Required<Pick<TranslateOptions, 'dialect' | 'fallbacks'>>

function tag(given: string, isTriple: boolean, scopes: Scope[], { dialect, fallbacks }: TagOptions): string | null {
  const inside = given.trim()
  if (inside.startsWith('!')) return ''
  if (inside.length > longestTag) return null
  if (inside === '@content' && dialect === 'mustachio') return '{% block content %}{% endblock %}'
  if (/^[#^]/.test(inside) && scopes.length >= mostLevels) return null
  if (inside.startsWith('#')) return openBlock(inside.slice(1).trim(), scopes)
  if (inside.startsWith('^')) return openInverse(inside.slice(1), scopes)
  if (inside.startsWith('/')) return closeBlock(inside.slice(1), scopes)
  if (/^else\b/.test(inside)) return elseOf(inside, scopes)
  const isRaw = dialect !== 'resend' && (isTriple || inside.startsWith('&'))
  const isLenient = dialect !== 'resend'
  return translateValue(inside.replace(/^&/, ''), scopes, { isRaw, fallbacks, isLenient })
}

/** SendGrid inserts its unsubscribe URL for these tags. */
const legacyTag = (name: string): string | null =>
  /^asm_(group|global)_unsubscribe_(raw_)?url$/.test(name) ? '{{ unsubscribe_url }}' : null
