// Uploads the files of forms (`data-upload`). The server starts the upload and returns its data in the response page.
// This module sends the bytes.
import { Pausing } from './pausing.js'
import { begin, canPause, megabytes, send } from './send-file.js'
import { Refused } from './transfer.js'
import { uploadAll } from './upload-list.js'

function showFaults(form, page, chosen) {
  const fresh = page.querySelector('form[data-upload]')
  const words = page.querySelector('.fault[role=alert]')?.textContent ?? page.querySelector('main p')?.textContent
  if (!fresh) return tellFault(form, words ?? 'The upload could not be started. Try again.')
  const place = fresh.querySelector('input[type=file]')
  if (place) place.replaceWith(chosen)
  form.replaceWith(fresh)
  tellFault(fresh, words)
  fresh.querySelector('[aria-invalid]')?.focus()
}

function tellFault(form, words) {
  const fault = form.querySelector('[data-fault]')
  fault.textContent = words
  fault.hidden = false
}

async function run(form) {
  const chosen = form.querySelector('input[type=file]')
  const [file] = chosen.files
  if (!file) return
  if (chosen.files.length > 1) return await uploadAll(form, [...chosen.files])
  const expected = Number(form.dataset.bytes ?? file.size)
  if (file.size !== expected) {
    return tellFault(
      form,
      `This upload needs a file of ${expected} bytes, but this file has ${file.size} bytes. Choose the same file.`,
    )
  }
  const button = form.querySelector('button')
  button.disabled = true
  const {
    session: text,
    page,
    signedOut,
  } = await begin(form, file).finally(() => {
    button.disabled = false
  })
  if (signedOut) return location.reload()
  if (!text) return showFaults(form, page, chosen)
  await transfer(form, file, JSON.parse(text))
}

/** Sends another form of the page, with the token of the upload form. */
function sendForm(form, { path, fields }) {
  const next = Object.assign(document.createElement('form'), { method: 'post', action: path, hidden: true })
  for (const [name, value] of Object.entries({ token: form.elements.token.value, ...fields }))
    next.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }))
  document.body.append(next)
  next.submit()
}

async function transfer(form, file, session) {
  const area = form.querySelector('.sending')
  const [bar, words, pause, stop] = ['progress', '[role=status]', '[data-do=pause]', '[data-do=stop]'].map((part) =>
    area.querySelector(part),
  )
  const leaving = (event) => event.preventDefault()
  for (const field of form.querySelectorAll('.field, .start')) field.hidden = true
  area.hidden = false
  addEventListener('beforeunload', leaving)
  let away = false
  let gone = 0
  const show = () => {
    bar.value = file.size === 0 ? 100 : Math.floor((gone / file.size) * 100)
    pause.textContent = pausing.isPaused ? 'Resume upload' : 'Pause upload'
    if (pausing.isPaused) words.textContent = `Paused at ${megabytes(gone)} of ${megabytes(file.size)}.`
    else
      words.textContent = away
        ? `Connection lost at ${megabytes(gone)}. The upload resumes when the connection is restored.`
        : `${megabytes(gone)} of ${megabytes(file.size)}`
  }
  const pausing = new Pausing(show)
  pause.hidden = !canPause(session)
  pause.addEventListener('click', () => pausing.toggle())
  stop.addEventListener('click', () => pausing.stop(), { once: true })
  const control = {
    waiting(now) {
      away = now
      show()
    },
    progress(bytes) {
      gone = bytes
      show()
    },
  }
  try {
    await pausing.run((signal) => send(file, session, { ...control, signal }))
    removeEventListener('beforeunload', leaving)
    if (session.then) sendForm(form, session.then)
    else location.assign(session.to)
  } catch (error) {
    pausing.stop()
    removeEventListener('beforeunload', leaving)
    area.hidden = true
    for (const field of form.querySelectorAll('.field, .start')) field.hidden = false
    if (error instanceof Refused) tellFault(form, error.message)
    else if (session.resume) location.assign(session.resume)
  }
}

export function upload() {
  document.addEventListener('submit', (event) => {
    const form = /** @type {PageElement} */ (event.target)
    if (form.dataset.upload === undefined) return
    event.preventDefault()
    delete form.dataset.sent
    form.querySelector('[data-fault]').hidden = true
    run(form).catch(() => tellFault(form, 'The server could not be reached. Try again.'))
  })
}
