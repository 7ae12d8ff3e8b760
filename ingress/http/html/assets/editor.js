// Shows a preview beside a form while the user types (`data-editor`). The form is sent to a frame, and to a panel of the
// page (`data-panel`). Without JavaScript, a button of the form updates the frame.
import { morph } from './morph.js'

const quietMs = 400

/** Sends the form to a new frame, which replaces the old one when it has loaded. A new frame adds no history entry. */
function showIn(form, old) {
  const fresh = /** @type {HTMLIFrameElement} */ (/** @type {unknown} */ (old.cloneNode()))
  fresh.removeAttribute('src')
  fresh.name = `preview-${Date.now()}`
  fresh.classList.add('loading')
  const stage = old.parentElement
  stage.append(fresh)
  let isSent = false
  fresh.addEventListener('load', () => {
    if (!isSent) return
    for (const other of [...stage.children]) if (other !== fresh) other.remove()
    fresh.classList.remove('loading')
  })
  isSent = true
  const [action, target] = [form.getAttribute('action'), form.getAttribute('target')]
  form.setAttribute('action', form.dataset.editor)
  form.setAttribute('target', fresh.name)
  HTMLFormElement.prototype.submit.call(form)
  for (const [name, before] of [
    ['action', action],
    ['target', target],
  ]) {
    if (before === null) form.removeAttribute(name)
    else form.setAttribute(name, before)
  }
}

/** Replaces a part of the page by the answer to the form. Fields that the user edits keep their values. */
export async function refresh(form, url, target, signal) {
  const answer = await fetch(url, {
    method: 'POST',
    body: new URLSearchParams(/** @type {any} */ (new FormData(form))),
    signal,
  })
  if (!answer.ok || answer.redirected) return
  const fresh = document.createElement('template')
  fresh.innerHTML = await answer.text()
  morph(target, fresh.content)
}

/** Calls `work` when the form has been still for a moment. Ends the earlier call. */
export function afterTyping(form, work) {
  let timer
  let running = new AbortController()
  const start = () => {
    running.abort()
    running = new AbortController()
    const { signal } = running
    Promise.resolve(work(signal)).catch(() => {})
  }
  const later = () => {
    clearTimeout(timer)
    timer = setTimeout(start, quietMs)
  }
  form.addEventListener('input', later)
  form.addEventListener('change', later)
  return later
}

export function editor() {
  for (const form of document.querySelectorAll('form[data-editor]')) {
    const start = afterTyping(form, async (signal) => {
      const frame = form.querySelector('iframe.letter:not(.loading)')
      if (frame) showIn(form, frame)
      const panel = form.querySelector('[data-fresh]')
      if (form.dataset.panel && panel) await refresh(form, form.dataset.panel, panel, signal)
    })
    start()
  }
}
