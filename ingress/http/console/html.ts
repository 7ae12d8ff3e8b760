/** Text that is HTML already. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** What may stand in an `html` template: text is escaped, `false`, `null` and `undefined` are nothing. */
export type Content = Html | string | number | false | null | undefined | readonly Content[]

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const escaped = (text: string): string => text.replace(/[&<>"']/g, (c) => escapes[c] as string)

/** Makes HTML of a template; attributes that take content must be quoted. */
export function html(strings: TemplateStringsArray, ...contents: Content[]): Html {
  let text = strings[0] as string
  contents.forEach((content, i) => {
    text += written(content) + strings[i + 1]
  })
  return new Html(text)
}

function written(content: Content): string {
  if (content instanceof Html) return content.text
  if (typeof content === 'string') return escaped(content)
  if (typeof content === 'number') return String(content)
  return Array.isArray(content) ? content.map(written).join('') : ''
}

/** The query of a link: fields that are empty are left out; starts with `?` unless all are. */
export function search(fields: Record<string, string | number | undefined>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined && value !== '') query.set(name, String(value))
  }
  return query.size === 0 ? '' : `?${query}`
}
