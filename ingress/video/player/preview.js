import { cuesOf } from './cues.js'

function read(text, base) {
  return cuesOf(text).flatMap(({ start, text }) => {
    const [sheet, box = ''] = text.split('#xywh=')
    const [x, y, width, height] = box.split(',').map(Number)
    return height > 0 ? [{ from: start, sheet: new URL(sheet, base).href, x, y, width, height }] : []
  })
}

/**
 * Sets up the preview in `root`. `chapterAt` returns the chapter at a time. `use` gets the URL of the track. A video
 * without images displays only times.
 */
export function preview({ root, video, chapterAt }, clock) {
  const [bar, seek, frame] = ['bar', 'seek', 'preview'].map((id) => root.getElementById(id))
  const [picture, chapter, time] = frame.children
  let track
  let loading
  let at

  /** Loads the track when the first image is needed. Viewers who never use the seek bar cause no request. */
  function load() {
    loading ??= fetch(track)
      .then(async (answer) => (answer.ok ? read(await answer.text(), answer.url) : []))
      .catch(() => [])
    return loading
  }
  async function show({ clientX }) {
    const { left, width } = seek.getBoundingClientRect()
    const share = Math.min(1, Math.max(0, (clientX - left) / width))
    if (!track || !Number.isFinite(video.duration)) return
    at = share * video.duration
    const pictures = await load()
    if (at === undefined) return
    paint(pictures.findLast(({ from }) => from <= at))
    chapter.textContent = chapterAt(at)?.title ?? ''
    time.textContent = clock(at)
    frame.hidden = false
    const half = frame.offsetWidth / 2
    const within = Math.min(bar.clientWidth - half - 4, Math.max(half + 4, clientX - bar.getBoundingClientRect().left))
    frame.style.left = `${within}px`
  }
  function paint(found) {
    picture.hidden = !found
    if (!found) return
    picture.style.width = `${found.width}px`
    picture.style.height = `${found.height}px`
    picture.style.backgroundImage = `url("${found.sheet}")`
    picture.style.backgroundPosition = `-${found.x}px -${found.y}px`
  }
  const hide = () => {
    at = undefined
    frame.hidden = true
  }
  seek.addEventListener('pointermove', (event) => void show(event))
  for (const event of ['pointerleave', 'pointerup', 'pointercancel']) seek.addEventListener(event, hide)
  return {
    use(url) {
      track = url
      loading = undefined
    },
  }
}
