/** Hands in the chosen file: asks for a URL, PUTs the file to storage, and waits for the malware gate. */
const form = document.querySelector('#upload')
const state = document.querySelector('#state')

/** POSTs JSON below the page's own address; throws the sentence of a refusal. */
async function post(path, body) {
  const answer = await fetch(`${location.pathname}/${path}`, {
    method: 'POST',
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  const json = await answer.json().catch(() => ({}))
  if (!answer.ok) throw new Error(json.error?.message ?? 'Something went wrong.')
  return json
}

async function handIn(file) {
  state.textContent = 'Sending …'
  const facts = { filename: file.name, content_type: file.type, byte_size: file.size }
  const { upload_url, upload_headers } = await post('uploads', facts)
  const put = await fetch(upload_url, { method: 'PUT', headers: upload_headers, body: file })
  if (!put.ok) throw new Error('The file did not arrive.')
  state.textContent = 'Checking …'
  await post('complete')
}

form?.addEventListener('submit', async (event) => {
  event.preventDefault()
  const file = form.querySelector('#file').files[0]
  const button = form.querySelector('button')
  button.disabled = true
  try {
    await handIn(file)
    state.textContent = ''
    form.hidden = true
    document.querySelector('#done').hidden = false
  } catch (error) {
    state.textContent = error instanceof TypeError ? 'The connection failed. Try again.' : error.message
    button.disabled = false
  }
})
