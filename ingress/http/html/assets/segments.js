// Rows of conditions: adds and removes rows without loading the page, offers the operators of the chosen field, and
// counts the matching contacts. Without JavaScript, the same buttons send the form.
import { afterTyping, refresh } from './editor.js'

/** Hides the operators that the field of a row does not have. */
function offerOperators(form) {
  for (const row of form.querySelectorAll('.condition')) {
    const field = row.querySelector('[name="field"]').value
    const operator = row.querySelector('[name="op"]')
    const options = [.../** @type {any} */ (operator).options]
    for (const option of options) {
      option.hidden = !option.dataset.of.split(' ').includes(field)
      option.disabled = option.hidden
    }
    const chosen = options.find(({ value }) => value === operator.value)
    if (!chosen || chosen.hidden) operator.value = options.find(({ hidden }) => !hidden).value
  }
}

async function change(form, button) {
  const body = new URLSearchParams(/** @type {any} */ (new FormData(form)))
  body.set('what', button.value)
  const answer = await fetch(location.href, { method: 'POST', body })
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const fresh = page.querySelector('form[data-count]')
  if (!answer.ok || !fresh) throw new Error(`The page answered ${answer.status}.`)
  form.replaceChildren(...fresh.childNodes)
}

export function segments() {
  for (const form of document.querySelectorAll('form[data-count]')) {
    const count = afterTyping(form, (signal) =>
      refresh(form, form.dataset.count, form.querySelector('[data-fresh]'), signal),
    )
    offerOperators(form)
    form.addEventListener('change', () => offerOperators(form))
    form.addEventListener('submit', (event) => {
      const button = /** @type {SubmitEvent} */ (event).submitter
      const value = button instanceof HTMLButtonElement ? button.value : 'save'
      if (value === 'save' || value === 'count') return
      event.preventDefault()
      event.stopPropagation()
      change(form, button).then(
        () => {
          offerOperators(form)
          count()
          const rows = form.querySelectorAll('.condition [name="field"]')
          rows[rows.length - 1]?.focus()
        },
        () => location.reload(),
      )
    })
    count()
  }
}
