// Copies a text when the user selects a button. Without JavaScript, users can select the text.

const shownMs = 2_000

export function copy() {
  const show = () => {
    for (const button of document.querySelectorAll('[data-copy]')) button.hidden = false
  }
  show()
  // An update of a live region brings its buttons anew.
  document.addEventListener('fresh', show)
  document.addEventListener('click', async (event) => {
    const target = /** @type {PageElement} */ (event.target)
    const button = target.closest?.('[data-copy]')
    if (!button) return
    await navigator.clipboard.writeText(button.dataset.copy ?? '')
    const words = /** @type {Text} */ (button.firstChild)
    const before = words.data
    words.data = 'Copied'
    setTimeout(() => {
      words.data = before
    }, shownMs)
  })
}
