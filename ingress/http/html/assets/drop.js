// Closes an open menu of the header when the user selects something else or presses Escape.

export function drop() {
  const opened = () => [...document.querySelectorAll('details.drop[open]')]
  document.addEventListener('click', (event) => {
    const target = /** @type {Node} */ (event.target)
    for (const menu of opened()) if (!menu.contains(target)) menu.open = false
  })
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return
    for (const menu of opened()) {
      menu.open = false
      menu.querySelector('summary').focus()
    }
  })
}
