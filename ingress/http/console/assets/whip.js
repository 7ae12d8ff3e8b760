// Publishes tracks by WHIP (RFC 9725): an offer goes out, the answer comes back, and the address that came with it ends it.

/** Milliseconds for candidates to be found, and bits a second of the picture. */
const [gatherMs, bitRate] = [1000, 2_500_000]

/** What the server refuses; `isFinal` when trying again makes no sense. */
export class WhipRefusal extends Error {
  constructor(status, message) {
    super(message)
    this.isFinal = status >= 400 && status < 500 && status !== 429
  }
}

const gathered = (pc) =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, gatherMs)
    pc.addEventListener('icegatheringstatechange', () => {
      if (pc.iceGatheringState !== 'complete') return
      clearTimeout(timer)
      resolve()
    })
  })

/** Only H.264 is broadcast. */
function onlyH264(transceiver) {
  const { codecs } = RTCRtpSender.getCapabilities('video')
  const fitting = codecs.filter(({ mimeType }) => mimeType === 'video/H264')
  if (fitting.length === 0) throw new WhipRefusal(422, 'This browser does not send H.264.')
  transceiver.setCodecPreferences(fitting)
}

/** Opens a connection that publishes a picture and, if there is one, a sound; `changed` is told its states. */
export async function publish({ url, key, picture, sound, changed }) {
  const pc = new RTCPeerConnection()
  const headers = { authorization: `Bearer ${key}` }
  let location
  const end = () => {
    pc.close()
    // Also as the page is left.
    if (location) fetch(location, { method: 'DELETE', headers, keepalive: true }).catch(() => {})
    location = undefined
  }
  try {
    const video = pc.addTransceiver(picture, { direction: 'sendonly', sendEncodings: [{ maxBitrate: bitRate }] })
    onlyH264(video)
    if (sound) pc.addTransceiver(sound, { direction: 'sendonly' })
    pc.addEventListener('connectionstatechange', () => changed(pc.connectionState))
    await pc.setLocalDescription(await pc.createOffer())
    await gathered(pc)
    const body = pc.localDescription.sdp
    const answer = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/sdp' },
      body,
    })
    const text = await answer.text()
    if (answer.status !== 201) throw new WhipRefusal(answer.status, messageOf(text))
    location = answer.headers.get('location')
    await pc.setRemoteDescription({ type: 'answer', sdp: text })
    // Viewers see a picture of one size.
    const parameters = video.sender.getParameters()
    await video.sender.setParameters({ ...parameters, degradationPreference: 'maintain-resolution' }).catch(() => {})
    return { end, replace: (track) => video.sender.replaceTrack(track) }
  } catch (error) {
    end()
    throw error
  }
}

function messageOf(text) {
  try {
    return JSON.parse(text).error.message
  } catch {
    return 'The server did not take it.'
  }
}
