import { publicUrl } from '#lib/config.ts'
import type { Fault } from '#lib/errors.ts'
import { listPlaceholders } from '#lib/placeholders.ts'
import type { Template, TemplateParts } from '#sql/email/templates.ts'
import { quickTextOf } from '#tasks/email/rules/html-text.ts'
import { renderParts } from '#tasks/email/rules/message-parts.ts'

/** Example values by the name of their placeholder. An empty value shows the fallback. */
export type Examples = ReadonlyMap<string, string>

export interface RenderedExample {
  subject: string
  html: string | null
  /** Null if the text is created when the message is sent. */
  text: string | null
  faults: readonly Fault[]
}

const known: Readonly<Record<string, string>> = { 'contact.name': 'Ann Lee', 'contact.email': 'ann@example.net' }

const trialUrl = () => `${publicUrl()}/send/v1/unsubscribe/test`

/** Placeholders that Millrace fills in when a message is sent. */
const ours = ['unsubscribe_url', 'confirm_url']

/** Returns the placeholders that need an example value, each once, in order. */
export const listExampleNames = ({ subject, html, text }: Omit<TemplateParts, 'name'>): string[] =>
  listPlaceholders(subject, html, text).filter((name) => !ours.includes(name))

export const defaultExample = (name: string): string => known[name] ?? `[${name}]`

/** Renders a template as a message would be rendered, with example values. Faults name the placeholder or the part. */
export function renderExample(parts: Omit<TemplateParts, 'name'>, examples: Examples): RenderedExample {
  const template = { id: '', name: '', org_id: '', variables: null, ...parts } as Template
  const variables = exampleVariables(parts, examples)
  const reader = { contact: { email: 'ann@example.net' }, unsubscribeUrl: trialUrl() }
  const made = renderParts({ template_id: 'example', variables }, template, undefined, reader)
  if ('faults' in made) return { subject: parts.subject, html: null, text: null, faults: made.faults }
  const text = made.text ?? (made.html === null ? null : quickTextOf(made.html))
  return { ...made, text, faults: [] }
}

/** Returns the variables of a message with example values. */
export const exampleVariables = (parts: Omit<TemplateParts, 'name'>, examples: Examples): Record<string, unknown> =>
  nest([
    ...listExampleNames(parts).map((name): [string, string] => [name, examples.get(name) ?? defaultExample(name)]),
    ...listPlaceholders(parts.html, parts.text)
      .filter((name) => ours.includes(name))
      .map((name): [string, string] => [name, trialUrl()]),
  ])

/** Converts `order.number` to `{order: {number}}`. Empty values are left out. Objects have no prototype. */
function nest(values: Iterable<readonly [string, string]>): Record<string, unknown> {
  const whole: Record<string, unknown> = Object.create(null)
  for (const [name, value] of values) {
    if (value === '') continue
    const path = name.split('.')
    const last = path.pop() as string
    let at: Record<string, unknown> | undefined = whole
    for (const step of path) {
      at[step] ??= Object.create(null)
      const next: unknown = at[step]
      at = typeof next === 'object' && next !== null ? (next as Record<string, unknown>) : undefined
      if (!at) break
    }
    if (at) at[last] = value
  }
  return whole
}
