import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { listPlaceholders } from '#lib/placeholders.ts'

const Values = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))

/** Parses the JSON of a form’s field `data`. Numbers and booleans become strings, as events contain them. */
export function parseData(json: string | undefined): Record<string, string> {
  if (json === undefined || json.trim() === '') return {}
  const parsed = Values.safeParse(tryJson(json))
  if (!parsed.success)
    throw badRequest([{ field: 'form.data', issue: 'must be a JSON object of texts, such as {"order": "1042"}' }])
  return Object.fromEntries(Object.entries(parsed.data).map(([name, value]) => [name, String(value)]))
}

function tryJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

const start = 'data.'

/**
 * Returns example data for the placeholders and fields `data.…` in texts and conditions. A rehearsal uses `fetch.…` as
 * the response of a `fetch` step.
 */
export function exampleData(texts: readonly (string | null)[], fields: readonly string[] = []): string {
  const names = [...listPlaceholders(...texts), ...fields].flatMap((name) => {
    if (name.startsWith(start)) return [name.slice(start.length)]
    return name.startsWith('fetch.') ? [name] : []
  })
  const data = Object.fromEntries([...new Set(names)].map((name) => [name, exampleOf(name)]))
  return JSON.stringify(data, null, 2)
}

const exampleOf = (name: string): string =>
  /order|number|id$/i.test(name)
    ? '1042'
    : /total|price|amount|count/i.test(name)
      ? '120'
      : (name.split('.').at(-1) ?? '')
