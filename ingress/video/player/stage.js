import { measure } from './beacon.js'
import { captionsStyle } from './captions-style.js'
import { chaptersOf } from './chapters.js'
import { clock, controls, inVideo } from './controls.js'
import { extrasOf } from './extras.js'
import { keysOf } from './keys.js'
import { lookOf } from './look.js'
import { optionOf, sourceOf, viewTokenOf } from './options.js'
import { parts } from './parts.js'
import { isSupported, playback } from './playback.js'
import { preview } from './preview.js'
import { sentences } from './sentences.js'
import { speedsOf } from './speeds.js'
import { style } from './style.js'
import { troubleIn } from './trouble.js'
import { unasked } from './unasked.js'

/**
 * Placeholder that is used while there is no source.
 *
 * @type {Partial<ReturnType<typeof playback>> & Omit<ReturnType<typeof playback>, 'place'>}
 */
const nothing = {
  chosen: () => ({ quality: 'auto', captions: null, sound: null }),
  duration: () => Number.NaN,
  isLive: () => false,
  toEdge: () => {},
  qualities: () => [],
  languages: () => [],
  texts: () => [],
  sounds: () => [],
  setQuality: () => {},
  setCaptions: () => {},
  setSound: () => {},
  toggleCaptions: () => {},
}

const finite = (seconds) => (Number.isFinite(seconds) ? seconds : null)

function pictureInPicture(root, video) {
  const button = root.getElementById('pip')
  button.hidden = !document.pictureInPictureEnabled
  const label = (text) => () => button.setAttribute('aria-label', text)
  video.addEventListener('enterpictureinpicture', label('Leave picture-in-picture'))
  video.addEventListener('leavepictureinpicture', label('Picture-in-picture'))
  button.addEventListener('click', () => {
    const change = root.pictureInPictureElement ? document.exitPictureInPicture() : video.requestPictureInPicture()
    change.catch(() => {})
  })
}

function tellOf(video, stage, say) {
  const at = () => ({ time: video.currentTime })
  const tell = (event, type, detail) => video.addEventListener(event, () => say(type, detail()))
  tell('play', 'play', at)
  tell('pause', 'pause', at)
  tell('ended', 'ended', at)
  tell('timeupdate', 'time', () => ({ ...at(), duration: finite(stage.playback.duration()) }))
  tell('volumechange', 'volume', () => ({ volume: video.volume, muted: video.muted }))
}

export function setStage(host, root) {
  const ending = new AbortController()
  const { signal } = ending
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(style)
  root.adoptedStyleSheets = [sheet]
  root.innerHTML = parts
  const video = root.getElementById('video')
  const source = sourceOf(host)
  const option = (name) => optionOf(host, name)
  const say = (type, detail) => void host.dispatchEvent(new CustomEvent(type, { detail }))
  const trouble = troubleIn(root)
  const change = lookOf({ root, video, source, option })
  const stage = { video, playback: nothing }
  const isLive = () => stage.playback.isLive()
  const speed = speedsOf({ root, video, option, isLive, say, signal })
  const chapters = chaptersOf({ root, video, signal })
  const bar = controls({ root, video, place: () => stage.playback.place?.() ?? inVideo(video), signal })
  const begin = unasked(root, video)
  pictureInPicture(root, video)

  Object.assign(stage, { setSpeed: speed.set, setChapters: chapters.set, state, press, change: changed, end })
  tellOf(video, stage, say)
  const extras = extrasOf({ root, host, video, source, option, stage, say, signal })
  const toggleCaptions = () => stage.playback.toggleCaptions()
  const act = keysOf(video, { ...bar, faster: speed.faster, toggleCaptions, help: extras.help })
  function press(event) {
    if (option('controls') && option('keys')) act(event)
  }
  host.addEventListener('keydown', press, { signal })

  function state() {
    const { currentTime: time, paused, ended, muted, volume, playbackRate } = video
    const { playback } = stage
    const offered = { qualities: playback.qualities(), languages: playback.languages(), sounds: playback.sounds() }
    return {
      time,
      duration: finite(playback.duration()),
      live: playback.isLive(),
      paused,
      ended,
      muted,
      volume,
      speed: playbackRate,
      ...playback.chosen(),
      ...offered,
    }
  }
  function changed(name) {
    if (name === 'chapters') loadChapters()
    else if (name === 'speeds') speed.show()
    else if (extras.names.includes(name)) extras.show()
    else change(name)
  }
  function loadChapters() {
    const url = option('chapters')
    if (url) void chapters.load(new URL(url, host.baseURI))
    else chapters.set([])
  }
  function end() {
    ending.abort()
    root.replaceChildren()
  }

  loadChapters()
  if (!source) {
    trouble.tell(sentences.not_found)
    return stage
  }
  if (!isSupported()) {
    root.getElementById('start').hidden = true
    video.controls = option('controls')
  }
  const view = measure({ video, source, token: viewTokenOf(host, source), signal })
  const pictures = preview({ root, video, chapterAt: chapters.at }, clock)
  const [start, wanted] = [option('start'), option('captions')]
  const openStyle = captionsStyle(root)
  stage.playback = playback({
    root,
    video,
    source,
    signal,
    view,
    trouble,
    pictures,
    chapters: (url) => void (option('chapters') || chapters.load(url)),
    style: openStyle,
    speed,
    say,
    start,
    wanted,
    remote: option('remote'),
    offered: extras.offer,
  })
  video.addEventListener('loadedmetadata', () => say('ready', state()))
  if (option('autoplay')) video.addEventListener('loadedmetadata', begin, { once: true })
  return stage
}
