// Where the viewer is in what can be watched of a broadcast, and the way to its edge.
import { clock } from './controls.js'

// Seconds beyond the latency that the player aims at, from which a viewer is told to be behind.
const behindSeconds = 3

// The ear does not hear 5 %.
const catchUpRate = 1.05

// Seconds behind the latency aimed at from which it is caught up with, and seconds that stay buffered meanwhile.
const [tolerated, reserve] = [0.1, 0.35]

/** What is known of a broadcast's place by the library; undefined before the first playlist. */
export function placeOf(hls, { currentTime: at }) {
  const details = hls?.levels?.[Math.max(0, hls.currentLevel)]?.details
  if (!details) return
  const from = details.fragments[0]?.start ?? 0
  // What has come since the last playlist: its age counts while the broadcast goes on.
  const to = details.edge + (details.live ? Math.max(0, details.age) : 0)
  const behind = Math.max(0, to - at)
  const target = hls.targetLatency ?? 0
  return { from, to, at, behind, target, isBehind: !details.live || behind > target + behindSeconds }
}

/** Plays a little faster as long as the picture is further behind than is aimed at; not where the viewer went back or chose a rate. */
export function catchUp(video, place) {
  if (!place || ![1, catchUpRate].includes(video.playbackRate)) return
  const { buffered, currentTime } = video
  const ahead = buffered.length > 0 ? buffered.end(buffered.length - 1) - currentTime : 0
  const isLate = !place.isBehind && place.behind > place.target + tolerated && ahead > reserve
  const rate = isLate ? catchUpRate : 1
  if (video.playbackRate !== rate) video.playbackRate = rate
}

/** What the seek bar shows of a place: the time behind the edge. */
export function inBroadcast(place) {
  if (!place) return { from: 0, to: 0, at: 0, shown: '', spoken: '' }
  const { from, to, at, behind, isBehind } = place
  const spoken = isBehind ? `${clock(behind)} behind live` : 'live'
  return { from, to, at, shown: isBehind ? `-${clock(behind)}` : '', spoken }
}

/** Shows in `root` the latency, and whether the viewer is behind. */
export function showEdge(root, place) {
  const byId = (id) => root.getElementById(id)
  const edge = byId('edge')
  const isBehind = place?.isBehind ?? false
  edge.hidden = !place
  byId('player').classList.toggle('behind', isBehind)
  edge.querySelector('span').textContent = isBehind ? 'Behind live' : 'LIVE'
  edge.setAttribute('aria-label', isBehind ? `Go to live, ${clock(place.behind)} behind` : 'Live')
  byId('latency').textContent = place && !isBehind ? `${place.behind.toFixed(1)} s` : ''
}
