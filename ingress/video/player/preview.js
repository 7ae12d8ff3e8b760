// The picture above the seek bar for where its viewer points, out of the sheets that a WebVTT track names.
// linear enough: at most 2,000 characters, which are looked at from each beginning
const cue = /([\d:.]{1,20}) --> [\d:.]{1,20}\n([^\s#]{1,2000})#xywh=(\d{1,9}),(\d{1,9}),(\d{1,9}),(\d{1,9})/g
const seconds = (clock) => clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)

/** Reads a track: the pictures in the order of their times. */
function read(text, base) {
  return [...text.matchAll(cue)].map(([, from, sheet, ...box]) => {
    const [x, y, width, height] = box.map(Number)
    return { from: seconds(from), sheet: new URL(sheet, base).href, x, y, width, height }
  })
}

/** Makes the bar show pictures; `use` is told where the track lies, or nothing when there is none. */
export function preview(video, clock) {
  const [bar, seek, frame] = ['bar', 'seek', 'preview'].map((id) => document.getElementById(id))
  const [picture, time] = frame.children
  let track
  let loading
  let at

  /** The track is fetched when its first picture is wanted; viewers who never point at the bar cost nothing. */
  function load() {
    loading ??= fetch(track)
      .then(async (answer) => (answer.ok ? read(await answer.text(), answer.url) : []))
      .catch(() => [])
    return loading
  }
  async function show({ clientX, pointerType }) {
    const { left, width } = seek.getBoundingClientRect()
    const share = Math.min(1, Math.max(0, (clientX - left) / width))
    if (!track || pointerType === 'touch' || !(video.duration > 0)) return
    at = share * video.duration
    const found = (await load()).findLast(({ from }) => from <= at)
    if (!found || at === undefined) return
    const half = found.width / 2
    const within = Math.min(bar.clientWidth - half - 4, Math.max(half + 4, clientX - bar.getBoundingClientRect().left))
    frame.style.left = `${within}px`
    picture.style.width = `${found.width}px`
    picture.style.height = `${found.height}px`
    picture.style.backgroundImage = `url("${found.sheet}")`
    picture.style.backgroundPosition = `-${found.x}px -${found.y}px`
    time.textContent = clock(at)
    frame.hidden = false
  }
  const hide = () => {
    at = undefined
    frame.hidden = true
  }
  seek.addEventListener('pointermove', (event) => void show(event))
  for (const event of ['pointerleave', 'pointercancel']) seek.addEventListener(event, hide)
  return {
    use(url) {
      track = url
      loading = undefined
    },
  }
}
