// A conversation on a page (`data-chat`): Enter sends the message, and the newest message stays in view.

export function chat() {
  const form = document.querySelector('form[data-chat]')
  if (!form) return
  const field = form.querySelector('textarea')
  const showNewest = () => {
    const list = document.querySelector('.chat')
    if (list) list.scrollTop = list.scrollHeight
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
