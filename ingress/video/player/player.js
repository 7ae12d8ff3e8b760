// Plays the master playlist beside this page. `Hls` comes from the library loaded before.
import { measure } from './beacon.js'
import { clock, controls } from './controls.js'
import { bindKeys } from './keys.js'
import { choose } from './menu.js'
import { preview } from './preview.js'
import { watchRight } from './right.js'
import { codeOf, tell, untell, whyRefused } from './trouble.js'

const video = document.getElementById('video')
const source = new URL('master.m3u8', location.href).href
const token =
  /\/play\/([^/]+)\/embed$/.exec(location.pathname)?.[1] ?? document.querySelector('meta[name=view]')?.content
const view = measure(video, token)
const quality = choose('quality', (level) => select(level < 0 ? 'nextLevel' : 'currentLevel', level))
const pictures = preview(video, clock)
const captions = choose('captions', (track) => select('subtitleTrack', track))
const right = watchRight(video, source, () => void end({}))
let hls
let isOver = false
let lastCaptions = 0

// Seconds: with the segment that is under way, at most a minute is ahead. The library's own 600 are as long as most films.
const aheadAtMost = 48

function select(property, index) {
  if (property === 'subtitleTrack' && index >= 0) lastCaptions = index
  hls[property] = index
  offer()
}

/** Fills the menus with what there is now, and says what is chosen. */
function offer() {
  const levels = hls.levels.map(({ height, width }, index) => ({ name: `${Math.min(height, width)}p`, index }))
  const now = levels[hls.currentLevel]?.name
  const auto = { name: now && hls.autoLevelEnabled ? `Auto (${now})` : 'Auto', index: -1 }
  const level = hls.manualLevel
  quality.offer(levels.length > 1 ? [auto, ...levels.toReversed()] : [], level)
  quality.label(hls.autoLevelEnabled ? 'Auto' : levels[level]?.name)
  const tracks = hls.subtitleTracks.map(({ name, lang }, index) => ({ name: name || lang || 'On', index }))
  captions.offer(tracks.length > 0 ? [{ name: 'Off', index: -1 }, ...tracks] : [], hls.subtitleTrack)
}

function play(at = 0) {
  hls?.destroy()
  isOver = false
  hls = new Hls({
    workerPath: '/v1/stream/player/hls.worker.js',
    capLevelToPlayerSize: true,
    startPosition: at || -1,
    maxMaxBufferLength: aheadAtMost,
  })
  let recovered = 0
  hls.on(Hls.Events.ERROR, (_, error) => {
    if (error.fatal && error.type === Hls.ErrorTypes.MEDIA_ERROR && recovered++ < 2) {
      view.error('decode', false)
      return hls.recoverMediaError()
    }
    if (error.fatal) return void end(error)
    view.error(codeOf(error), false)
    // With much ahead the library would look for another rendition first.
    if (error.response?.code === 401 || error.response?.code === 403) void right.ask()
  })
  hls.on(Hls.Events.FRAG_LOADING, right.asked)
  hls.on(Hls.Events.MANIFEST_LOADED, (_, { url, sessionData }) => {
    const { VALUE: file } = sessionData?.['millrace.thumbnails'] ?? {}
    pictures.use(file && new URL(file, url).href)
  })
  hls.once(Hls.Events.MANIFEST_PARSED, () => {
    hls.subtitleTrack = -1
  })
  for (const event of ['MANIFEST_PARSED', 'LEVELS_UPDATED', 'SUBTITLE_TRACKS_UPDATED', 'SUBTITLE_TRACK_SWITCH']) {
    hls.on(Hls.Events[event], offer)
  }
  hls.on(Hls.Events.LEVEL_SWITCHED, (_, { level }) => {
    view.level(level, hls.levels[level].bitrate)
    offer()
  })
  hls.loadSource(source)
  hls.attachMedia(video)
  window.player = hls
}

/** Tells why it cannot go on; what may pass by itself can be tried again. */
async function end(error) {
  if (isOver) return
  isOver = true
  const { currentTime: at, paused } = video
  if (hls) hls.destroy()
  else {
    video.removeAttribute('src')
    video.load()
  }
  const why = await whyRefused(source, error)
  view.error(why.beacon, true)
  const again = () => {
    untell()
    play(at)
    if (!paused) video.play().catch(() => {})
  }
  tell(why.sentence, why.final || !hls ? undefined : again)
}

function playWithoutLibrary() {
  document.getElementById('start').hidden = true
  video.controls = true
  video.src = source
  video.addEventListener('error', () => void end({}))
}

// The library first, also where the browser plays HLS itself: it tells errors and switches quality alike everywhere.
if (globalThis.Hls?.isSupported()) {
  const bar = controls(video)
  const toggleCaptions = () => {
    if (hls.subtitleTracks.length > 0) select('subtitleTrack', hls.subtitleTrack === -1 ? lastCaptions : -1)
  }
  bindKeys(video, { ...bar, toggleCaptions })
  play()
} else playWithoutLibrary()
