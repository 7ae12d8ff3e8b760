export function make(name, facts = {}, ...children) {
  const node = Object.assign(document.createElement(name), facts)
  node.append(...children)
  return node
}

function onSubmit(form, send) {
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void send()
  })
  return form
}

/** Returns the form for the address of the reply. It is hidden at first. */
export function contactForm(send) {
  const email = make('input', { id: 'email', type: 'email', autocomplete: 'email', required: true, maxLength: 254 })
  const label = make('label', { htmlFor: 'email', textContent: 'Email address for the reply (optional)' })
  const form = make(
    'form',
    { className: 'contact', hidden: true },
    label,
    email,
    make('button', { textContent: 'Save' }),
  )
  return onSubmit(form, () => send(email.value))
}

/** Returns the form for a score from 1 to 5 and a comment. It is hidden at first. */
export function ratingForm(send) {
  const comment = make('textarea', { rows: 1, maxLength: 1000, placeholder: 'Comment (optional)' })
  comment.setAttribute('aria-label', 'Comment')
  const scores = [1, 2, 3, 4, 5].map((score) =>
    make('label', {}, make('input', { type: 'radio', name: 'score', value: score, required: true }), `${score}`),
  )
  const rating = make(
    'fieldset',
    { className: 'rate' },
    make('legend', { textContent: 'How was this conversation? 1 is very bad, 5 is very good.' }),
    make('span', { className: 'scores' }, ...scores),
    comment,
    make('button', { textContent: 'Send rating' }),
  )
  const form = make('form', { className: 'rating', hidden: true }, rating)
  return onSubmit(form, () => {
    const { value } = form.querySelector(':checked')
    return send({ score: Number(value), comment: comment.value.trim() || null })
  })
}
