// What a broadcast has that a film has not: an edge to go to and to stay near, and a publisher who may be away.
import { inFilm } from './controls.js'
import { catchUp, inBroadcast, placeOf, showEdge } from './live-edge.js'
import { sentences } from './sentences.js'

const showMs = 500

// Until a broadcast begins, and while its publisher is away.
const againMs = 2000

// Seconds behind the picture that stay buffered: a broadcast may go on for days.
const keptSeconds = 30

/** Follows what the library that `library` answers plays in `video`, once it is told that this is a broadcast. */
export function broadcastOf({ root, video, library, over, signal }) {
  let isLive = false
  let timer
  const place = () => placeOf(library(), video)

  function begin() {
    if (isLive) return
    isLive = true
    video.addEventListener('timeupdate', () => catchUp(video, place()))
    video.addEventListener('ended', over)
    // A paused picture falls behind, too.
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
    /** What the seek bar shows. */
    place: () => (isLive ? inBroadcast(library() && place()) : inFilm(video)),
    /** The library has read a playlist. */
    loaded({ live }) {
      if (!live) return
      library().config.backBufferLength = keptSeconds
      begin()
    },
    /** What viewers are told: to those who have had it, it has begun. */
    words: (sentence, isAway) => (isAway && isLive ? sentences.broadcast_away : sentence),
    /** Tries again by itself: what is away now may come. */
    wait(again) {
      clearTimeout(timer)
      timer = setTimeout(again, againMs)
    },
  }
}
