import { clock } from './controls.js'
import { cuesOf, plainOf } from './cues.js'
import { choose } from './menu.js'

/** Displays the chapters in `root`. There are none until they are set. */
export function chaptersOf({ root, video, signal }) {
  const marks = root.getElementById('marks')
  let chapters = []
  let shown
  const pick = (index) => {
    video.currentTime = chapters[index].start
  }
  const menu = choose({ root, id: 'chapters', pick, signal })
  const at = (seconds) => chapters.findLast(({ start }) => start <= seconds + 0.01)

  function show() {
    const now = chapters.indexOf(at(video.currentTime))
    if (now === shown) return
    shown = now
    menu.offer(
      chapters.map(({ start, title }, index) => ({ name: `${clock(start)} ${title}`, index })),
      now,
    )
    menu.label(chapters[now]?.title ?? 'Chapters')
  }
  function mark() {
    const { duration } = video
    const within = chapters.filter(({ start }) => start > 0 && start < duration)
    marks.replaceChildren(
      ...within.map(({ start }) => {
        const tick = document.createElement('i')
        tick.style.left = `${(100 * start) / duration}%`
        return tick
      }),
    )
  }
  for (const event of ['timeupdate', 'seeking']) video.addEventListener(event, show)
  video.addEventListener('durationchange', mark)

  function set(given) {
    chapters = given.toSorted((a, b) => a.start - b.start)
    shown = undefined
    show()
    mark()
  }
  return {
    at,
    set,
    async load(url) {
      try {
        const answer = await fetch(url, { signal })
        if (!answer.ok) throw new Error(`the server returned ${answer.status}`)
        set(cuesOf(await answer.text()).map(({ start, text }) => ({ start, title: plainOf(text) })))
      } catch ({ message }) {
        if (!signal.aborted) console.warn(`mill-player: chapters could not be loaded: ${message}`)
      }
    },
  }
}
