// How fast it plays.
import { choose } from './menu.js'

/** A menu of speeds; returns what sets one, and the next faster or slower one. */
export function speedsOf({ root, video, option, isLive, say, signal }) {
  const pick = (index) => set(option('speeds')[index])
  const menu = choose({ root, id: 'speed', pick, signal })
  function show() {
    const now = video.playbackRate
    // Of a broadcast, the player itself changes the rate to stay near its edge.
    const offered = isLive() ? [] : option('speeds')
    menu.offer(
      offered.map((speed, index) => ({ name: `${speed}×`, index })),
      offered.indexOf(now),
    )
    menu.label(`${now}×`)
  }
  function set(speed) {
    // The library's next source begins at the default one.
    video.defaultPlaybackRate = speed
    video.playbackRate = speed
  }
  video.addEventListener('ratechange', () => {
    if (isLive()) return
    show()
    say('speed', { speed: video.playbackRate })
  })
  show()
  const faster = (by) => {
    const offered = option('speeds')
    const now = video.playbackRate
    const next = by > 0 ? offered.find((speed) => speed > now) : offered.findLast((speed) => speed < now)
    if (next !== undefined) set(next)
  }
  return { set, faster, show }
}
