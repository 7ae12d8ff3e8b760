// Turns the result of an action into a note that can be closed. Without JavaScript, it stays above the page.

export function notes() {
  for (const told of document.querySelectorAll('main > .told')) {
    const close = document.createElement('button')
    close.type = 'button'
    close.className = 'plain close'
    close.setAttribute('aria-label', 'Close')
    close.addEventListener('click', () => told.remove())
    told.append(close)
    told.classList.add('toast')
  }
}
