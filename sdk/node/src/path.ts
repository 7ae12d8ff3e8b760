import { MillraceError } from './errors.ts'

/** A path with its parameters, each as one segment whatever it holds. */
export function pathOf(texts: TemplateStringsArray, ...parameters: string[]): string {
  return texts.reduce((path, text, i) => path + segment(parameters[i - 1]) + text)
}

function segment(parameter: string | undefined): string {
  // These three would name another path.
  if (typeof parameter !== 'string' || parameter === '' || parameter === '.' || parameter === '..') {
    throw new MillraceError(`A path parameter is invalid: ${JSON.stringify(parameter)}.`)
  }
  return encodeURIComponent(parameter)
}

/** What a query is made of; what is undefined is left out. */
export function queryText(query: object | undefined): string {
  const fields = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null) fields.append(name, String(value))
  }
  const text = fields.toString()
  return text === '' ? '' : `?${text}`
}
