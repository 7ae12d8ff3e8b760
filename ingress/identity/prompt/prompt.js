const form = document.querySelector('#upload')
const state = document.querySelector('#state')
const anyway = document.querySelector('#anyway')
const send = form?.querySelector('button:not([type])')
const file = form?.querySelector('#file')

let taken

class Refusal extends Error {
  constructor(status, message) {
    super(message)
    this.status = status
  }
}

/** Returns the message about the document. Returns an empty string if the reader is busy. */
async function readDocument() {
  try {
    return await post('read')
  } catch (error) {
    if (error instanceof Refusal && (error.status >= 500 || error.status === 429)) return { outcome: 'not_read' }
    throw error
  }
}

/** Sends JSON to a path below the page. Throws the message of an error response. */
async function post(path, body) {
  const answer = await fetch(`${location.pathname}/${path}`, {
    method: 'POST',
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  const json = await answer.json().catch(() => ({}))
  if (!answer.ok) throw new Refusal(answer.status, json.error?.message ?? 'Something went wrong.')
  return json
}

async function upload(given) {
  state.textContent = 'Sending …'
  const facts = { filename: given.name, content_type: given.type, byte_size: given.size }
  const { upload_url, upload_headers } = await post('uploads', facts)
  const put = await fetch(upload_url, { method: 'PUT', headers: upload_headers, body: given })
  if (!put.ok) throw new Error('The upload failed.')
  state.textContent = 'Checking …'
}

async function handIn() {
  state.textContent = 'Checking …'
  const { status } = await post('complete')
  if (status === 'selfie_needed') {
    location.reload()
    return
  }
  state.textContent = ''
  form.hidden = true
  anyway.hidden = true
  document.querySelector('#done').hidden = false
}

async function busy(work) {
  for (const button of [send, anyway]) button.disabled = true
  try {
    await work()
  } catch (error) {
    state.textContent = error instanceof TypeError ? 'The connection failed. Try again.' : error.message
  } finally {
    for (const button of [send, anyway]) button.disabled = false
  }
}

form?.addEventListener('submit', (event) => {
  event.preventDefault()
  anyway.hidden = true
  void busy(async () => {
    await upload(taken ?? file.files[0])
    if ('reads' in form.dataset) {
      const { outcome, message } = await readDocument()
      if (outcome === 'try_again') {
        state.textContent = message
        anyway.hidden = false
        return
      }
    }
    await handIn()
  })
})
anyway?.addEventListener('click', () => void busy(handIn))

const camera = form?.querySelector('#camera')
const [open, shoot] = ['#open', '#shoot'].map((id) => form?.querySelector(id))
const [figure, video, canvas] = ['figure', 'video', 'canvas'].map((name) => form?.querySelector(name))

async function openCamera() {
  const facingMode = form.dataset.facing
  try {
    const wanted = { facingMode, width: { ideal: 1920 }, height: { ideal: 1080 } }
    video.srcObject = await navigator.mediaDevices.getUserMedia({ video: wanted })
    await video.play()
  } catch {
    state.textContent = 'The camera is not available. Choose a file instead.'
    return
  }
  forget()
  canvas.hidden = true
  for (const shown of [figure, video, shoot]) shown.hidden = false
  open.hidden = true
  shoot.focus()
}

function closeCamera() {
  for (const track of video.srcObject?.getTracks() ?? []) track.stop()
  video.srcObject = null
  for (const gone of [video, shoot]) gone.hidden = true
  open.hidden = false
}

async function takePicture() {
  canvas.width = video.videoWidth
  canvas.height = video.videoHeight
  canvas.getContext('2d').drawImage(video, 0, 0)
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', 0.92))
  taken = new File([blob], 'camera.jpg', { type: 'image/jpeg' })
  file.required = false
  closeCamera()
  canvas.hidden = false
  open.textContent = 'Take another photo'
  state.textContent = ''
  send.focus()
}

function forget() {
  taken = undefined
  anyway.hidden = true
  file.required = true
}

if (camera && navigator.mediaDevices) camera.hidden = false
open?.addEventListener('click', openCamera)
shoot?.addEventListener('click', takePicture)
file?.addEventListener('change', () => {
  forget()
  closeCamera()
  figure.hidden = true
})
