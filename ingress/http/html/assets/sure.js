// Asks in a dialog before a form is sent (`data-sure`). Without JavaScript, the next page asks.

export function sure() {
  for (const form of document.querySelectorAll('form[data-sure]')) {
    const dialog = form.querySelector('dialog')
    form.addEventListener('submit', (event) => {
      const button = /** @type {SubmitEvent} */ (event).submitter
      if (button && button.getAttribute('name') === 'sure') return
      event.preventDefault()
      event.stopPropagation()
      dialog.showModal()
    })
    dialog.querySelector('[data-back]').addEventListener('click', () => dialog.close())
  }
}

/** Returns the bytes of a file as a `data:` URL in base64. */
const readDataUrl = (file) =>
  new Promise((resolve) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve(reader.result))
    reader.readAsDataURL(file)
  })

/** Fills in fields from links (`data-fill`) and from files (`data-read-into`). */
export function fill() {
  document.addEventListener('click', (event) => {
    const link = /** @type {PageElement} */ (event.target).closest?.('[data-fill]')
    if (!link) return
    event.preventDefault()
    const field = document.getElementById(link.dataset.fill ?? '')
    field.value = link.dataset.value ?? ''
    field.focus()
  })
  for (const hidden of document.querySelectorAll('[data-scripted]')) hidden.hidden = false
  for (const chooser of document.querySelectorAll('[data-read-into]')) {
    chooser.addEventListener('change', async () => {
      const [file] = chooser.files
      const read = chooser.dataset.base64 === undefined ? (given) => given.text() : readDataUrl
      if (file) document.getElementById(chooser.dataset.readInto ?? '').value = await read(file)
    })
  }
}
