// Renders the preview of a form while the user types, with the real renderer of the server. `data-preview` is the path of
// the preview. If it is empty, the page of the form renders it again, with the field `do=preview`.
import { morph } from './morph.js'

/** Delay in milliseconds after the last key. */
const restMs = 500

function watchForm(form) {
  const result = () => document.querySelector('[data-preview-result]')
  let [timer, edited, asked] = [0, '', 0]

  async function render() {
    const mine = ++asked
    const fields = new URLSearchParams(
      [...new FormData(form)].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
    )
    const path = form.dataset.preview
    if (path === '') fields.set('do', 'preview')
    else if (edited !== '') fields.set('shown', edited)
    result().setAttribute('aria-busy', 'true')
    const answer = await fetch(path || location.pathname, { method: 'POST', body: fields })
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const fresh = page.querySelector('[data-preview-result]')
    // A newer request is on its way, or the user is signed out.
    if (mine !== asked || !fresh || answer.redirected) return
    morph(result(), fresh)
    result().removeAttribute('aria-busy')
  }

  form.addEventListener('input', (event) => {
    const target = /** @type {PageElement} */ (event.target)
    edited = /_(\d+)$/.exec(target.name)?.[1] ?? edited
    clearTimeout(timer)
    timer = setTimeout(() => void render().catch(() => result().removeAttribute('aria-busy')), restMs)
  })
}

export function formPreview() {
  for (const form of document.querySelectorAll('form[data-preview]')) watchForm(form)
}
