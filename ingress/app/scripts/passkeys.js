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
      form.elements.response.value = JSON.stringify(await answer(form))
      form.submit()
    } catch (error) {
      tell(sentences[error.name] ?? error.message)
      button.disabled = false
    }
  })
}

async function answer(form) {
  const way = form.dataset.passkey
  const body = new URLSearchParams()
  if (form.elements.token) body.set('token', form.elements.token.value)
  const response = await fetch(`/app/passkeys/${way}`, { method: 'POST', body })
  if (!response.ok) throw new Error('The page has expired. Reload it.')
  const optionsJSON = await response.json()
  return way === 'register' ? await startRegistration({ optionsJSON }) : await startAuthentication({ optionsJSON })
}
