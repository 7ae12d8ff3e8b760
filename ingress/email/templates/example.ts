import type { Fault } from '#lib/errors.ts'
import { checkLiquid } from '#lib/liquid/render.ts'
import { listPlaceholders } from '#lib/placeholders.ts'
import type { Db } from '#sql/db.ts'
import type { Template, TemplateParts } from '#sql/email/templates.ts'
import { quickTextOf } from '#tasks/email/rules/html-text.ts'
import { findPartFault } from './fields.ts'
import { convertMjml } from './mjml.ts'
import { renderTemplate, trialUrl } from './rendering.ts'

/** Example values by the name of their placeholder. An empty value shows the fallback. */
export type Examples = ReadonlyMap<string, string>

/** A template to show, perhaps before it is saved. `mjml` is MJML that is not converted yet. */
export interface ExampleTemplate extends Omit<TemplateParts, 'name'>, Pick<Template, 'org_id' | 'syntax'> {
  mjml?: string | null
}

export interface RenderedExample {
  subject: string
  html: string | null
  /** Null if the text is created when the message is sent. */
  text: string | null
  /** Faults of the parts (`body.html`) and of the variables. */
  faults: readonly Fault[]
  /** Names of the variables that need a value. */
  names: readonly string[]
}

const known: Readonly<Record<string, string>> = { 'contact.name': 'Ann Lee', 'contact.email': 'ann@example.net' }

/** Placeholders that Millrace fills in when a message is sent. */
const ours = ['unsubscribe_url', 'confirm_url']

/** Returns the placeholders that need an example value, each once, in order. */
export const listExampleNames = ({ subject, html, text }: Omit<TemplateParts, 'name'>): string[] =>
  listPlaceholders(subject, html, text).filter((name) => !ours.includes(name))

/** Returns the value of the test data, otherwise a value that shows its name. */
export function defaultExample(name: string, testData: object | null = null): string {
  let value: unknown = testData
  for (const step of name.split('.'))
    value =
      typeof value === 'object' && value !== null && Object.hasOwn(value, step)
        ? (value as Record<string, unknown>)[step]
        : undefined
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value)
  return known[name] ?? `[${name}]`
}

/** Renders a template as a message would be rendered, with example values. */
export async function renderExample(
  db: Db,
  given: ExampleTemplate,
  examples: Examples,
  testData: Template['test_data'] = null,
): Promise<RenderedExample> {
  const made = given.mjml ? await convertMjml(given.org_id, given.mjml) : undefined
  const parts = made ? { ...given, html: made.html } : given
  const mjmlFaults = (made?.faults ?? []).map((issue) => ({ field: 'body.mjml', issue }))
  const { names, uses, faults } = parts.syntax === 'liquid' ? await readLiquid(parts) : readPlaceholders(parts)
  const found = [...mjmlFaults, ...faults]
  const variables = exampleVariables(parts, names, examples, testData)
  const contact = { email: 'ann@example.net', ...(parts.syntax === 'liquid' && { name: 'Ann Lee' }) }
  const rendered =
    found.length > 0 && parts.syntax === 'liquid'
      ? { faults: [] }
      : await renderTemplate(db, { ...parts, uses }, variables, contact)
  const shown = names.filter((name) => !ours.includes(name))
  if ('faults' in rendered)
    return { subject: parts.subject, html: null, text: null, faults: [...found, ...rendered.faults], names: shown }
  const text = rendered.text ?? (rendered.html === null ? null : quickTextOf(rendered.html))
  return { ...rendered, text, faults: found, names: shown }
}

interface ReadTemplate {
  names: readonly string[]
  uses: string[]
  faults: Fault[]
}

const partsOf = ({ subject, html, text }: ExampleTemplate) => ({ subject, html, text })

function readPlaceholders(given: ExampleTemplate): ReadTemplate {
  const faults = Object.entries(partsOf(given)).flatMap(([part, said]) => {
    const issue = said === null ? undefined : findPartFault(said)
    return issue === undefined ? [] : [{ field: `body.${part}`, issue }]
  })
  return { names: listPlaceholders(given.subject, given.html, given.text), uses: [], faults }
}

async function readLiquid(given: ExampleTemplate): Promise<ReadTemplate> {
  const { variables, uses, faults } = await checkLiquid(given.org_id, { sources: partsOf(given) })
  return { names: variables, uses, faults: faults.map(({ part, issue }) => ({ field: `body.${part}`, issue })) }
}

/** Returns the variables of a message with example values. The test data of Liquid templates replaces them. */
export function exampleVariables(
  { syntax, html, text }: Pick<ExampleTemplate, 'syntax' | 'html' | 'text'>,
  names: readonly string[],
  examples: Examples,
  testData: Template['test_data'] = null,
): Record<string, unknown> {
  const values = names
    .filter((name) => !ours.includes(name))
    .map((name): [string, string] => [name, examples.get(name) ?? defaultExample(name, testData)])
  if (syntax === 'liquid') {
    const known = testData ?? {}
    const plain = /^[\w.-]+$/
    const missing = values.filter(([name]) => plain.test(name) && !Object.hasOwn(known, name.split('.')[0] ?? ''))
    return { ...nest(missing.filter(([name]) => !name.startsWith('contact.'))), ...known }
  }
  const links = listPlaceholders(html, text).filter((name) => ours.includes(name))
  return nest([...values, ...links.map((name): [string, string] => [name, trialUrl()])])
}

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
