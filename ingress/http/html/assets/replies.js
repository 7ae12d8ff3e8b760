// Canned replies in a reply box (`data-replies`): `/` and the start of a shortcut show a list of texts. Enter or Tab
// inserts the selected text, Escape closes the list. Nothing is sent.

const delayMs = 150

/** Returns the start and the text of a shortcut before the cursor. Undefined if there is none. */
function shortcutAt(field) {
  const before = field.value.slice(0, field.selectionEnd)
  const start = before.lastIndexOf('/')
  if (start < 0 || (start > 0 && !/\s/.test(before[start - 1]))) return undefined
  const word = before.slice(start + 1).toLowerCase()
  return /^[a-z0-9_-]{0,40}$/.test(word) ? { start, word } : undefined
}

async function find(address, word, signal) {
  const answer = await fetch(`${address}?${new URLSearchParams({ q: word })}`, { signal })
  if (!answer.ok) return []
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  return [...page.querySelectorAll('[data-reply]')].map((item) => ({
    text: item.dataset.reply,
    title: item.querySelector('a').textContent,
  }))
}

function start(form) {
  const field = form.querySelector('textarea')
  const list = Object.assign(document.createElement('ul'), { className: 'reply-list', id: 'reply-list', hidden: true })
  list.setAttribute('role', 'listbox')
  list.setAttribute('aria-label', 'Canned replies')
  field.after(list)
  field.setAttribute('aria-controls', list.id)
  field.setAttribute('aria-autocomplete', 'list')
  let found = []
  let chosen = 0
  let timer
  let asking = new AbortController()

  const close = () => {
    clearTimeout(timer)
    asking.abort()
    list.hidden = true
    field.removeAttribute('aria-activedescendant')
  }
  const choose = (index) => {
    chosen = (index + found.length) % found.length
    for (const [at, option] of [...list.children].entries()) option.setAttribute('aria-selected', String(at === chosen))
    field.setAttribute('aria-activedescendant', list.children[chosen].id)
    list.children[chosen].scrollIntoView({ block: 'nearest' })
  }
  const insert = (index) => {
    const at = shortcutAt(field)
    close()
    if (at) field.setRangeText(found[index].text, at.start, field.selectionEnd, 'end')
    field.focus()
  }
  const show = () => {
    list.replaceChildren(
      ...found.map(({ title, text }, index) => {
        const option = Object.assign(document.createElement('li'), { className: 'reply-option', id: `reply-${index}` })
        const name = Object.assign(document.createElement('strong'), { textContent: title })
        const words = Object.assign(document.createElement('span'), { className: 'quiet', textContent: text })
        option.setAttribute('role', 'option')
        option.append(name, ' ', words)
        option.addEventListener('mousedown', (event) => {
          event.preventDefault()
          insert(index)
        })
        return option
      }),
    )
    list.hidden = found.length === 0
    if (found.length > 0) choose(0)
  }
  const ask = async ({ word }) => {
    asking.abort()
    asking = new AbortController()
    const { signal } = asking
    const read = await find(form.dataset.replies, word, signal).catch(() => [])
    if (signal.aborted) return
    found = read
    show()
  }

  field.addEventListener('input', () => {
    const at = shortcutAt(field)
    clearTimeout(timer)
    if (!at) return close()
    timer = setTimeout(() => void ask(at), delayMs)
  })
  field.addEventListener('blur', close)
  field.addEventListener('keydown', (event) => {
    if (list.hidden || event.isComposing) return
    if (event.key === 'ArrowDown') choose(chosen + 1)
    else if (event.key === 'ArrowUp') choose(chosen - 1)
    else if (event.key === 'Enter' || event.key === 'Tab') insert(chosen)
    else if (event.key === 'Escape') close()
    else return
    event.preventDefault()
  })
}

export function replies() {
  for (const form of document.querySelectorAll('form[data-replies]')) start(form)
}
