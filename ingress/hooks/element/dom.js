/** Creates an element with properties and children. Names with a dash are attributes. Empty children are left out. */
export function make(name, properties = {}, ...children) {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined) continue
    if (key.includes('-') || key === 'role') element.setAttribute(key, value)
    else element[key] = value
  }
  element.append(
    ...children.flat().filter((child) => child !== null && child !== undefined && child !== false && child !== ''),
  )
  return element
}

export const button = (label, onclick, properties = {}) =>
  make('button', { type: 'button', onclick, ...properties }, label)

/**
 * Creates a button that asks once more before it acts. After 5 seconds, or when it loses the focus, it shows its first
 * label again.
 */
export function sureButton(label, sure, act) {
  let timer
  const shown = button(label, () => {
    if (shown.textContent === sure) return act()
    shown.textContent = sure
    timer = setTimeout(reset, 5_000)
  })
  const reset = () => {
    clearTimeout(timer)
    shown.textContent = label
  }
  shown.onblur = reset
  shown.className = 'grave'
  return shown
}

let numbers = 0

/** Creates a label, its control, a hint and a place for the error of the field. */
export function field(label, control, { hint = '', name = '' } = {}) {
  const id = `f${++numbers}`
  control.id = id
  const fault = make('span', { className: 'fault', id: `${id}-fault` })
  const said = hint ? make('small', { id: `${id}-hint` }, hint) : null
  control.setAttribute('aria-describedby', [said && `${id}-hint`, `${id}-fault`].filter(Boolean).join(' '))
  const box = make(
    'div',
    { className: 'field', 'data-field': name },
    make('label', { htmlFor: id }, label),
    control,
    said,
    fault,
  )
  return box
}

/** Shows the errors of the fields of a form, and focuses the first one. Returns the errors that have no field. */
export function showFaults(form, faults) {
  const rest = new Map(faults)
  let first
  for (const box of form.querySelectorAll('[data-field]')) {
    const name = box.getAttribute('data-field')
    const found = [...faults].filter(([key]) => key === name || key.startsWith(`${name}.`))
    const control = box.querySelector('input, textarea, select')
    const place = box.querySelector('.fault')
    if (place) place.textContent = found.map(([, issue]) => issue).join('. ')
    if (found.length > 0) control?.setAttribute('aria-invalid', 'true')
    else control?.removeAttribute('aria-invalid')
    for (const [key] of found) rest.delete(key)
    if (found.length > 0) first ??= control
  }
  if (first instanceof HTMLElement) first.focus()
  return rest
}

export const badge = (state, label) => make('span', { className: `badge ${state}` }, label)

/** Creates a table. `columns` are pairs of a title and a function that returns the content of a cell. */
export function table(caption, rows, columns) {
  const head = make(
    'tr',
    {},
    columns.map(([title]) => make('th', { scope: 'col' }, title)),
  )
  const body = rows.map((row) =>
    make(
      'tr',
      {},
      columns.map(([title, cell], at) =>
        make(at === 0 ? 'th' : 'td', at === 0 ? { scope: 'row' } : { 'data-label': title }, cell(row)),
      ),
    ),
  )
  return make(
    'table',
    {},
    make('caption', { className: 'unseen' }, caption),
    make('thead', {}, head),
    make('tbody', {}, body),
  )
}

export const facts = (pairs) =>
  make(
    'dl',
    {},
    pairs.filter(Boolean).map(([term, value]) => make('div', {}, make('dt', {}, term), make('dd', {}, value))),
  )

/** Creates a block of code that the keyboard can scroll. */
export const code = (text, label) => make('pre', { tabIndex: 0, role: 'region', 'aria-label': label }, text)

const svg = 'http://www.w3.org/2000/svg'

/**
 * Draws the outcome of the latest attempts, oldest first. Bars of failed attempts are below the line, so that colour
 * is not the only difference.
 */
export function chart(outcomes, label) {
  const drawing = document.createElementNS(svg, 'svg')
  drawing.setAttribute('viewBox', `0 0 ${Math.max(outcomes.length, 1) * 6} 40`)
  drawing.setAttribute('role', 'img')
  drawing.setAttribute('aria-label', label)
  drawing.setAttribute('class', 'chart')
  outcomes.forEach((delivered, at) => {
    const bar = document.createElementNS(svg, 'rect')
    const place = { x: at * 6, y: delivered ? 2 : 21, width: 4, height: 17 }
    for (const [name, value] of Object.entries(place)) bar.setAttribute(name, String(value))
    bar.setAttribute('class', delivered ? 'good' : 'bad')
    drawing.append(bar)
  })
  return drawing
}
