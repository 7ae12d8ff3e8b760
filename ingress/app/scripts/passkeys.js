const { startAuthentication, startRegistration, browserSupportsWebAuthn } = globalThis.SimpleWebAuthnBrowser

const sentences = {
  NotAllowedError: 'The confirmation was cancelled or timed out. Try again.',
  InvalidStateError: 'This device already has a passkey for you.',
  SecurityError: 'Passkeys do not work at this URL. Open the dashboard at its configured URL.',
}

for (const form of document.querySelectorAll('form[data-passkey]')) {
  const [button, fault] = [form.querySelector('button'), form.querySelector('.fault')]
  const tell = (text) => {
    fault.textContent = text
    fault.hidden = false
  }
  if (!browserSupportsWebAuthn()) {
    tell('This browser does not support passkeys at this URL.')
    continue
  }
  button.disabled = false
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    fault.hidden = true
    button.disabled = true
    try {
      form.querySelector('[data-answer]').value = JSON.stringify(await answer(form))
      // A field with the name `submit` would hide the method of the form.
      HTMLFormElement.prototype.submit.call(form)
    } catch (error) {
      tell(sentences[error.name] ?? error.message)
      button.disabled = false
    }
  })
}

async function answer(form) {
  const way = form.dataset.passkey
  const body = new URLSearchParams()
  const token = form.querySelector('[name=token]')
  if (token) body.set('token', token.value)
  const response = await fetch(`/app/passkeys/${way}`, { method: 'POST', body })
  if (!response.ok) throw new Error('The page has expired. Reload it.')
  const optionsJSON = await response.json()
  return way === 'register' ? await startRegistration({ optionsJSON }) : await startAuthentication({ optionsJSON })
}

// Shows the confirmation as a dialog. Without JavaScript, it is at the start of the page.
const identity = document.getElementById('identity')
if (identity) {
  identity.close()
  identity.showModal()
  identity.querySelector('[data-close]')?.addEventListener('click', (event) => {
    if (!document.querySelector('main form:not(#identity form)')) return
    event.preventDefault()
    identity.close()
  })
}

// Continues a form after the identity provider’s page.
const rest = document.querySelector('form[data-continue]')
if (rest) HTMLFormElement.prototype.submit.call(rest)
