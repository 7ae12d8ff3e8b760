// A conversation on a page (`data-chat`): Enter sends the message, and the newest message stays in view.

export function chat() {
  const form = document.querySelector('form[data-chat]')
  if (!form) return
  const field = form.querySelector('textarea')
  let height = 0
  // The list also updates when only times change. Then it keeps its scroll position.
  const showNewest = () => {
    const list = document.querySelector('.chat')
    if (list && list.scrollHeight > height) list.scrollTop = list.scrollHeight
    height = list?.scrollHeight ?? 0
  }
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    form.requestSubmit()
  })
  document.addEventListener('fresh', showNewest)
  showNewest()
  field.focus({ preventScroll: document.querySelector('.chat .asked') === null })
}
