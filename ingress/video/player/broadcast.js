import { inFilm } from './controls.js'
import { catchUp, inBroadcast, placeOf, showEdge } from './live-edge.js'
import { sentences } from './sentences.js'

const showMs = 500

// Milliseconds between attempts before a broadcast starts, and while its publisher is disconnected.
const againMs = 2000

// Seconds behind the current position that stay buffered, because a broadcast can last for days.
const keptSeconds = 30

/** Follows a broadcast that the library returned by `library` plays in `video`. */
export function broadcastOf({ root, video, library, over, signal }) {
  let isLive = false
  let timer
  const place = () => placeOf(library(), video)

  function begin() {
    if (isLive) return
    isLive = true
    video.addEventListener('timeupdate', () => catchUp(video, place()))
    video.addEventListener('ended', over)
    // A paused video also falls behind.
    const showing = setInterval(() => showEdge(root, library() && place()), showMs)
    signal.addEventListener('abort', () => clearInterval(showing))
  }
  function toEdge() {
    const edge = library()?.liveSyncPosition
    if (edge) video.currentTime = edge
    video.play().catch(() => {})
  }
  root.getElementById('edge').addEventListener('click', toEdge)
  signal.addEventListener('abort', () => clearTimeout(timer))

  return {
    isLive: () => isLive,
    toEdge,
    place: () => (isLive ? inBroadcast(library() && place()) : inFilm(video)),
    loaded({ live }) {
      if (!live) return
      library().config.backBufferLength = keptSeconds
      begin()
    },
    /**
     * Returns the message for the viewer. Viewers who have already seen the broadcast are not told that it has not
     * started.
     */
    words: (sentence, isAway) => (isAway && isLive ? sentences.broadcast_away : sentence),
    wait(again) {
      clearTimeout(timer)
      timer = setTimeout(again, againMs)
    },
  }
}
