import { deviceError, RoomError } from './room-error.js'

/** @import * as types from './types.js' */

const kinds = { audioinput: 'microphone', videoinput: 'camera', audiooutput: 'speaker' }

/**
 * Returns the microphones, cameras and speakers. Browsers return the names of devices only after the user has allowed
 * one.
 *
 * @returns {Promise<Record<'microphone' | 'camera' | 'speaker', types.Device[]>>}
 */
export async function devices() {
  /** @type {Record<string, types.Device[]>} */
  const found = { microphone: [], camera: [], speaker: [] }
  for (const { kind, deviceId, label } of (await navigator.mediaDevices?.enumerateDevices()) ?? [])
    if (deviceId) found[kinds[kind]].push({ deviceId, label })
  return found
}

const chosen = (deviceId) => (deviceId ? { deviceId: { exact: deviceId } } : {})

const voice = ({ deviceId }) => ({
  ...chosen(deviceId),
  echoCancellation: true,
  noiseSuppression: true,
  autoGainControl: true,
})

const picture = ({ deviceId, height = 720 }) => ({
  ...chosen(deviceId),
  height: { ideal: height },
  width: { ideal: Math.round((height * 16) / 9) },
  frameRate: { ideal: 30 },
})

function ask(source, options) {
  const { mediaDevices } = navigator
  if (!mediaDevices)
    throw new RoomError('device_refused', 'Browsers allow devices only on https pages and on localhost.')
  if (source === 'screen') return mediaDevices.getDisplayMedia({ video: { frameRate: { ideal: 15, max: 30 } } })
  return mediaDevices.getUserMedia(source === 'microphone' ? { audio: voice(options) } : { video: picture(options) })
}

/**
 * Returns the track of a microphone, a camera or a screen. If the device no longer exists, uses the browser's default
 * device.
 */
export async function capture(source, options = {}) {
  try {
    const stream = await ask(source, options)
    const [track] = stream.getTracks()
    if (source === 'screen') track.contentHint = 'detail'
    return track
  } catch (error) {
    if (error instanceof RoomError) throw error
    if (error.name === 'OverconstrainedError' && options.deviceId)
      return await capture(source, { ...options, deviceId: undefined })
    throw deviceError(source, error)
  }
}

/** Returns the tracks of a microphone and a camera by source. The browser asks the user for both in one prompt. */
export async function captureBoth(microphone, camera) {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: voice(microphone), video: picture(camera) })
  return stream.getTracks().map((track) => [track.kind === 'audio' ? 'microphone' : 'camera', track])
}
