// A broadcast begins by itself: without sound where the browser allows no other, until its viewer asks for it.
const unmute = document.getElementById('unmute')
let wanted = true

/** Whether the viewer wants the picture to move: so until it is paused by them. */
export const isWanted = () => wanted

/** Notes what the viewer wants of a video. */
export function followWish(video) {
  video.addEventListener('play', () => {
    wanted = true
  })
  video.addEventListener('pause', () => {
    wanted = video.ended
  })
  video.addEventListener('volumechange', () => {
    if (!video.muted) unmute.hidden = true
  })
  unmute.addEventListener('click', () => {
    video.muted = false
  })
}

/** Plays, muted if it must be. */
export async function begin(video) {
  try {
    await video.play()
  } catch ({ name }) {
    // Any other is a source that goes while it is waited for: the next one begins again.
    if (name !== 'NotAllowedError') return
    video.muted = true
    unmute.hidden = false
    video.play().catch(() => {})
  }
}
