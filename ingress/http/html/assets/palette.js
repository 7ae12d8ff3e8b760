// The search dialog: pages of the navigation at once, then what the ingress finds. A combobox with a list of links.

const link = document.getElementById('find')
const most = 30
const waitMs = 120

const make = (tag, properties) => Object.assign(document.createElement(tag), properties)

/** Pages of the navigation that have all words of the text. */
function pagesOf(text) {
  const words = text.toLowerCase().split(/\s+/)
  return [...document.querySelectorAll('.side a')]
    .map((page) => ({
      title: page.textContent ?? '',
      kind: page.closest('details')?.dataset.group ?? 'Page',
      href: page.getAttribute('href') ?? '',
    }))
    .filter(({ title, kind }) => words.every((word) => `${title} ${kind}`.toLowerCase().includes(word)))
}

function build() {
  const dialog = make('dialog', { className: 'palette', ariaLabel: 'Search' })
  const field = make('input', {
    type: 'text',
    id: 'palette-field',
    autocomplete: 'off',
    spellcheck: false,
    role: 'combobox',
  })
  field.placeholder = link.dataset.find ? 'Search pages, documentation and IDs' : 'Search pages'
  field.maxLength = 200
  for (const [name, value] of Object.entries({
    label: 'Search',
    expanded: 'true',
    controls: 'palette-list',
    autocomplete: 'list',
  }))
    field.setAttribute(`aria-${name}`, value)
  const list = make('div', { id: 'palette-list', role: 'listbox', ariaLabel: 'Results' })
  const none = make('p', { className: 'none', hidden: true })
  const status = make('p', { className: 'unseen', role: 'status' })
  const hint = make('p', { className: 'quiet keys', textContent: '↑ ↓ to choose, Enter to open, Esc to close' })
  dialog.append(field, list, none, status, hint)
  document.body.append(dialog)
  return { dialog, field, list, none, status }
}

let parts
let marked = -1
let timer
let asking = new AbortController()

function mark(at) {
  const { list, field } = parts
  const options = [...list.querySelectorAll('[role=option]')]
  marked = options.length === 0 ? -1 : (at + options.length) % options.length
  for (const [i, option] of options.entries()) option.ariaSelected = String(i === marked)
  if (marked >= 0) field.setAttribute('aria-activedescendant', options[marked].id)
  else field.removeAttribute('aria-activedescendant')
  options[marked]?.scrollIntoView({ block: 'nearest' })
}

function show(results, { complete }) {
  const { list, none, status } = parts
  const options = results.slice(0, most).map(({ title, kind, href }, i) => {
    const option = make('a', { id: `palette-${i}`, role: 'option', href, tabIndex: -1 })
    option.append(make('span', { textContent: title }), make('small', { textContent: kind }))
    return option
  })
  list.replaceChildren(...options)
  list.hidden = options.length === 0
  none.hidden = !list.hidden
  none.textContent = complete ? 'No results. IDs must be complete.' : 'Searching…'
  parts.field.ariaExpanded = String(!list.hidden)
  if (complete) status.textContent = options.length === 1 ? '1 result' : `${options.length} results`
  mark(0)
}

async function ask(text, near) {
  asking.abort()
  asking = new AbortController()
  const answer = await fetch(`${link.dataset.find}?${new URLSearchParams({ q: text })}`, { signal: asking.signal })
  if (answer.redirected) return location.reload()
  if (!answer.ok) throw new Error(`The search returned ${answer.status}.`)
  const known = new Set(near.map(({ href }) => href))
  const { results } = await answer.json()
  show([...near, ...results.filter(({ href }) => !known.has(href))], { complete: true })
}

function search() {
  const text = parts.field.value.trim()
  const near = pagesOf(text)
  clearTimeout(timer)
  const isAsked = text !== '' && link.dataset.find !== undefined
  show(near, { complete: !isAsked })
  if (!isAsked) return
  timer = setTimeout(() => {
    ask(text, near).catch((error) => {
      if (error.name !== 'AbortError') show(near, { complete: true })
    })
  }, waitMs)
}

function open() {
  if (!parts) {
    parts = build()
    const { dialog, field, list } = parts
    field.addEventListener('input', search)
    field.addEventListener('keydown', (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
      if (step) mark(marked + step)
      else if (event.key === 'Enter') list.querySelector('[aria-selected=true]')?.click()
      else return
      event.preventDefault()
    })
    dialog.addEventListener('click', (event) => event.target === dialog && dialog.close())
  }
  if (!parts.dialog.open) parts.dialog.showModal()
  parts.field.select()
  search()
}

export function palette() {
  if (!link) return
  const isMac = /Mac|iPhone|iPad/.test(navigator.platform)
  const key = link.querySelector('kbd')
  key.textContent = isMac ? '⌘K' : 'Ctrl K'
  key.hidden = false
  link.setAttribute('aria-keyshortcuts', 'Meta+K Control+K')
  link.setAttribute('aria-haspopup', 'dialog')
  link.role = 'button'
  link.addEventListener('click', (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    open()
  })
  addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey) return
    event.preventDefault()
    open()
  })
}
