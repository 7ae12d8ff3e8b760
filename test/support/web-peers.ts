import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Browser, chromium, type Page } from 'playwright-core'
import { chromiumArguments, fakeDevices, lightPath } from './browser.ts'
import type { Scope } from './postgres.ts'

/** JavaScript of a page that publishes and watches. */
const script = `
const exchange = async (pc, url, key) => {
  await pc.setLocalDescription(await pc.createOffer())
  const headers = { 'content-type': 'application/sdp', ...(key ? { authorization: 'Bearer ' + key } : {}) }
  const answer = await fetch(url, { method: 'POST', headers, body: pc.localDescription.sdp })
  const text = await answer.text()
  if (answer.status !== 201) { pc.close(); return { status: answer.status, body: JSON.parse(text) } }
  await pc.setRemoteDescription({ type: 'answer', sdp: text })
  return { status: 201, location: answer.headers.get('location'), type: answer.headers.get('content-type') }
}
const prefer = (transceiver, mime) => {
  const { codecs } = RTCRtpReceiver.getCapabilities('video')
  const only = codecs.filter(({ mimeType }) => mimeType.toLowerCase() === mime)
  transceiver.setCodecPreferences(only)
}
// A clock in the picture: 32 squares, each a bit of the milliseconds.
const bits = 32
const draw = (paper, now) => {
  for (let i = 0; i < bits; i++) {
    paper.fillStyle = Math.floor(now / 2 ** i) % 2 ? '#fff' : '#000'
    paper.fillRect((i % 8) * 40, Math.floor(i / 8) * 45, 40, 45)
  }
}
window.publish = async (url, key, { codec = 'video/h264', sound = true, clock = false, camera = true } = {}) => {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true, video: { width: 320, height: 180 } })
  const pc = new RTCPeerConnection()
  let [picture] = stream.getVideoTracks()
  if (clock) {
    const canvas = document.createElement('canvas')
    Object.assign(canvas, { width: 320, height: 180 })
    document.body.append(canvas)
    window.resize = (width, height) => void Object.assign(canvas, { width, height })
    const paper = canvas.getContext('2d')
    setInterval(() => draw(paper, Date.now() % 2 ** 31), 50)
    picture.stop()
    picture = canvas.captureStream(20).getVideoTracks()[0]
    picture.contentHint = 'detail'
  }
  if (sound) pc.addTransceiver(stream.getAudioTracks()[0], { direction: 'sendonly' })
  const sending = pc.addTransceiver(camera ? picture : 'video', { direction: 'sendonly' })
  prefer(sending, codec)
  window.camera = () => sending.sender.replaceTrack(picture)
  const answer = await exchange(pc, url, key)
  window.publishing = pc
  return { ...answer, ufrag: pc.localDescription?.sdp.match(/a=ice-ufrag:(.*)/)[1].trim() }
}
window.watch = async (url) => {
  const pc = new RTCPeerConnection()
  for (const kind of ['audio', 'video']) pc.addTransceiver(kind, { direction: 'recvonly' })
  const video = document.createElement('video')
  Object.assign(video, { autoplay: true, muted: true, srcObject: new MediaStream() })
  document.body.append(video)
  pc.ontrack = ({ track }) => video.srcObject.addTrack(track)
  const answer = await exchange(pc, url)
  Object.assign(window, { watching: pc, video, leave: () => fetch(answer.location, { method: 'DELETE' }).then(({ status }) => status) })
  return answer
}
window.state = (which) => window[which].connectionState
window.received = async () => {
  const all = [...(await watching.getStats()).values()].filter(({ type }) => type === 'inbound-rtp')
  return Object.fromEntries(all.map(({ kind, framesDecoded, packetsReceived, totalAudioEnergy, jitterBufferDelay, jitterBufferEmittedCount }) => [kind, { framesDecoded, packetsReceived, totalAudioEnergy, delay: jitterBufferDelay / jitterBufferEmittedCount }]))
}
// How long ago what is seen was drawn, for some pictures.
window.latencies = async (count) => {
  const canvas = document.createElement('canvas')
  Object.assign(canvas, { width: 320, height: 180 })
  const paper = canvas.getContext('2d', { willReadFrequently: true })
  const found = []
  while (found.length < count) {
    await new Promise((resolve) => video.requestVideoFrameCallback(resolve))
    paper.drawImage(video, 0, 0, 320, 180)
    let seen = 0
    for (let i = 0; i < bits; i++) if (paper.getImageData((i % 8) * 40 + 20, Math.floor(i / 8) * 45 + 22, 1, 1).data[0] > 127) seen += 2 ** i
    found.push(Date.now() % 2 ** 31 - seen)
  }
  return found
}`

export interface WebPeers {
  browser: Browser
  open(): Promise<Page>
}

/** Starts a browser with a fake camera whose pages can publish by WHIP and watch by WHEP, until the test ends. */
export async function webPeers(t: Scope): Promise<WebPeers> {
  const server = createServer((_, answer) =>
    answer
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<!doctype html><title>peer</title><body><script>${script}</script>`),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const browser = await chromium.launch({ executablePath: lightPath, args: [...chromiumArguments, ...fakeDevices] })
  t.teardown(async () => {
    await browser.close()
    server.close()
  })
  return {
    browser,
    async open() {
      const page = await browser.newPage()
      await page.goto(base)
      return page
    },
  }
}
