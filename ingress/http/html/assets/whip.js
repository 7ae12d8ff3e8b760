// Publishes tracks by WHIP (RFC 9725). It sends an offer and receives an answer. The URL in the response ends the
// session.

/** Timeout for finding candidates in milliseconds, and video bitrate in bits per second. */
const [gatherMs, bitRate] = [1000, 2_500_000]

/** Thrown if the server rejected the broadcast. `isFinal` is true if a retry cannot succeed. */
export class WhipRefusal extends Error {
  constructor(status, message) {
    super(message)
    this.isFinal = status >= 400 && status < 500 && status !== 429
  }
}

/** @returns {Promise<void>} */
const gathered = (pc) =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, gatherMs)
    pc.addEventListener('icegatheringstatechange', () => {
      if (pc.iceGatheringState !== 'complete') return
      clearTimeout(timer)
      resolve()
    })
  })

function onlyH264(transceiver) {
  const codecs = RTCRtpSender.getCapabilities('video')?.codecs ?? []
  const fitting = codecs.filter(({ mimeType }) => mimeType === 'video/H264')
  if (fitting.length === 0) throw new WhipRefusal(422, 'This browser cannot send H.264 video.')
  transceiver.setCodecPreferences(fitting)
}

export async function publish({ url, key, video, audio, changed }) {
  const pc = new RTCPeerConnection()
  const headers = { authorization: `Bearer ${key}` }
  let location
  const end = () => {
    pc.close()
    // The request is sent even if the user leaves the page.
    if (location) fetch(location, { method: 'DELETE', headers, keepalive: true }).catch(() => {})
    location = undefined
  }
  try {
    const transceiver = pc.addTransceiver(video, { direction: 'sendonly', sendEncodings: [{ maxBitrate: bitRate }] })
    onlyH264(transceiver)
    if (audio) pc.addTransceiver(audio, { direction: 'sendonly' })
    pc.addEventListener('connectionstatechange', () => changed(pc.connectionState))
    await pc.setLocalDescription(await pc.createOffer())
    await gathered(pc)
    const body = pc.localDescription?.sdp
    const answer = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/sdp' },
      body,
    })
    const text = await answer.text()
    if (answer.status !== 201) throw new WhipRefusal(answer.status, messageOf(text))
    location = answer.headers.get('location')
    await pc.setRemoteDescription({ type: 'answer', sdp: text })
    const parameters = transceiver.sender.getParameters()
    await transceiver.sender
      .setParameters({ ...parameters, degradationPreference: 'maintain-resolution' })
      .catch(() => {})
    return { end, replace: (track) => transceiver.sender.replaceTrack(track) }
  } catch (error) {
    end()
    throw error
  }
}

function messageOf(text) {
  try {
    return JSON.parse(text).error.message
  } catch {
    return 'The server rejected the broadcast.'
  }
}
