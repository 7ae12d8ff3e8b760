import { clock } from './controls.js'
import { addPanelStyle, buttonOf } from './panel-style.js'

const key = 'mill-player.positions'
const mostKept = 100
const saveMs = 5000
const offerMs = 15_000

/** Returns the ID of the video in `source`, so that each token of a video has the same stored position. */
export function nameOf(source) {
  const { origin, pathname } = new URL(source)
  const [, kind, name] = /\/v1\/stream\/(play|open)\/([^/]+)\//.exec(pathname) ?? []
  if (kind === 'open') return name
  if (kind !== 'play') return origin + pathname
  try {
    const payload = name.split('.')[0].replaceAll('-', '+').replaceAll('_', '/')
    return JSON.parse(atob(payload)).aid ?? null
  } catch {
    return null
  }
}

function readAll() {
  try {
    const found = JSON.parse(localStorage.getItem(key) ?? '{}')
    const valid = ([, one]) => Array.isArray(one) && one.length === 2 && one.every(Number.isFinite)
    return new Map(Object.entries(found ?? {}).filter(valid))
  } catch {
    return new Map()
  }
}

/** Stores the newest positions. */
function writeAll(positions) {
  const newest = [...positions].sort(([, [, a]], [, [, b]]) => b - a).slice(0, mostKept)
  try {
    if (newest.length === 0) localStorage.removeItem(key)
    else localStorage.setItem(key, JSON.stringify(Object.fromEntries(newest)))
  } catch {
    // Without storage, playback starts at the beginning next time.
  }
}

/** Stores the position of the viewer in this browser, and offers it the next time. */
export function resumeOf({ root, video, source, option, stage, signal }) {
  const name = nameOf(source)
  if (name === null) return
  const entry = () => `${name} ${option('resume') ?? ''}`.trim()
  let savedAt = 0
  let chip

  function keep() {
    const { currentTime: at, duration } = video
    if (option('resume') === null || stage.playback.isLive() || !Number.isFinite(duration)) return
    const margin = Math.min(10, duration / 10)
    if (at < margin && !video.ended) return
    const positions = readAll()
    if (video.ended || at > duration - margin) positions.delete(entry())
    else positions.set(entry(), [Math.round(at * 10) / 10, Date.now()])
    writeAll(positions)
  }
  function close() {
    chip?.remove()
    chip = undefined
  }
  function go(seconds) {
    close()
    video.currentTime = seconds
    root.getElementById('play').focus({ preventScroll: true })
    video.play().catch(() => {})
  }
  function offer() {
    const at = readAll().get(entry())?.[0]
    if (chip || at === undefined || option('start') > 0 || stage.playback.isLive() || at >= video.duration) return
    addPanelStyle(root)
    chip = document.createElement('div')
    chip.id = 'resume'
    chip.setAttribute('role', 'group')
    chip.setAttribute('aria-label', 'Continue watching')
    const again = () => {
      const positions = readAll()
      positions.delete(entry())
      writeAll(positions)
      go(0)
    }
    chip.append(
      buttonOf(`Continue at ${clock(at)}`, () => go(at)),
      buttonOf('Start again', again),
    )
    root.getElementById('player').append(chip)
    video.addEventListener('play', () => setTimeout(close, offerMs), { once: true, signal })
  }

  if (video.readyState > 0) offer()
  else video.addEventListener('loadedmetadata', offer, { once: true, signal })
  video.addEventListener('timeupdate', () => {
    if (video.paused || performance.now() - savedAt < saveMs) return
    savedAt = performance.now()
    keep()
  })
  for (const event of ['pause', 'ended']) video.addEventListener(event, keep)
  addEventListener('pagehide', keep, { signal })
}
