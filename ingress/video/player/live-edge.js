import { clock } from './controls.js'

// Delay in seconds beyond the target latency at which the player shows that the viewer is behind.
const behindSeconds = 3

// Playback rate for catching up. Viewers cannot hear a rate that is 5 % higher.
const catchUpRate = 1.05

// Delay in seconds beyond the target latency at which the player catches up, and number of seconds that stay buffered.
const [tolerated, reserve] = [0.1, 0.35]

/** Returns the position in a broadcast, or `undefined` before the first playlist. */
export function placeOf(hls, { currentTime: at }) {
  const details = hls?.levels?.[Math.max(0, hls.currentLevel)]?.details
  if (!details) return
  const from = details.fragments[0]?.start ?? 0
  // While the broadcast continues, adds the age of the last playlist.
  const to = details.edge + (details.live ? Math.max(0, details.age) : 0)
  const behind = Math.max(0, to - at)
  const target = hls.targetLatency ?? 0
  return { from, to, at, behind, target, isBehind: !details.live || behind > target + behindSeconds }
}

/**
 * Plays slightly faster if the video is further behind than the target latency. Does nothing if the viewer seeked back
 * or set a speed.
 */
export function catchUp(video, place) {
  if (!place || ![1, catchUpRate].includes(video.playbackRate)) return
  const { buffered, currentTime } = video
  const ahead = buffered.length > 0 ? buffered.end(buffered.length - 1) - currentTime : 0
  const isLate = !place.isBehind && place.behind > place.target + tolerated && ahead > reserve
  const rate = isLate ? catchUpRate : 1
  if (video.playbackRate !== rate) video.playbackRate = rate
}

export function inBroadcast(place) {
  if (!place) return { from: 0, to: 0, at: 0, shown: '', spoken: '' }
  const { from, to, at, behind, isBehind } = place
  const spoken = isBehind ? `${clock(behind)} behind live` : 'live'
  return { from, to, at, shown: isBehind ? `-${clock(behind)}` : '', spoken }
}

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
