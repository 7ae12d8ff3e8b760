const section = document.querySelector('#selfie')
const state = document.querySelector('#state')
const [video, pose, start, file] = ['video', '#pose', '#start', '#photo'].map((name) => section?.querySelector(name))
const figure = video?.closest('figure')

/** Time in milliseconds for each turn of the head. */
const poseMs = 3_000
const [longestSide, quality] = [960, 0.85]
const mostRetries = 8

const words = {
  centre: 'Look straight into the camera',
  left: 'Turn your head to your left',
  right: 'Turn your head to your right',
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

class Refusal extends Error {
  constructor(answer, json) {
    super(json.error?.message ?? 'Something went wrong.')
    this.status = answer.status
    this.code = json.error?.code
    this.retryMs = 1_000 * Number(answer.headers.get('retry-after') ?? 3)
  }
}

async function post(path, body = {}) {
  const answer = await fetch(`${location.pathname}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const json = await answer.json().catch(() => ({}))
  if (!answer.ok) throw new Refusal(answer, json)
  return json
}

/** True if the same photos can be sent again: the server was busy, or a comparison was interrupted. */
const isPassing = ({ status, code }) =>
  status === 429 || status >= 500 || code === 'in_progress' || code === 'document_missing'

async function send(photos) {
  for (let tries = 0; ; tries++) {
    try {
      return await post('selfie', photos)
    } catch (error) {
      const passes = error instanceof TypeError || (error instanceof Refusal && isPassing(error))
      if (!passes || tries === mostRetries) throw error
      await pause(Math.min(15_000, error instanceof Refusal ? error.retryMs : 3_000))
    }
  }
}

/** Returns a JPEG in base64 of a video frame or an image. It is not mirrored. */
function photoOf(source, width, height) {
  const scale = Math.min(1, longestSide / Math.max(width, height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(width * scale)
  canvas.height = Math.round(height * scale)
  canvas.getContext('2d')?.drawImage(source, 0, 0, canvas.width, canvas.height)
  return canvas.toDataURL('image/jpeg', quality)
}

async function openCamera() {
  const wanted = { facingMode: 'user', width: { ideal: 1280 }, height: { ideal: 720 } }
  video.srcObject = await navigator.mediaDevices.getUserMedia({ video: wanted })
  await video.play()
  if (figure) figure.hidden = false
}

function closeCamera() {
  for (const track of video.srcObject?.getTracks() ?? []) track.stop()
  video.srcObject = null
  if (figure) figure.hidden = true
  pose.textContent = ''
  delete pose.dataset.pose
}

async function takeFrames(poses) {
  const frames = []
  for (const [i, one] of poses.entries()) {
    pose.dataset.pose = one
    pose.textContent = `${i + 1} of ${poses.length}: ${words[one]}`
    await pause(poseMs)
    frames.push(photoOf(video, video.videoWidth, video.videoHeight))
  }
  return frames
}

async function takeSelfie() {
  try {
    await openCamera()
  } catch {
    throw new Error('The camera is not available. Allow it, or open this link on a device with a camera.')
  }
  try {
    if (!('challenge' in section.dataset)) return { frames: await takeFrames(['centre']) }
    const { challenge, poses } = await post('challenges')
    return { challenge, frames: await takeFrames(poses) }
  } finally {
    closeCamera()
  }
}

async function readFile() {
  const image = await createImageBitmap(file.files[0])
  return { frames: [photoOf(image, image.width, image.height)] }
}

async function run(take) {
  start.disabled = true
  state.textContent = ''
  try {
    const photos = await take()
    state.textContent = 'Comparing …'
    const { outcome, message, attempts_left } = await send(photos)
    if (outcome === 'submitted') {
      state.textContent = ''
      section.hidden = true
      document.querySelector('#done').hidden = false
      return
    }
    state.textContent = `${message} Attempts left: ${attempts_left}.`
    start.textContent = 'Try again'
    if (attempts_left === 0) location.reload()
  } catch (error) {
    state.textContent = error instanceof TypeError ? 'The connection failed. Try again.' : error.message
    if (error instanceof Refusal && (error.code === 'wrong_step' || error.code === 'prompt_used')) location.reload()
  } finally {
    start.disabled = false
  }
}

start?.addEventListener('click', () => void run(takeSelfie))
file?.addEventListener('change', () => void run(readFile))
document.querySelector('#retake')?.addEventListener('click', () => {
  section.hidden = true
  document.querySelector('#document').hidden = false
})
