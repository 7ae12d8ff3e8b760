/**
 * Creates the unmute button. Returns a function that starts playback without a touch. If the browser requires it,
 * playback is muted.
 */
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
      // Any other error means that the source was replaced. Playback then starts with the new source.
      if (name !== 'NotAllowedError' || video.muted) return
      video.muted = true
      unmute.hidden = false
      video.play().catch(() => {})
    }
  }
}
