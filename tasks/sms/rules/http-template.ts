export type Template = string | number | boolean | null | readonly Template[] | { readonly [name: string]: Template }

export const placeholders = ['id', 'to', 'from', 'text', 'callback_url'] as const

export type Values = Readonly<Record<(typeof placeholders)[number], string>>

/** Replaces `{{to}}` and the other placeholders in all strings of a template. Values are never read as placeholders. */
export function fillTemplate(template: Template, values: Values): Template {
  if (typeof template === 'string')
    return template.replace(/\{\{(id|to|from|text|callback_url)\}\}/g, (_, name: keyof Values) => values[name])
  if (Array.isArray(template)) return template.map((one: Template) => fillTemplate(one, values))
  if (typeof template !== 'object' || template === null) return template
  return Object.fromEntries(
    Object.entries(template).map(([name, one]) => [name, fillTemplate(one as Template, values)]),
  )
}

/** Returns the value at a path such as `messages.0.id`. Undefined if the document has no such place. */
export function readPath(json: unknown, path: string): unknown {
  let at = json
  for (const name of path.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined
    at = (at as Record<string, unknown>)[name]
  }
  return at
}
