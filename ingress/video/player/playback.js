import { broadcastOf } from './broadcast.js'
import Hls from './hls.js'
import { choose } from './menu.js'
import { isBroadcast } from './options.js'
import { offerAirPlay } from './remote.js'
import { watchRight } from './right.js'
import { sentences } from './sentences.js'
import { tracksOf } from './tracks.js'
import { codeOf, whyRefused } from './trouble.js'

// Maximum length of the buffer in seconds. With the current segment, up to a minute is buffered. The library's default
// of 600 would buffer most videos completely.
const aheadAtMost = 48

// A worker must come from the page's own host. Decoding without a worker still needs little work.
const worker = new URL('./hls.worker.js', import.meta.url)
const workers = worker.origin === location.origin ? { workerPath: worker.href } : { enableWorker: false }

/** Events after which the menus are filled again. */
const offering = [
  ...['MANIFEST_PARSED', 'LEVELS_UPDATED', 'SUBTITLE_TRACKS_UPDATED', 'SUBTITLE_TRACK_SWITCH'],
  ...['AUDIO_TRACKS_UPDATED', 'AUDIO_TRACK_SWITCHING'],
]

const heightOf = ({ height, width }) => Math.min(height, width)

/** True if the library can play videos here. Browsers without Media Source Extensions play HLS natively. */
export const isSupported = () => Hls.isSupported()

/**
 * Plays `source` and fills the menus in `root` until `signal` aborts. `say` gets the viewer's choices and errors, and
 * `pictures` gets the URL of the preview images, and `chapters` that of the video's chapters.
 */
