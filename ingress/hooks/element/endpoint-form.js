import { ApiError } from './client.js'
import { button, field, make, showFaults } from './dom.js'
import { filterRows, headerRows } from './form-rows.js'
import { loadTypes } from './types.js'

/** Shows the form for a new endpoint, or for the endpoint with `id`. */
export async function showForm(context, { id }) {
  const { words, ask, go, heading, changed } = context
  const [now, types] = await Promise.all([id ? ask('GET', `endpoints/${id}`) : {}, loadTypes(context)])
  const { fields, read } = inputs(words, now, types)
  const fault = make('p', { role: 'alert', className: 'fault' })
  const save = make('button', { className: 'primary' }, id ? words.save : words.add)
  const cancel = button(words.cancel, () => (id ? go('endpoint', { id }) : go('endpoints')))
  const form = make('form', { noValidate: true }, fault, fields, make('div', { className: 'actions' }, save, cancel))
  let busy = false
  form.onsubmit = async (event) => {
    event.preventDefault()
    if (busy) return
    busy = true
    fault.textContent = ''
    try {
      const saved = id ? await ask('PATCH', `endpoints/${id}`, read()) : await ask('POST', 'endpoints', read())
      changed(id ? 'endpoint.updated' : 'endpoint.created', saved.id)
      go('endpoint', { id: saved.id }, id ? words.saved : words.added)
    } catch (error) {
      fault.textContent = explain(error, form, words)
    } finally {
      busy = false
    }
  }
  return [heading(id ? words.editTitle : words.add), form]
}

/** Shows the errors of the fields. Returns the text above the form. */
function explain(error, form, words) {
  const faults = error instanceof ApiError ? error.faults : new Map()
  const rest = [...showFaults(form, faults)].map(([name, issue]) => `${name} ${issue}.`).join(' ')
  if (faults.size > 0) return rest || words.someInvalid
  if (error instanceof ApiError && error.status === 401) return words.expired
  return (error instanceof ApiError && error.message) || words.failed
}

function inputs(words, now, types) {
  const plain = { autocomplete: 'off', spellcheck: false }
  const url = make('input', { type: 'url', value: now.url ?? '', required: true, ...plain })
  const description = make('input', { value: now.description ?? '', maxLength: 255 })
  const chosen = typeChoice(
    words,
    types,
    (now.types ?? []).filter((one) => one !== '*'),
  )
  const filters = filterRows(words, now.filters ?? [])
  const headers = headerRows(words, now.header_names ?? [])
  const rate = rateFields(words, now.rate)
  const channels = make('input', { value: (now.channels ?? []).join(', '), ...plain })
  return {
    fields: [
      field(words.url, url, { name: 'url', hint: words.urlHint }),
      field(words.description, description, { name: 'description' }),
      ...[chosen.box, filters.box],
      field(words.channels, channels, { name: 'channels', hint: words.channelsHint }),
      ...[headers.box, rate.box],
    ],
    read: () => ({
      url: url.value.trim(),
      description: description.value.trim() || null,
      types: chosen.value(),
      channels: listOf(channels.value),
      filters: filters.value(),
      headers: headers.value(),
      rate: rate.value(),
    }),
  }
}

/** Returns the words between commas. `null` without a word. */
function listOf(text) {
  const found = text.split(',').flatMap((one) => one.trim() || [])
  return found.length > 0 ? found : null
}

function rateFields(words, now) {
  const limit = make('input', { type: 'number', min: '1', value: now?.limit ?? '' })
  const option = (value) => make('option', { value, selected: value === now?.per }, words.per[value])
  const per = make('select', {}, option('minute'), option('second'))
  const row = make('div', { className: 'row' }, field(words.messages, limit), field(words.period, per))
  const hint = make('small', {}, words.rateHint)
  const box = make('fieldset', { 'data-field': 'rate' }, make('legend', {}, words.rate), hint, row)
  box.append(make('span', { className: 'fault' }))
  return { box, value: () => (limit.value === '' ? null : { limit: Number(limit.value), per: per.value }) }
}

/** Check boxes of all event types. Without a selection, the endpoint receives all types. */
function typeChoice(words, types, chosen) {
  const picked = new Set(chosen)
  const patterns = chosen.filter((pattern) => !types.some(({ name }) => name === pattern))
  const box = (name, description = '') => {
    const input = make('input', { type: 'checkbox', value: name, checked: picked.has(name) })
    const said = description && make('small', {}, description)
    return make('label', { className: 'choice' }, input, make('span', {}, make('code', {}, name), said))
  }
  const boxes = [
    ...patterns.map((name) => box(name)),
    ...types.map(({ name, description }) => box(name, description ?? '')),
  ]
  const hint = make('small', {}, words.typesHint)
  const fault = make('span', { className: 'fault' })
  const list = make('fieldset', { 'data-field': 'types' }, make('legend', {}, words.types), hint, boxes, fault)
  const value = () => {
    const found = [...list.querySelectorAll('input')].flatMap((one) => (one.checked ? [one.value] : []))
    return found.length > 0 ? found : ['*']
  }
  return { box: list, value }
}
