import { clock } from './controls.js'
import { cuesOf } from './cues.js'
import { addPanelStyle, buttonOf } from './panel-style.js'

const mostSegments = 600

/** Time in milliseconds for which the list does not follow after the viewer has moved it. */
const stillMs = 5000

/** Height in pixels of the shade above the controls. The panel covers it, but not the controls. */
const barShade = 40

const entities = { amp: '&', lt: '<', gt: '>', nbsp: ' ', lrm: '', rlm: '' }

/** Returns the text of a cue without tags. */
const plainOf = (text) =>
  text
    .replace(/<[^<>]*>/g, '')
    .replace(/&(amp|lt|gt|nbsp|lrm|rlm);/g, (_, name) => entities[name])
    .trim()

const folded = (text) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

async function textAt(url, signal) {
  const answer = await fetch(url, { signal })
  if (!answer.ok) throw new Error(`the server returned ${answer.status}`)
  return await answer.text()
}

/** Reads all cues of a track. The origin has a file without segments next to the playlist of its own captions. */
async function readCues(url, signal) {
  const whole = /\/captions_[A-Za-z0-9-]+\.m3u8$/.test(new URL(url).pathname) && url.replace('.m3u8', '.vtt')
  if (whole) return cuesOf(await textAt(whole, signal))
  const list = await textAt(url, signal)
  const segments = list.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'))
  const cues = new Map()
  // A cue at the border of two segments is in both.
  for (const segment of segments.slice(0, mostSegments))
    for (const cue of cuesOf(await textAt(new URL(segment.trim(), url), signal)))
      cues.set(`${cue.start} ${cue.text}`, cue)
  return [...cues.values()].sort((a, b) => a.start - b.start)
}

/** Creates the panel with the text of the captions. It follows the video. */
export function transcriptOf({ root, host, video, stage, signal }) {
  addPanelStyle(root)
  const button = root.getElementById('transcript')
  const panel = document.createElement('section')
  panel.className = 'panel'
  panel.hidden = true
  panel.setAttribute('aria-label', 'Transcript')
  panel.innerHTML =
    '<header><h3>Transcript</h3></header><input type="search" aria-label="Search the transcript" placeholder="Search"><p role="status" hidden></p><ol></ol>'
  panel.querySelector('header').append(buttonOf('Close', close))
  const [search, status, list] = ['input', 'p', 'ol'].map((name) => panel.querySelector(name))
  root.getElementById('player').append(panel)
  const bar = root.getElementById('bar')
  const resized = new ResizeObserver(() => {
    panel.style.bottom = `${Math.max(0, bar.offsetHeight - barShade)}px`
  })
  resized.observe(bar)
  signal.addEventListener('abort', () => resized.disconnect())
  let cues = []
  let shownUrl
  let current
  let movedAt = -stillMs

  const buttons = () => [...list.querySelectorAll('button')]
  const visible = () => buttons().filter((one) => !one.parentElement.hidden)

  function itemOf({ start, text }) {
    const item = document.createElement('li')
    const line = buttonOf('', () => {
      video.currentTime = start
      movedAt = -stillMs
      follow()
    })
    const [time, words] = [document.createElement('span'), document.createElement('span')]
    time.textContent = clock(start)
    words.textContent = plainOf(text)
    line.append(time, words)
    line.tabIndex = -1
    item.append(line)
    return item
  }
  function say(text) {
    status.textContent = text
    status.hidden = text === ''
  }
  async function load() {
    const texts = stage.playback.texts()
    const track = texts.find(({ chosen }) => chosen) ?? texts[0]
    if (!track || track.url === shownUrl) return
    shownUrl = track.url
    list.lang = track.language
    try {
      cues = await readCues(track.url, signal)
      if (shownUrl !== track.url) return
      list.replaceChildren(...cues.map(itemOf))
      current = undefined
      filter()
      follow()
    } catch ({ message }) {
      if (signal.aborted) return
      shownUrl = undefined
      list.replaceChildren()
      say('The transcript could not be loaded. Close it and try again.')
      console.warn(`mill-player: the transcript could not be loaded: ${message}`)
    }
  }
  function follow() {
    if (panel.hidden) return
    const index = cues.findLastIndex(({ start }) => start <= video.currentTime + 0.05)
    if (index === current) return
    current = index
    const all = buttons()
    all.forEach((one, i) => {
      if (i === index) one.setAttribute('aria-current', 'true')
      else one.removeAttribute('aria-current')
    })
    focusable(all[index] ?? all[0])
    const line = all[index]?.parentElement
    if (line && !line.hidden && performance.now() - movedAt > stillMs)
      list.scrollTop = line.offsetTop - list.offsetTop - list.clientHeight / 3
  }
  /** One line can be reached by the Tab key. The arrow keys move to the others. */
  function focusable(line) {
    for (const one of buttons()) one.tabIndex = one === line ? 0 : -1
  }
  function filter() {
    const wanted = folded(search.value.trim())
    let found = 0
    for (const [i, one] of buttons().entries()) {
      const fits = folded(plainOf(cues[i].text)).includes(wanted)
      one.parentElement.hidden = !fits
      if (fits) found++
    }
    say(wanted === '' ? '' : `${found} ${found === 1 ? 'match' : 'matches'}`)
    const shown = visible()
    focusable(shown.find((one) => one.ariaCurrent === 'true') ?? shown[0])
  }
  function open() {
    panel.hidden = false
    button.setAttribute('aria-expanded', 'true')
    current = undefined
    void load().then(follow)
  }
  function close() {
    panel.hidden = true
    button.setAttribute('aria-expanded', 'false')
    button.focus()
  }

  search.addEventListener('input', filter)
  for (const event of ['wheel', 'touchmove', 'keydown'])
    list.addEventListener(event, () => (movedAt = performance.now()), { passive: true })
  panel.addEventListener('keydown', (event) => {
    const shown = visible()
    const at = shown.indexOf(root.activeElement)
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: shown.length - 1 }[event.key]
    if (event.key === 'Escape') close()
    else if (to !== undefined && (at >= 0 || event.key === 'ArrowDown')) shown[to]?.focus()
    else return
    event.preventDefault()
  })
  button.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || panel.hidden) return
    close()
    event.preventDefault()
  })
  video.addEventListener('timeupdate', follow)
  video.addEventListener('seeked', follow)
  host.addEventListener('captions', () => !panel.hidden && void load(), { signal })
  return { open, toggle: () => (panel.hidden ? open() : close()) }
}
