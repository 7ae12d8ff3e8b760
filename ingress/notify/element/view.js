import { style } from './style.js'

/** Creates an element with properties and children. Names with a dash are attributes. */
export function make(name, properties = {}, ...children) {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(properties)) {
    if (key.includes('-') || key === 'role') element.setAttribute(key, value)
    else element[key] = value
  }
  element.append(...children)
  return element
}

const svg = 'http://www.w3.org/2000/svg'

function icon(path) {
  const [drawing, line] = [document.createElementNS(svg, 'svg'), document.createElementNS(svg, 'path')]
  drawing.setAttribute('viewBox', '0 0 24 24')
  drawing.setAttribute('aria-hidden', 'true')
  line.setAttribute('d', path)
  drawing.append(line)
  return drawing
}

const icons = {
  bell: 'M6 9a6 6 0 0 1 12 0c0 6 2 7 2 7H4s2-1 2-7M10 20a2 2 0 0 0 4 0',
  read: 'm5 12 5 5 9-10',
  unread: 'M12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10',
  close: 'm6 6 12 12M18 6 6 18',
  archive: 'M4 8v11h16V8M3 5h18v3H3zM10 12h4',
  back: 'M4 8v11h16V8M3 5h18v3H3zM12 17v-5m-3 2 3-3 3 3',
}

/** Creates the content of the element’s shadow root. `act` is called with the selected control and its item. */
export function createView(host, act) {
  const shadow = host.attachShadow({ mode: 'open' })
  shadow.adoptedStyleSheets = [style()]
  const badge = make('span', { className: 'badge', 'aria-hidden': 'true' })
  const bell = make('button', { type: 'button', className: 'bell', 'aria-expanded': 'false' }, icon(icons.bell), badge)
  const heading = make('h2', { id: 'heading' })
  const [readAll, archived, older] = ['readAll', 'archived', 'older'].map((word) =>
    make('button', { type: 'button', className: word, onclick: () => act(word) }),
  )
  const close = make(
    'button',
    { type: 'button', className: 'act close', onclick: () => act('close') },
    icon(icons.close),
  )
  const [list, none, live] = [make('ul'), make('div'), make('div', { className: 'unseen', role: 'status' })]
  const panel = make(
    'section',
    { className: 'panel', role: 'dialog', 'aria-labelledby': 'heading', tabIndex: -1 },
    make('header', {}, heading, close, readAll, archived),
    list,
    none,
    older,
  )
  bell.onclick = () => act('toggle')
  shadow.append(bell, panel, live)

  function row(item, words, language) {
    const what = make(item.url ? 'a' : 'div', { className: 'what', tabIndex: 0 })
    if (item.url) Object.assign(what, { href: item.url, target: '_top', rel: 'noopener' })
    else what.setAttribute('role', 'button')
    what.append(make('span', { className: 'title' }, item.title))
    if (item.body) what.append(make('span', { className: 'body' }, item.body))
    const at = new Date(item.created_at)
    what.append(
      make(
        'time',
        { dateTime: item.created_at },
        new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(at),
      ),
    )
    what.onclick = (event) => act('open', item, event)
    const button = (word, drawing, label) =>
      make(
        'button',
        {
          type: 'button',
          className: 'act',
          title: label,
          'aria-label': `${label}: ${item.title}`,
          onclick: () => act(word, item),
        },
        icon(drawing),
      )
    const line = make('li', { className: item.read_at ? '' : 'unread' }, what)
    line.dataset.id = item.id
    line.append(
      item.read_at ? button('unread', icons.unread, words.markUnread) : button('read', icons.read, words.read),
      item.archived_at
        ? button('unarchived', icons.back, words.unarchive)
        : button('archived', icons.archive, words.archive),
    )
    return line
  }

  function focused() {
    const line = shadow.activeElement?.closest('li')
    if (!line) return undefined
    return {
      id: line.dataset.id,
      at: [...list.children].indexOf(line),
      control: [...line.children].indexOf(shadow.activeElement),
    }
  }

  function frame({ feed, open, inline, words }) {
    const { unread } = feed.counts
    badge.textContent = unread > 99 ? '99+' : String(unread)
    badge.hidden = readAll.hidden = unread === 0
    bell.hidden = close.hidden = inline
    bell.setAttribute('aria-label', unread > 0 ? `${words.inbox}, ${words.unread(unread)}` : words.inbox)
    bell.setAttribute('aria-expanded', String(open))
    panel.hidden = !(open || inline)
    panel.setAttribute('role', inline ? 'region' : 'dialog')
    // The panel opens to the side with more space.
    const { left, right } = host.getBoundingClientRect()
    panel.classList.toggle('start', left + right < document.documentElement.clientWidth)
    close.setAttribute('aria-label', words.close)
    heading.textContent = words.inbox
    readAll.textContent = words.readAll
    archived.textContent = words.archived
    archived.setAttribute('aria-pressed', String(feed.archived))
    older.textContent = words.older
    older.hidden = feed.next === null
  }

  function note({ feed, words }) {
    const again = make('button', { type: 'button', onclick: () => act('retry') }, words.again)
    none.hidden = feed.items.length > 0 && !feed.failed
    none.className = feed.failed ? 'fault' : 'none'
    none.replaceChildren(...(feed.failed ? [words.failed, ' ', again] : feed.loaded ? [words.empty] : []))
  }

  return {
    bell,
    panel,
    say: (text) => live.replaceChildren(text),
    lines: () => [...list.children],
    active: () => shadow.activeElement,
    show(state) {
      frame(state)
      if (panel.hidden) return
      const { feed, words } = state
      const was = focused()
      list.replaceChildren(...feed.items.map((item) => row(item, words, words.language)))
      note(state)
      if (!was) return
      // If the focused item was archived, the item that replaces it gets the focus.
      const { id, at, control } = was
      const lines = [...list.children]
      const line = lines.find(({ dataset }) => dataset.id === id) ?? lines[Math.min(at, lines.length - 1)]
      const to = line?.children[control] ?? panel
      to.focus()
    },
  }
}
