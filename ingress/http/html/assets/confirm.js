// Shows a confirmation dialog. Its content is the web page that the link opens without JavaScript.

const dialog = document.getElementById('confirm')

async function ask(link) {
  const answer = await fetch(link.href, { headers: { accept: 'text/html' } })
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const question = page.getElementById('question')
  // The user is signed out or the object does not exist. The linked page shows the reason.
  if (!answer.ok || answer.redirected || !question) {
    location.assign(link.href)
    return
  }
  dialog.replaceChildren(question)
  question.querySelector('[data-back]')?.addEventListener('click', (event) => {
    event.preventDefault()
    dialog.close()
  })
  dialog.showModal()
}

export function confirm() {
  document.addEventListener('click', (event) => {
    const target = /** @type {PageElement} */ (event.target)
    const link = target.closest?.('a[data-confirm]')
    if (!link || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    ask(link).catch(() => location.assign(link.href))
  })
  // The second click of a double-click is ignored.
  document.addEventListener('submit', (event) => {
    const form = /** @type {PageElement} */ (event.target)
    if (form.dataset.sent) event.preventDefault()
    form.dataset.sent = 'yes'
  })
  addEventListener('pageshow', () => {
    for (const form of document.forms) delete form.dataset.sent
  })
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close())
}
