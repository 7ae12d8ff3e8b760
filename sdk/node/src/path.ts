import { MillraceError } from './errors.ts'

/** Returns a path with its parameters. Each parameter is encoded as one segment. */
export function pathOf(texts: TemplateStringsArray, ...parameters: string[]): string {
  return texts.reduce((path, text, i) => path + segment(parameters[i - 1]) + text)
}

function segment(parameter: string | undefined): string {
  // An empty parameter, `.` or `..` would change the path.
  if (typeof parameter !== 'string' || parameter === '' || parameter === '.' || parameter === '..') {
    throw new MillraceError(`A path parameter is invalid: ${JSON.stringify(parameter)}.`)
  }
  return encodeURIComponent(parameter)
}

/** Returns a query string without undefined fields. */
export function buildQuery(query: object | undefined): string {
  const fields = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null) fields.append(name, String(value))
  }
  const text = fields.toString()
  return text === '' ? '' : `?${text}`
}
