import { choose } from './menu.js'

export function speedsOf({ root, video, option, isLive, say, signal }) {
  const pick = (index) => set(option('speeds')[index])
  const menu = choose({ root, id: 'speed', pick, signal })
  function show() {
    const now = video.playbackRate
    // In a broadcast, viewers cannot choose a speed, because the player changes the rate to stay near the live edge.
    const offered = isLive() ? [] : option('speeds')
    menu.offer(
      offered.map((speed, index) => ({ name: `${speed}×`, index })),
      offered.indexOf(now),
    )
    menu.label(`${now}×`)
  }
  function set(speed) {
    // The default rate is set too, because the library's next source starts with it.
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
