import { type Html, html, queryString } from './html.ts'

/** A field of the form above a list. Without `options`, the user enters text. */
export interface Filter {
  name: string
  label: string
  options?: readonly (string | readonly [value: string, words: string])[]
  /** Words of the option that filters nothing. Default: `any`. Null if one of the options is always selected. */
  any?: string | null
  type?: 'text' | 'email' | 'search' | 'date' | 'datetime-local'
  placeholder?: string
  /** Maximum length of the text. */
  most?: number
  narrow?: true
}

/** Values of the fields by name. */
type Given = Readonly<Record<string, string | undefined>>

/** Forms with more fields than this are closed until the user opens them. On phones, all forms are. */
const mostOpen = 3

/**
 * Renders a form that opens the same page with the chosen filters, and the active filters as links that remove them.
 * `clear` is the URL of the page without filters.
 */
export function filterForm(
  filters: readonly Filter[],
  given: Given,
  { button = 'Filter', clear, hidden = {} }: { button?: string; clear?: string; hidden?: Given } = {},
): Html {
  const kept = Object.entries(hidden).map(
    ([name, value]) => value !== undefined && html`<input type="hidden" name="${name}" value="${value}">`,
  )
  const active = filters.filter((one) => one.any !== null && given[one.name])
  const fields = filters.map((one) => (one.options ? choice : input)(one, given[one.name]))
  const form = html`<form class="filter" role="search">${kept}
${fields}
<div class="send"><button>${button}</button></div></form>`
  const chosen =
    active.length > 0 && chips(active, { ...hidden, ...given }, clear ?? clearing(filters, { ...hidden, ...given }))
  if (filters.length === 1) return html`<div class="filters">${form}${chosen}</div>`
  return html`<div class="filters">
<details class="filter-box${filters.length <= mostOpen && ' few'}"><summary><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M2 4h12M4.500 8h7M7 12h2"/></svg>Filters${active.length > 0 && html` <span class="count">${active.length}<span class="unseen"> active</span></span>`}</summary>
${form}</details>${chosen}</div>`
}

/** Returns the query without the filters. `?` opens the page without a query. */
const clearing = (filters: readonly Filter[], given: Given): string =>
  queryString(without(given, ...filters.filter(({ any }) => any !== null).map(({ name }) => name))) || '?'

const without = (given: Given, ...names: string[]): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name)))

const chips = (active: readonly Filter[], given: Given, clear: string): Html =>
  html`<ul class="chips" aria-label="Active filters">${active.map(
    (one) =>
      html`<li><a class="chip" href="${queryString(without(given, one.name)) || '?'}"><span class="quiet">${one.label}</span> ${wordsOf(one, given[one.name])}<span class="unseen">, remove filter</span> <span aria-hidden="true">×</span></a></li>`,
  )}${active.length > 1 && html`<li><a class="chip clear" href="${clear}">Clear filters</a></li>`}</ul>`

function wordsOf({ options = [] }: Filter, value = ''): string {
  const found = options.find((one) => typeof one !== 'string' && one[0] === value)
  return found ? (found[1] as string) : value
}

function choice({ name, label, options = [], any = 'any' }: Filter, chosen = ''): Html {
  const pairs = options.map((one) => (typeof one === 'string' ? ([one, one] as const) : one))
  const all = any === null ? pairs : [['', any] as const, ...pairs]
  return html`<div><label for="${name}">${label}</label><select id="${name}" name="${name}">${all.map(
    ([value, words]) => html`<option value="${value}"${value === chosen && html` selected`}>${words}</option>`,
  )}</select></div>\n`
}

function input({ name, label, type = 'text', placeholder, most, narrow }: Filter, value = ''): Html {
  const wide = !['date', 'datetime-local'].includes(type) && !narrow
  return html`<div${wide && html` class="wide"`}><label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" value="${value}"${placeholder && html` placeholder="${placeholder}"`}${most && html` maxlength="${most}"`} spellcheck="false"></div>\n`
}
