import { publish } from './whip.js'

/** Delays in milliseconds: between level readings, before a retry, and for a connection to recover. */
const [lookMs, againMs, lostMs] = [100, 2000, 5000]

export function studio() {
  const place = document.querySelector('[data-studio]')
  if (place) run(place)
}

function run(place) {
  const form = place.querySelector('form')
  const video = place.querySelector('video')
  const told = place.querySelector('[role=status]')
  const { key, source, camera, microphone, preview, start, stop } = form.elements
  const level = form.querySelector('meter')
  /** @type {Record<'video' | 'audio', MediaStreamTrack | undefined>} */
  const tracks = { video: undefined, audio: undefined }
  /** @type {Awaited<ReturnType<typeof publish>> | undefined} */
  let live
  /** @type {AudioContext | undefined} */
  let context
  let [wanted, since, timer] = [false, 0, 0]

  const tell = (text) => {
    told.hidden = text === ''
    told.textContent = text
  }

  const listen = (track) => {
    context?.close()
    context = undefined
    level.value = 0
    if (!track) return
    context = new AudioContext()
    const analyser = context.createAnalyser()
    context.createMediaStreamSource(new MediaStream([track])).connect(analyser)
    const samples = new Float32Array(analyser.fftSize)
    const own = context
    const look = setInterval(() => {
      if (context !== own) return clearInterval(look)
      analyser.getFloatTimeDomainData(samples)
      level.value = Math.max(...samples.map(Math.abs))
    }, lookMs)
  }

  const capture = async () => {
    const { mediaDevices } = navigator
    if (!mediaDevices) throw new Error('Browsers allow camera access only for https and localhost pages.')
    const exact = ({ value }) => (value ? { deviceId: { exact: value } } : {})
    const size = { width: { ideal: 1280 }, height: { ideal: 720 }, frameRate: { ideal: 30, max: 30 } }
    const shown =
      source.value === 'screen'
        ? await mediaDevices.getDisplayMedia({ video: size })
        : await mediaDevices.getUserMedia({ video: { ...size, ...exact(camera) } })
    tracks.video?.stop()
    tracks.video = shown.getVideoTracks()[0]
    tracks.video.addEventListener('ended', () => wanted && finish('The video source ended, so the broadcast ended.'))
    video.srcObject = new MediaStream([tracks.video])
    tracks.audio?.stop()
    tracks.audio = undefined
    if (microphone.value !== 'none') {
      const heard = await mediaDevices.getUserMedia({ audio: exact(microphone) })
      tracks.audio = heard.getAudioTracks()[0]
    }
    listen(tracks.audio)
    await choices()
  }

  const choices = async () => {
    const found = await navigator.mediaDevices.enumerateDevices()
    for (const [select, kind] of [
      [camera, 'videoinput'],
      [microphone, 'audioinput'],
    ]) {
      const known = new Set([...select.options].map(({ value }) => value))
      for (const { deviceId, label } of found.filter((one) => one.kind === kind && one.deviceId))
        if (!known.has(deviceId)) select.add(new Option(label, deviceId))
    }
  }

  const show = () => {
    start.hidden = wanted
    stop.hidden = !wanted
    for (const one of [key, microphone]) one.disabled = wanted
  }

  const finish = (text) => {
    wanted = false
    clearTimeout(timer)
    live?.end()
    live = undefined
    show()
    tell(text)
  }

  const changed = (state) => {
    clearTimeout(timer)
    if (!wanted) return
    if (state === 'connected') {
      since ||= Date.now()
      tell('You are live. Viewers can see your video.')
    } else if (state === 'failed' || state === 'closed') again()
    else if (state === 'disconnected') timer = setTimeout(again, lostMs)
  }

  const again = () => {
    live?.end()
    live = undefined
    tell('Connection lost. Reconnecting.')
    timer = setTimeout(connect, againMs)
  }

  const connect = async () => {
    try {
      const opened = await publish({ url: place.dataset.studio, key: key.value.trim(), ...tracks, changed })
      if (wanted) live = opened
      else opened.end()
    } catch (error) {
      // The stream key can be in use for a moment after a failure, so the connection is retried.
      if (!since || error.isFinal) finish(error.message)
      else again()
    }
  }

  preview.addEventListener('click', () => capture().catch((error) => tell(error.message)))
  for (const select of [source, camera])
    select.addEventListener('change', async () => {
      if (!tracks.video) return
      try {
        await capture()
        await live?.replace(tracks.video)
      } catch (error) {
        tell(error.message)
      }
    })
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (wanted) return
    wanted = true
    since = 0
    show()
    tell('Connecting …')
    try {
      if (tracks.video?.readyState !== 'live') await capture()
      await connect()
    } catch (error) {
      finish(error.message)
    }
  })
  stop.addEventListener('click', () => finish('The broadcast ended.'))
  addEventListener('pagehide', () => live?.end())
}
