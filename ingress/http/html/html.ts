export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Allowed content of an `html` template. Strings are escaped. `false`, `null` and `undefined` produce no output. */
export type Content = Html | string | number | false | null | undefined | readonly Content[]

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const escaped = (text: string): string => text.replace(/[&<>"']/g, (c) => escapes[c] as string)

export function html(strings: TemplateStringsArray, ...contents: Content[]): Html {
  let text = strings[0] as string
  contents.forEach((content, i) => {
    text += written(content) + strings[i + 1]
  })
  return new Html(text)
}

/** Renders a value in grey: a missing value, or a remark next to another value. */
export const quiet = (content: Content): Html => html`<span class="quiet">${content}</span>`

function written(content: Content): string {
  if (content instanceof Html) return content.text
  if (typeof content === 'string') return escaped(content)
  if (typeof content === 'number') return String(content)
  return Array.isArray(content) ? content.map(written).join('') : ''
}

export function queryString(fields: Record<string, string | number | undefined>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined && value !== '') query.set(name, String(value))
  }
  return query.size === 0 ? '' : `?${query}`
}
