import { button, field, make } from './dom.js'

/** Rows of fields that the user adds and removes. `draw` returns the fields of a row and its value. */
function rows({ name, legend, hint, add, remove }, items, draw) {
  const made = []
  const fault = make('span', { className: 'fault' })
  const more = button(add, () => append().querySelector('input, select')?.focus())
  const box = make('fieldset', { 'data-field': name }, make('legend', {}, legend), make('small', {}, hint), fault, more)
  function append(item) {
    const { fields, value } = draw(item)
    const drop = button(remove, () => {
      made.splice(made.indexOf(value), 1)
      row.remove()
      more.focus()
    })
    const row = make('div', { className: fields.length > 2 ? 'row three' : 'row' }, fields, drop)
    made.push(value)
    more.before(row)
    return row
  }
  for (const item of items) append(item)
  return { box, more, values: () => made.flatMap((value) => value() ?? []) }
}

/**
 * Fields of custom headers. Millrace does not return stored values. So stored headers are either kept or all replaced:
 * `value` returns undefined if they are kept.
 */
export function headerRows(words, stored) {
  const { headers: legend, headersHint: hint, addHeader: add, remove } = words
  const { box, more, values } = rows({ name: 'headers', legend, hint, add, remove }, [], () => {
    const plain = { spellcheck: false, autocomplete: 'off' }
    const [first, second] = [make('input', plain), make('input', plain)]
    return {
      fields: [field(words.name, first), field(words.value, second)],
      value: () => (first.value.trim() ? [[first.value.trim(), second.value]] : undefined),
    }
  })
  let replaced = stored.length === 0
  if (replaced) return { box, value: () => (values().length > 0 ? Object.fromEntries(values()) : undefined) }
  const now = make('p', {}, `${stored.join(', ')} `)
  const replace = button(words.replaceHeaders, () => {
    replaced = true
    now.remove()
    replace.remove()
    more.hidden = false
    more.focus()
  })
  more.hidden = true
  more.before(now, replace)
  return { box, value: () => (replaced ? Object.fromEntries(values()) : undefined) }
}

const conditions = ['eq', 'ne', 'in', 'gt', 'lt', 'exists']

/** Fields of filters: the path of a field of the payload, a condition, and a JSON value or text. */
export function filterRows(words, filters) {
  const { filters: legend, filtersHint: hint, addFilter: add, remove } = words
  const { box, values } = rows({ name: 'filters', legend, hint, add, remove }, filters, (given) => {
    const { path = '', op = 'eq', value = '' } = given ?? {}
    const first = make('input', { value: path, spellcheck: false, placeholder: 'invoice.amount' })
    const options = conditions.map((one) => make('option', { value: one, selected: one === op }, words.operators[one]))
    const second = make('select', {}, options)
    const third = make('input', {
      value: typeof value === 'string' ? value : JSON.stringify(value),
      spellcheck: false,
    })
    return {
      fields: [field(words.path, first), field(words.operator, second), field(words.value, third)],
      value: () =>
        first.value.trim()
          ? [{ path: first.value.trim(), op: second.value, value: read(second.value, third.value.trim()) }]
          : undefined,
    }
  })
  return { box, value: values }
}

/** Reads JSON, such as `100` or `"100"`. Other texts are used as they are. `in` takes values separated by commas. */
function read(op, text) {
  const value = parse(text)
  if (op === 'exists') return text === '' ? true : value
  return op === 'in' && !Array.isArray(value) ? text.split(',').map((one) => parse(one.trim())) : value
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export const filterText = ({ path, op, value }, words) =>
  `${path} ${words.operators[op]}${op === 'exists' && value === true ? '' : ` ${JSON.stringify(value)}`}`
