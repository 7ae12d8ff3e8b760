import { button, field, make } from './dom.js'

/** Rows of fields that the user adds and removes. `draw` returns the fields of a row and its value. */
function rows({ name, legend, hint, add, remove }, items, draw) {
  const made = []
  const fault = make('span', { className: 'fault' })
  const more = button(add, () => {
    append().querySelector('input, select')?.focus()
  })
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
  return { box, values: () => made.flatMap((value) => value() ?? []) }
}

/** Fields of custom headers. Millrace masks stored values. An unchanged value is kept. */
export function headerRows(words, headers) {
  const options = {
    name: 'headers',
    legend: words.headers,
    hint: words.headersHint,
    add: words.addHeader,
    remove: words.remove,
  }
  const { box, values } = rows(options, Object.entries(headers), ([name = '', value = ''] = []) => {
    const [first, second] = [
      make('input', { value: name, spellcheck: false }),
      make('input', { value, spellcheck: false, autocomplete: 'off' }),
    ]
    return {
      fields: [field(words.name, first), field(words.value, second)],
      value: () => (first.value.trim() ? [[first.value.trim(), second.value]] : undefined),
    }
  })
  return { box, value: () => Object.fromEntries(values()) }
}

const conditions = ['eq', 'ne', 'in', 'gt', 'lt', 'exists']

/** Fields of filters: the path of a field of the payload, a condition and a JSON value or text. */
export function filterRows(words, filters) {
  const options = {
    name: 'filters',
    legend: words.filters,
    hint: words.filtersHint,
    add: words.addFilter,
    remove: words.remove,
  }
  const { box, values } = rows(options, filters, ({ path = '', op = 'eq', value = '' } = {}) => {
    const first = make('input', { value: path, spellcheck: false, placeholder: 'invoice.amount' })
    const second = make(
      'select',
      {},
      conditions.map((one) => make('option', { value: one, selected: one === op }, words.operators[one])),
    )
    const third = make('input', { value: typeof value === 'string' ? value : JSON.stringify(value), spellcheck: false })
    return {
      fields: [field(words.path, first), field(words.operator, second), field(words.value, third)],
      value: () =>
        first.value.trim() ? [{ path: first.value.trim(), op: second.value, value: read(third.value) }] : undefined,
    }
  })
  return { box, value: values }
}

function read(text) {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
