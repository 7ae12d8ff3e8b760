// Copies a text when the user selects a button. Without JavaScript, users can select the text.

const shownMs = 2_000

/** Tells screen readers about a button that only has an icon. */
const told = document.createElement('p')
told.className = 'unseen'
told.setAttribute('role', 'status')

export function copy() {
  document.body.append(told)
  document.addEventListener('click', async (event) => {
    const target = /** @type {PageElement} */ (event.target)
    const button = target.closest?.('[data-copy]')
    if (!button) return
    await navigator.clipboard.writeText(button.dataset.copy ?? '')
    told.textContent = 'Copied'
    button.classList.add('copied')
    const words = button.firstChild instanceof Text ? button.firstChild : undefined
    const before = words?.data ?? ''
    if (words && before !== 'Copied') words.data = 'Copied'
    setTimeout(() => {
      told.textContent = ''
      button.classList.remove('copied')
      if (words && before !== 'Copied') words.data = before
    }, shownMs)
  })
}
