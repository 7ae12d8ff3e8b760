// Updates the preview beside a form while the member writes. The server renders the page of the form again, and the
// element `#preview` of the answer replaces the content of the shown one.
import { morph } from './morph.js'

const delayMs = 500

export function preview() {
  for (const form of document.querySelectorAll('form[data-preview]')) follow(form)
}

function follow(form) {
  const shown = document.getElementById('preview')
  let timer = 0
  /** @type {AbortController | undefined} */
  let asking

  async function update() {
    asking?.abort()
    const own = new AbortController()
    asking = own
    const fields = /** @type {any} */ (new FormData(/** @type {any} */ (form)))
    const body = new URLSearchParams(fields)
    body.set('do', 'preview')
    const answer = await fetch(location.pathname, { method: 'POST', body, signal: own.signal })
    if (!answer.ok || answer.redirected) return
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const fresh = page.getElementById('preview')
    if (fresh && asking === own) morph(shown, fresh)
  }

  form.addEventListener('input', () => {
    clearTimeout(timer)
    // A failed preview is repeated with the next key.
    timer = setTimeout(() => update().catch(() => {}), delayMs)
  })
}
