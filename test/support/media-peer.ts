import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { kill } from '../../ops/kill.ts'
import { chromiumArguments, fakeDevices, lightPath } from './browser.ts'
import type { Scope } from './postgres.ts'

/** A browser’s received media of one track. */
export interface Received {
  mid: string
  kind: 'audio' | 'video'
  frames: number
  packets: number
  /** Audio energy so far. 0 for silence. */
  energy: number
}

// biome-ignore lint/suspicious/noExplicitAny: tests look at every field.
type Said = any

/** A browser’s WebRTC with the protocol, but without Millrace’s client. */
export interface Media {
  page: Page
  /** Publishes a fake microphone and camera. Returns the gateway’s response. */
  publish(): Promise<Said>
  /** Adds or removes a second video, and publishes again. */
  share(screen: boolean): Promise<Said>
  send(message: object): Promise<void>
  said(): Promise<Said[]>
  received(): Promise<Received[]>
  publishing(): Promise<{ mid: string; kind: string }[]>
  /** The close code, or undefined while it is open. */
  closed(): Promise<number | undefined>
}

/** JavaScript of the peer in an empty page. */
const script = `
window.peer = async (url, token) => {
  const ws = new WebSocket(url, 'millrace.room.1')
  const said = []
  const waiting = []
  let closed
  let subscriber, publisher
  const send = (message) => ws.send(JSON.stringify(message))
  const trickle = (connection, pc) => { pc.onicecandidate = ({ candidate }) => ws.readyState === 1 && send({ type: 'candidate', connection, candidate }) }
  const state = { pcs: {}, sounds: [] }
  ws.onclose = ({ code }) => { closed = code }
  ws.onmessage = async ({ data }) => {
    const message = JSON.parse(data)
    said.push(message)
    for (const look of waiting) look()
    if (message.type === 'offer') {
      if (!subscriber) {
        subscriber = new RTCPeerConnection()
        state.pcs.subscriber = subscriber
        trickle('subscriber', subscriber)
        subscriber.ontrack = ({ track, streams }) => {
          const element = document.createElement(track.kind)
          element.autoplay = true
          element.srcObject = new MediaStream([track])
          document.body.append(element)
        }
      }
      await subscriber.setRemoteDescription({ type: 'offer', sdp: message.sdp })
      await subscriber.setLocalDescription(await subscriber.createAnswer())
      send({ type: 'answer', sdp: subscriber.localDescription.sdp })
    }
  }
  const hears = (matches) => new Promise((resolve) => {
    const look = () => { const found = said.find(matches); if (found) resolve(found) }
    waiting.push(look)
    look()
  })
  await new Promise((resolve) => { ws.onopen = resolve })
  send({ type: 'join', token })
  const joined = await hears(({ type }) => type === 'joined')
  let id = 0
  let sharing
  const sourceOf = (one) => one === sharing ? 'screen' : one.sender.track.kind === 'audio' ? 'microphone' : 'camera'
  const offer = async () => {
    const sending = publisher.getTransceivers().filter(({ direction }) => direction === 'sendonly')
    const tracks = sending.map((one) => ({ mid: one.mid, kind: one.sender.track.kind, source: sourceOf(one) }))
    const mine = 'p' + ++id
    send({ type: 'publish', id: mine, sdp: publisher.localDescription.sdp, tracks })
    const answer = await hears((message) => message.id === mine)
    if (answer.type === 'published') await publisher.setRemoteDescription({ type: 'answer', sdp: answer.sdp })
    else publisher.close()
    return answer
  }
  window.me = {
    said: () => said, closed: () => closed, send,
    async publish() {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true, video: { width: 320, height: 180 } })
      publisher = state.pcs.publisher = new RTCPeerConnection({ iceServers: joined.iceServers })
      trickle('publisher', publisher)
      for (const track of stream.getTracks()) publisher.addTransceiver(track, { direction: 'sendonly' })
      await publisher.setLocalDescription(await publisher.createOffer())
      return await offer()
    },
    async share(screen) {
      if (screen) {
        const canvas = document.createElement('canvas')
        const paper = canvas.getContext('2d')
        let n = 0
        setInterval(() => { paper.fillStyle = n++ % 2 ? 'red' : 'blue'; paper.fillRect(0, 0, 300, 150) }, 50)
        sharing = publisher.addTransceiver(canvas.captureStream(20).getVideoTracks()[0], { direction: 'sendonly' })
      } else sharing.direction = 'inactive'
      await publisher.setLocalDescription(await publisher.createOffer())
      return await offer()
    },
    publishing: () => publisher.getTransceivers().map(({ mid, sender }) => ({ mid, kind: sender.track.kind })),
    async received() {
      if (!subscriber) return []
      const stats = [...(await subscriber.getStats()).values()].filter(({ type }) => type === 'inbound-rtp')
      return stats.map(({ mid, kind, framesDecoded = 0, packetsReceived = 0, totalAudioEnergy = 0 }) => ({ mid, kind, frames: framesDecoded, packets: packetsReceived, energy: totalAudioEnergy }))
    },
  }
}`

/** Starts a browser with fake devices until the test ends. */
export async function mediaPeers(
  t: Scope,
): Promise<{ kill(): Promise<void>; open(url: string, token: string): Promise<Media> }> {
  // Media devices are available for secure origins, including loopback.
  const server = createServer((_, answer) =>
    answer
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<!doctype html><title>peer</title><script>${script}</script>`),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const profile = await mkdtemp(join(tmpdir(), 'millrace-peer-'))
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath: lightPath,
    args: [...chromiumArguments, '--headless', ...fakeDevices],
  })
  t.teardown(async () => {
    await browser.close().catch(() => {})
    server.close()
    await rm(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  })
  return {
    kill: () => killProcesses(profile),
    async open(url, token) {
      const page = await browser.newPage()
      await page.goto(base)
      await page.evaluate(`peer(${JSON.stringify(url)}, ${JSON.stringify(token)})`)
      const say = (expression: string) => page.evaluate(`me.${expression}`) as Promise<Said>
      return {
        page,
        publish: () => say('publish()'),
        share: (screen) => say(`share(${screen})`),
        send: (message) => say(`send(${JSON.stringify(message)})`),
        said: () => say('said()'),
        received: () => say('received()'),
        publishing: () => say('publishing()'),
        closed: () => say('closed()'),
      }
    },
  }
}

/** Kills all processes of a profile’s browser. */
async function killProcesses(profile: string): Promise<void> {
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const command = await readFile(`/proc/${entry}/cmdline`, 'utf8').catch(() => '')
    if (command.includes(profile)) kill(Number(entry))
  }
}
