// Reads a chosen file into the text area of its form (`data-text-of`), so that small files need no upload.

const mostBytes = 20_000

/** Key ID in the name of a key file from Apple. */
const keyId = /^AuthKey_([A-Z0-9]{10})\.p8$/

async function take(input) {
  const [file] = input.files
  const form = input.form
  const told = form.querySelector(`[data-file-read="${input.dataset.textOf}"]`)
  const area = form.elements[input.dataset.textOf]
  area.value = ''
  told.textContent = ''
  if (!file) return
  if (file.size > mostBytes) {
    input.value = ''
    told.textContent = `${file.name} is too large. The file must have at most ${mostBytes} bytes.`
    return
  }
  area.value = await file.text()
  told.textContent = `${file.name} is ready. Your browser sends it with the form.`
  const [, id] = keyId.exec(file.name) ?? []
  if (id && form.elements.key_id && form.elements.key_id.value === '') form.elements.key_id.value = id
}

export function fileText() {
  for (const place of document.querySelectorAll('[data-paste]')) place.open = false
  for (const input of document.querySelectorAll('[data-text-of]'))
    input.addEventListener('change', () => void take(input))
}
