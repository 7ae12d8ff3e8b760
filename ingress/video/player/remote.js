// Playback on another device by the browser: AirPlay in Safari, the Remote Playback API in other browsers.

/** Allows or forbids playback on other devices. Older versions of Safari know only their own attribute. */
export function allowRemote(video, isAllowed) {
  video.disableRemotePlayback = !isAllowed
  video.setAttribute('x-webkit-airplay', isAllowed ? 'allow' : 'deny')
}

/**
 * Adds the playlist as a second source if the library plays by a managed media source. Safari sends this source to the
 * AirPlay receiver.
 */
export function offerAirPlay(video, source) {
  if (!globalThis.ManagedMediaSource || !video.querySelector('source')) return
  const other = document.createElement('source')
  other.type = 'application/vnd.apple.mpegurl'
  other.src = source
  video.append(other)
  video.disableRemotePlayback = false
}

/** Shows the button while a device is available. */
export function remoteOf({ root, video, option, signal }) {
  const button = root.getElementById('remote')
  const show = (isAvailable) => {
    button.hidden = !isAvailable || !option('remote')
  }
  allowRemote(video, option('remote'))
  if (video.webkitShowPlaybackTargetPicker) {
    button.setAttribute('aria-label', 'AirPlay')
    const changed = ({ availability }) => show(availability === 'available')
    video.addEventListener('webkitplaybacktargetavailabilitychanged', changed, { signal })
    button.addEventListener('click', () => video.webkitShowPlaybackTargetPicker())
  } else if (video.remote) {
    video.remote.watchAvailability(show).catch(() => {})
    button.addEventListener('click', () => video.remote.prompt().catch(() => {}))
  }
}
