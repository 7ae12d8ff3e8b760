// Sets up the search field with its index, result list and keyboard control.
const byId = (id) => document.getElementById(id)
const [query, found, told] = [byId('search-field'), byId('search-results'), byId('search-status')]
const most = 12

// URL of the search library, which is loaded at the first search.
const library = '/docs/assets/minisearch.js'

let index
function load() {
  index ??= Promise.all([import(library), fetch('/docs/search.json').then((answer) => answer.json())])
    .then(([{ default: MiniSearch }, { entries }]) => {
      const search = new MiniSearch({
        fields: ['title', 'of', 'text'],
        storeFields: ['title', 'of', 'href'],
        searchOptions: {
          prefix: true,
          fuzzy: (term) => term.length > 4 && 0.3,
          boost: { title: 3, of: 2 },
          combineWith: 'AND',
        },
      })
      search.addAll(entries)
      return search
    })
    .catch((error) => {
      index = undefined
      throw error
    })
  return index
}

let marked = -1
function mark(at) {
  const options = [...found.children].filter((option) => option.role === 'option')
  marked = options.length === 0 ? -1 : (at + options.length) % options.length
  for (const [i, option] of options.entries()) option.ariaSelected = String(i === marked)
  if (marked >= 0) query.setAttribute('aria-activedescendant', options[marked].id)
  else query.removeAttribute('aria-activedescendant')
  options[marked]?.scrollIntoView({ block: 'nearest' })
}

function show(results, text) {
  // A page whose title equals the search text is the first result, for example the page of a setting.
  const isNamed = ({ title }) => title.toLowerCase() === text.toLowerCase()
  const sorted = results.toSorted((one, other) => Number(isNamed(other)) - Number(isNamed(one)))
  const options = sorted.slice(0, most).map(({ id, title, of, href }) => {
    const option = document.createElement('li')
    Object.assign(option, { id: `found-${id}`, role: 'option' })
    const link = Object.assign(document.createElement('a'), { href, textContent: title, tabIndex: -1 })
    link.append(Object.assign(document.createElement('small'), { textContent: of }))
    option.append(link)
    return option
  })
  const nothing = Object.assign(document.createElement('li'), {
    textContent: 'No results.',
    role: 'presentation',
  })
  found.replaceChildren(...(options.length > 0 ? options : [nothing]))
  found.hidden = text === ''
  told.textContent = text === '' ? '' : `${options.length} found`
  query.ariaExpanded = String(!found.hidden)
  mark(0)
}

query.addEventListener('focus', () => void load().catch(() => {}))
query.addEventListener('input', async () => {
  const text = query.value.trim()
  try {
    const search = await load()
    if (text === query.value.trim()) show(text ? search.search(text) : [], text)
  } catch {
    show([], '')
  }
})
query.addEventListener('keydown', (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step) mark(marked + step)
  else if (event.key === 'Enter') found.querySelector('[aria-selected=true] a')?.click()
  else if (event.key === 'Escape') show([], '')
  else return
  event.preventDefault()
})
addEventListener('keydown', (event) => {
  const target = /** @type {PageElement} */ (event.target)
  if (event.key !== '/' || target.closest?.('input, textarea, select')) return
  event.preventDefault()
  query.focus()
})
addEventListener('click', (event) => {
  const target = /** @type {PageElement} */ (event.target)
  if (!target.closest('search') || target.closest('#search-results a')) show([], '')
})
