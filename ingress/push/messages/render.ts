import type { Fault } from '#lib/errors.ts'
import { countOpenBraces } from '#lib/placeholders.ts'
import type { Template, Text } from '#sql/push/templates.ts'

const placeholder = /\{\{\s*([A-Za-z_][\w.]{0,63})\s*\}\}/g

export function listVariables(locales: Template['locales']): string[] {
  const texts = textsOf(locales)
  const names = texts.flatMap((text) => [...(text ?? '').matchAll(placeholder)].map(([, name]) => name as string))
  return [...new Set(names)].sort()
}

const textsOf = (locales: Template['locales']) =>
  Object.values(locales).flatMap(({ title, body, data }) => [title, body, ...Object.values(data ?? {})])

export const countPlaceholders = (locales: Template['locales']): number =>
  textsOf(locales).reduce((count, text) => count + countOpenBraces(text ?? ''), 0)

/**
 * Renders a template’s texts with the values of their variables. Also returns a fault for each missing variable. Values
 * are not rendered as templates.
 */
export function renderTemplate(
  { locales }: Pick<Template, 'locales'>,
  variables: Readonly<Record<string, string | number | boolean>>,
): { texts: Record<string, Text>; faults: Fault[] } {
  const missing = listVariables(locales).filter((name) => !Object.hasOwn(variables, name))
  const faults = missing.map((name) => ({ field: `body.variables.${name}`, issue: 'is required by the template' }))
  const fill = (text: string) =>
    text.replace(placeholder, (_, name: string) => (Object.hasOwn(variables, name) ? String(variables[name]) : ''))
  const filled = ({ title, body, data }: Text): Text => ({
    ...(title !== undefined && { title: fill(title) }),
    ...(body !== undefined && { body: fill(body) }),
    ...(data && { data: Object.fromEntries(Object.entries(data).map(([name, text]) => [name, fill(text)])) }),
  })
  return { texts: Object.fromEntries(Object.entries(locales).map(([name, text]) => [name, filled(text)])), faults }
}
