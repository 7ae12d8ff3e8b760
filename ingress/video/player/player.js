// Plays the master playlist beside this page. `Hls` comes from the library loaded before.
const video = document.getElementById('video')
const trouble = document.getElementById('trouble')
const source = new URL('master.m3u8', location.href).href

const sentences = {
  403: 'This link is not valid any more.',
  404: 'This video is not here.',
  409: 'This video is not ready yet.',
  429: 'Too many requests. Please try again in a moment.',
}

function tell(status) {
  trouble.textContent = sentences[status] ?? 'The video cannot be played right now.'
  trouble.hidden = false
}

function playWithLibrary() {
  const player = new Hls({ workerPath: '/v1/stream/player/hls.worker.js', capLevelToPlayerSize: true })
  let recovered = 0
  player.on(Hls.Events.ERROR, (_, error) => {
    if (!error.fatal) return
    if (error.type === Hls.ErrorTypes.MEDIA_ERROR && recovered++ < 2) return player.recoverMediaError()
    tell(error.response?.code)
    player.destroy()
  })
  player.loadSource(source)
  player.attachMedia(video)
  window.player = player
}

// The library first, also where the browser plays HLS itself: it tells errors and switches quality alike everywhere.
if (globalThis.Hls?.isSupported()) playWithLibrary()
else {
  video.src = source
  video.addEventListener('error', () => tell())
}
