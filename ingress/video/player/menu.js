let close = () => {}

/**
 * Sets up the menu with this ID in `root` until `signal` aborts. `pick` gets the index of the chosen entry. `more` adds
 * a last entry.
 *
 * @param {{ root: PageRoot, id: string, pick: (index: number) => void, more?: { name: string, open: () => void }, signal: AbortSignal }} options
 */
export function choose({ root, id, pick, more, signal }) {
  const button = root.getElementById(id)
  const menu = root.getElementById(`${id}-menu`)
  const name = button.getAttribute('aria-label')
  const items = () => [...menu.children]

  const open = (is) => {
    if (is) close()
    menu.hidden = !is
    button.setAttribute('aria-expanded', String(is))
    close = is ? () => open(false) : () => {}
    if (is) (items().find((item) => item.ariaChecked === 'true') ?? items()[0])?.focus()
  }
  button.addEventListener('click', () => open(menu.hidden))
  const leave = (event) => {
    if (!menu.hidden && !event.composedPath().includes(menu.parentElement)) open(false)
  }
  document.addEventListener('pointerdown', leave, { signal })
  menu.parentElement.addEventListener('focusout', ({ relatedTarget }) => {
    if (relatedTarget && !menu.parentElement.contains(/** @type {Node} */ (relatedTarget))) open(false)
  })
  menu.addEventListener('keydown', (event) => {
    const all = items()
    const at = all.indexOf(/** @type {any} */ (root.activeElement))
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key]
    if (event.key === 'Escape') {
      open(false)
      button.focus()
    } else if (to !== undefined) all.at(to % all.length)?.focus()
    else return
    event.preventDefault()
  })

  function itemFor({ name, index }, chosen) {
    const item = document.createElement('button')
    item.type = 'button'
    item.setAttribute('role', 'menuitemradio')
    item.setAttribute('aria-checked', String(index === chosen))
    item.textContent = name
    item.addEventListener('click', () => {
      open(false)
      button.focus()
      pick(index)
    })
    return item
  }

  function itemOfMore(more) {
    const item = document.createElement('button')
    item.type = 'button'
    item.setAttribute('role', 'menuitem')
    item.textContent = more.name
    item.addEventListener('click', () => {
      open(false)
      more.open()
    })
    return item
  }

  let shown = ''
  return {
    /** Lists the options as `{ name, index }`. Hides the button if there is nothing to choose. */
    offer(options, chosen) {
      const now = JSON.stringify([options, chosen])
      if (now === shown) return
      shown = now
      const focused = items().indexOf(/** @type {any} */ (root.activeElement))
      menu.replaceChildren(...options.map((option) => itemFor(option, chosen)), ...(more ? [itemOfMore(more)] : []))
      if (focused >= 0)
        items()
          .at(Math.min(focused, options.length - 1))
          ?.focus()
      menu.parentElement.hidden = options.length === 0
    },
    button,
    label(text) {
      button.firstElementChild.textContent = text
      button.setAttribute('aria-label', `${name}: ${text}`)
    },
  }
}
