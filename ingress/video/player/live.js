// Plays a broadcast. `Hls` is the library, which must already be loaded.
import { controls } from './controls.js'
import { keysOf } from './keys.js'
import { catchUp, inBroadcast, placeOf, showEdge } from './live-edge.js'
import { sentences } from './sentences.js'
import { troubleIn, whyRefused } from './trouble.js'
import { unasked } from './unasked.js'

const { tell, untell } = troubleIn(document)
const video = document.getElementById('video')
const token = /\/watch\/([^/]+)$/.exec(location.pathname)?.[1]
const source = new URL(`../play/${token}/index.m3u8`, location.href).href
const begin = unasked(document, video)
let hls
let timer
// False after the viewer has paused the broadcast.
let isWanted = true
// True after the viewer has seen the broadcast. Viewers then do not get the message that it has not started.
let wasThere = false

// Delay in milliseconds between attempts before a broadcast starts, and while its publisher is disconnected.
const againMs = 2000
const showMs = 500
const away = [404, 409, 502, 503]

function play() {
  clearTimeout(timer)
  hls?.destroy()
  hls = new Hls({
    workerPath: '/v1/stream/player/hls.worker.js',
    lowLatencyMode: true,
    // `catchUp` sets the rate instead. The library does not change the rate if less than a second is buffered, which is
    // always the case here.
    maxLiveSyncPlaybackRate: 1,
    backBufferLength: 30,
  })
  let recovered = 0
  hls.once(Hls.Events.MANIFEST_PARSED, () => isWanted && begin())
  hls.on(Hls.Events.LEVEL_LOADED, () => {
    untell()
    wasThere = true
    recovered = 0
  })
  hls.on(Hls.Events.ERROR, (_, error) => {
    if (error.response?.code === 403) return void end(error)
    if (!error.fatal) return
    if (error.type === Hls.ErrorTypes.MEDIA_ERROR && recovered++ < 2) return hls.recoverMediaError()
    // Also retries if there was no response, because the network may return while the broadcast continues.
    if (
      away.includes(error.response?.code ?? 0) ||
      (error.type === Hls.ErrorTypes.NETWORK_ERROR && !error.response?.code)
    )
      return wait()
    void end(error)
  })
  hls.loadSource(source)
  hls.attachMedia(video)
  window.player = hls
}

function wait() {
  leave()
  tell(wasThere ? sentences.broadcast_away : sentences.channel_not_live)
  timer = setTimeout(play, againMs)
}

function leave() {
  hls.destroy()
  hls = undefined
}

async function end(error) {
  leave()
  const { sentence, final } = await whyRefused(source, error)
  tell(sentence, final ? undefined : again)
}

function again() {
  untell()
  play()
  video.play().catch(() => {})
}

function toEdge() {
  if (hls?.liveSyncPosition) video.currentTime = hls.liveSyncPosition
  video.play().catch(() => {})
}

function playWithoutLibrary() {
  document.getElementById('start').hidden = true
  video.controls = true
  video.src = source
  video.addEventListener('error', () => tell(sentences.channel_not_live, () => location.reload()))
}

if (globalThis.Hls?.isSupported()) {
  video.addEventListener('play', () => {
    isWanted = true
  })
  video.addEventListener('pause', () => {
    isWanted = video.ended
  })
  const bar = controls({ root: document, video, place: () => inBroadcast(placeOf(hls, video)) })
  document.addEventListener('keydown', keysOf(video, { ...bar, toggleCaptions: () => {} }))
  document.getElementById('edge').addEventListener('click', toEdge)
  video.addEventListener('ended', () => tell(sentences.broadcast_over, again))
  video.addEventListener('timeupdate', () => catchUp(video, placeOf(hls, video)))
  // This is also called while the video is paused, because a paused video falls behind.
  setInterval(() => {
    showEdge(document, placeOf(hls, video))
    bar.showTime()
  }, showMs)
  play()
} else playWithoutLibrary()