export function playback({
  root,
  video,
  source,
  signal,
  view,
  trouble,
  pictures,
  chapters,
  style,
  speed,
  say,
  start,
  wanted,
  remote,
  offered,
}) {
  const quality = choose({
    root,
    id: 'quality',
    pick: (level) => select(level < 0 ? 'nextLevel' : 'currentLevel', level),
    signal,
  })
  const right = watchRight({ video, source, signal }, () => void end({}))
  let hls
  let length = Number.NaN
  let isOver = false
  let isAway = false
  let told
  const library = () => (isOver ? undefined : hls)
  const untold = (act) => () => {
    trouble.untell()
    act()
  }
  const over = () => trouble.tell(sentences.broadcast_over, untold(replay))
  const broadcast = broadcastOf({ root, video, library, over, signal })
  const tracks = tracksOf({ root, library, style, wanted, changed: offer, signal })

  function select(property, index) {
    hls[property] = index
    offer()
  }
  const levels = () => hls?.levels ?? []
  const chosen = () => ({
    quality: !hls || hls.autoLevelEnabled ? 'auto' : heightOf(levels()[hls.manualLevel]),
    ...tracks.chosen(),
  })

  function offerSizes() {
    const sizes = levels().map((level, index) => ({ name: `${heightOf(level)}p`, index }))
    const now = sizes[hls.currentLevel]?.name
    const auto = { name: now && hls.autoLevelEnabled ? `Auto (${now})` : 'Auto', index: -1 }
    const level = hls.manualLevel
    quality.offer(sizes.length > 1 ? [auto, ...sizes.toReversed()] : [], level)
    quality.label(hls.autoLevelEnabled ? 'Auto' : sizes[level]?.name)
  }

  function offer() {
    offerSizes()
    tracks.offer()
    const now = chosen()
    if (told && told.quality !== now.quality) say('quality', { quality: now.quality })
    if (told && told.captions !== now.captions) say('captions', { language: now.captions })
    if (told?.sound && now.sound && told.sound !== now.sound) say('sound', { sound: now.sound })
    told = now
    offered()
  }

  function play(at) {
    hls?.destroy()
    isOver = false
    hls = new Hls({ ...workers, capLevelToPlayerSize: true, startPosition: at || -1, maxMaxBufferLength: aheadAtMost })
    let recovered = 0
    hls.on(Hls.Events.ERROR, (_, error) => {
      if (error.fatal && error.type === Hls.ErrorTypes.MEDIA_ERROR && recovered++ < 2) {
        view.error('decode', false)
        return hls.recoverMediaError()
      }
      if (error.fatal) return void end(error)
      view.error(codeOf(error), false)
      // If much is buffered, the library would first try another rendition.
      if (error.response?.code === 401 || error.response?.code === 403) void right.ask()
    })
    hls.on(Hls.Events.FRAG_LOADING, right.asked)
    hls.on(Hls.Events.LEVEL_LOADED, (_, { details }) => {
      length = details.live ? Infinity : details.totalduration
      broadcast.loaded(details)
      if (broadcast.isLive()) speed.show()
      if (isAway) trouble.untell()
      isAway = false
    })
    hls.on(Hls.Events.MANIFEST_LOADED, (_, { url, sessionData }) => {
      const file = sessionData?.['millrace.thumbnails']?.VALUE
      if (!isBroadcast(url)) pictures.use(new URL(file ?? 'storyboard.vtt', url).href)
      const marks = sessionData?.['millrace.chapters']?.VALUE
      if (marks) chapters(new URL(marks, url).href)
    })
    hls.once(Hls.Events.MANIFEST_PARSED, () => {
      hls.subtitleTrack = -1
    })
    for (const event of offering) hls.on(Hls.Events[event], offer)
    // The library selects a track itself after this event, so the selection is applied later.
    hls.on(Hls.Events.SUBTITLE_TRACKS_UPDATED, () => queueMicrotask(tracks.showWanted))
    hls.on(Hls.Events.LEVEL_SWITCHED, (_, { level }) => {
      view.level(level, hls.levels[level].bitrate)
      offer()
    })
    hls.loadSource(source)
    hls.attachMedia(video)
    if (remote) offerAirPlay(video, source)
  }

  function replay() {
    play()
    video.play().catch(() => {})
  }

  function leave() {
    hls?.destroy()
    video.removeAttribute('src')
    video.load()
  }

  async function end(error) {
    if (isOver || signal.aborted) return
    isOver = true
    const { currentTime: at, paused } = video
    if (hls) hls.destroy()
    else leave()
    const why = await whyRefused(source, error)
    if (signal.aborted) return
    const again = () => {
      play(broadcast.isLive() ? undefined : at)
      if (!paused) video.play().catch(() => {})
    }
    const wasAway = isAway
    isAway = Boolean(hls) && (why.isAway || (broadcast.isLive() && !why.final))
    if (isAway) broadcast.wait(again)
    if (isAway && wasAway) return
    view.error(why.beacon, true)
    const sentence = broadcast.words(why.sentence, isAway)
    trouble.tell(sentence, why.final || isAway || !hls ? undefined : untold(again))
    say('error', { code: why.beacon, message: sentence })
  }

  // The library is used even if the browser can play HLS itself, because errors and quality changes then work the same
  // in every browser.
  if (isSupported()) play(start)
  else {
    video.src = start ? `${source}#t=${start}` : source
    video.addEventListener('error', () => void end({}))
  }
  signal.addEventListener('abort', leave)

  return {
    chosen,
    isLive: broadcast.isLive,
    place: broadcast.place,
    toEdge: broadcast.toEdge,
    // The duration comes from the playlist. The browser's value grows at the last segment, because frames arrive out of
    // order.
    duration: () => (hls ? length : video.duration),
    qualities: () => [...new Set(levels().map(heightOf))],
    languages: tracks.languages,
    texts: tracks.texts,
    sounds: tracks.sounds,
    setQuality(size) {
      if (size === 'auto') hls && select('nextLevel', -1)
      else
        select(
          'currentLevel',
          levels().findLastIndex((level) => heightOf(level) === size),
        )
    },
    setCaptions: tracks.setCaptions,
    setSound: tracks.setSound,
    toggleCaptions: tracks.toggleCaptions,
  }
}
