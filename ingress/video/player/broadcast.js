import { inVideo } from './controls.js'
import { catchUp, inBroadcast, placeOf, showEdge } from './live-edge.js'
import { sentences } from './sentences.js'

const showMs = 500

// Delay in milliseconds between attempts before a broadcast starts, and while its publisher is disconnected.
const againMs = 2000

// Seconds of media behind the current position that stay in the buffer. The buffer is limited, because a broadcast can
// last for days.
const keptSeconds = 30

/** Follows a broadcast in `video`. `library` returns the library that plays it. */
export function broadcastOf({ root, video, library, over, signal }) {
  let isLive = false
  let timer
  const place = () => placeOf(library(), video)

  function begin() {
    if (isLive) return
    isLive = true
    video.addEventListener('timeupdate', () => catchUp(video, place()))
    video.addEventListener('ended', over)
    // This is also called while the video is paused, because a paused video falls behind.
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
    place: () => (isLive ? inBroadcast(library() && place()) : inVideo(video)),
    loaded({ live }) {
      if (!live) return
      library().config.backBufferLength = keptSeconds
      begin()
    },
    /**
     * Returns the message for the viewer. Viewers who have already seen the broadcast do not get the message that it
     * has not started.
     */
    words: (sentence, isAway) => (isAway && isLive ? sentences.broadcast_away : sentence),
    wait(again) {
      clearTimeout(timer)
      timer = setTimeout(again, againMs)
    },
  }
}
