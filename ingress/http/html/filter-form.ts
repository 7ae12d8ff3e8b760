import { type Html, html } from './html.ts'

/** A field of the form above a list. Without `options`, the user enters text. */
export interface Filter {
  name: string
  label: string
  options?: readonly (string | readonly [value: string, words: string])[]
  /** Words of the option that filters nothing. Default: `any`. Null if one of the options is always selected. */
  any?: string | null
  type?: 'text' | 'email' | 'search' | 'datetime-local'
  placeholder?: string
  /** Maximum length of the text. */
  most?: number
  narrow?: true
}

/** Values of the fields by name. */
type Given = Readonly<Record<string, string | undefined>>

/** Renders a form that opens the same page with the chosen filters. `clear` is the URL of the page without filters. */
export function filterForm(
  filters: readonly Filter[],
  given: Given,
  { button = 'Filter', clear, hidden = {} }: { button?: string; clear?: string; hidden?: Given } = {},
): Html {
  const kept = Object.entries(hidden).map(
    ([name, value]) => value !== undefined && html`<input type="hidden" name="${name}" value="${value}">`,
  )
  return html`<form class="filter" role="search">${kept}
${filters.map((one) => (one.options ? choice : input)(one, given[one.name]))}
<div class="send"><button>${button}</button>${clear && html` <a href="${clear}">Clear filters</a>`}</div></form>`
}

function choice({ name, label, options = [], any = 'any' }: Filter, chosen = ''): Html {
  const pairs = options.map((one) => (typeof one === 'string' ? ([one, one] as const) : one))
  const all = any === null ? pairs : [['', any] as const, ...pairs]
  return html`<div><label for="${name}">${label}</label><select id="${name}" name="${name}">${all.map(
    ([value, words]) => html`<option value="${value}"${value === chosen && html` selected`}>${words}</option>`,
  )}</select></div>\n`
}

function input({ name, label, type = 'text', placeholder, most, narrow }: Filter, value = ''): Html {
  const wide = type !== 'datetime-local' && !narrow
  return html`<div${wide && html` class="wide"`}><label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" value="${value}"${placeholder && html` placeholder="${placeholder}"`}${most && html` maxlength="${most}"`} spellcheck="false"></div>\n`
}
