// Playing that nobody has asked for by a touch: without sound where the browser allows no other, until the viewer asks for it.

/** Makes the button that brings the sound; returns what begins to play, muted if it must be. */
export function unasked(root, video) {
  const unmute = root.getElementById('unmute')
  video.addEventListener('volumechange', () => {
    if (!video.muted) unmute.hidden = true
  })
  unmute.addEventListener('click', () => {
    video.muted = false
  })
  return async () => {
    try {
      await video.play()
    } catch ({ name }) {
      // Any other is a source that goes while it is waited for: the next one begins again.
      if (name !== 'NotAllowedError' || video.muted) return
      video.muted = true
      unmute.hidden = false
      video.play().catch(() => {})
    }
  }
}
