import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { WebSocketServer } from 'ws'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { createSeal } from '#lib/seal.ts'
import type { WebPublishing } from '#tasks/live/engine.ts'
import { SlateClips } from '../../workers/live/origin/slate-clips.ts'
import { JanusSession } from '../../workers/rooms/janus/session.ts'
import { Feed } from '../../workers/rooms/web/feed.ts'
import { Web } from '../../workers/rooms/web/index.ts'
import { Relay } from '../../workers/rooms/web/relay.ts'
import type { Scope } from '../support/postgres.ts'
import { until } from '../support/until.ts'

const folder = await mkdtemp(join(tmpdir(), 'web-walls-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))

t.test('a payload type that no packet can hold ends no relay', async (t) => {
  const relay = await Relay.open({ wish() {}, reshape() {}, picture() {}, flood() {} }, 1_000_000)
  t.teardown(() => relay.close())
  const viewer = createSocket('udp4').bind(0, '127.0.0.1')
  t.teardown(() => viewer.close())
  await once(viewer, 'listening')
  relay.receivers.add({
    audio: undefined,
    video: { port: viewer.address().port, payload: 300 },
    isWaiting: false,
  })
  const packet = Buffer.alloc(20)
  packet.writeUInt8(0x80)
  viewer.send(packet, relay.port('video'), '127.0.0.1')
  const [got] = await once(viewer, 'message')
  t.equal(got.readUInt8(1), 300 & 0x7f)
})

t.test('a publisher who sends far more than asked for is heard no longer', async (t) => {
  const flooded = Promise.withResolvers<void>()
  const relay = await Relay.open({ wish() {}, reshape() {}, picture() {}, flood: flooded.resolve }, 8_000)
  t.teardown(() => relay.close())
  const sender = createSocket('udp4').bind(0, '127.0.0.1')
  t.teardown(() => sender.close())
  const port = relay.port('video')
  for (let i = 0; i < 3; i++) sender.send(Buffer.alloc(1_000), port, '127.0.0.1')
  await flooded.promise
  t.throws(() => relay.port('video'), 'it takes nothing in')
})

t.test('an encoder that sends far too much ends its own feed, and not the process', async (t) => {
  const source = createServer((_, response) => void response.writeHead(200, { 'x-audio': 'false' }).write('ftyp'))
  source.listen(0, '127.0.0.1')
  await once(source, 'listening')
  t.teardown(() => source.close().closeAllConnections())
  const url = `http://127.0.0.1:${(source.address() as AddressInfo).port}/frames`
  const publishing = { findFrames: async () => ({ url, token: '' }) } as unknown as WebPublishing
  const feed = await Feed.open(newId(), { publishing, folder, patienceMs: 60_000 })
  t.teardown(() => feed.end())
  const port = feed.relay?.port('video') ?? 0
  const sender = createSocket('udp4').bind(0, '127.0.0.1')
  t.teardown(() => sender.close())
  await once(sender, 'listening')
  const packet = Buffer.alloc(60_000)
  const flood = setInterval(() => {
    for (let i = 0; i < 20; i++) sender.send(packet, port, '127.0.0.1')
  }, 10)
  t.teardown(() => clearInterval(flood))
  await until(async () => feed.relay === undefined, { what: 'the feed takes no more viewers' })
  t.equal(await feed.ended, undefined)
})

const Asked = z.object({
  janus: z.string(),
  transaction: z.string(),
  handle_id: z.number().optional(),
})

const offer = `v=0\r\nm=video 9 RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\na=fmtp:96 packetization-mode=1\r\na=recvonly\r\n`

/** Ends of connections that the media server was asked for while it answers none. */
let unanswered: number[] | undefined

/** A session with a media server that takes whatever it is asked. */
async function takingAll(): Promise<JanusSession> {
  const path = join(folder, 'janus.sock')
  const server = createServer().listen(path)
  await once(server, 'listening')
  const sockets = new WebSocketServer({ server, handleProtocols: () => 'janus-protocol' })
  let ids = 0
  sockets.on('connection', (socket) => {
    const say = (message: object) => socket.send(JSON.stringify(message))
    socket.on('message', (data) => {
      const { janus, transaction, handle_id: sender } = Asked.parse(JSON.parse(String(data)))
      if (janus === 'detach' && unanswered && sender !== undefined) return void unanswered.push(sender)
      // Whoever has no more candidates is connected.
      if (janus === 'trickle') say({ janus: 'webrtcup', sender })
      if (janus !== 'message') return say({ janus: 'success', transaction, data: { id: ++ids } })
      const streams = [{ type: 'video', mid: '0' }]
      const found = { streams, result: { event: 'generated', sdp: offer } }
      const jsep = { type: 'answer', sdp: 'v=0' }
      say({ janus: 'event', transaction, sender, plugindata: { data: found }, jsep })
    })
  })
  t.teardown(() => {
    for (const socket of sockets.clients) socket.terminate()
    server.close()
  })
  return await JanusSession.open(path, 'secret', () => {})
}

const session = await takingAll()
t.teardown(() => session.close())

/** A worker that has so many places for viewers of one publication, and of all. */
function openWeb(t: Scope, mostViewers: number, mostOfAll: number) {
  const seal = createSeal('a secret of more than thirty-two letters', 'test')
  const web = new Web(
    { adminKey: 'key', session: async () => session, pid: () => undefined, stop: async () => {} },
    {
      ...{ seal, folder, rtmp: 'rtmp://127.0.0.1:1/live', bitRate: 1, patienceMs: 60_000 },
      ...{ mostPublishers: 2, mostViewers, mostOfAll },
      publishing: {
        watch: () => ({ close: async () => {} }),
        whyOver: async () => undefined,
        remove: async () => {},
        removeOthers: async () => {},
        tellViewers: async () => {},
        findFrames: async () => null,
        tellFeeds: async () => {},
        listGone: async () => new Set(),
      },
    },
  )
  t.teardown(() => web.close())
  const publish = async () => {
    const [id, channelId] = [newId(), newId()]
    const order = { id, channelId, source: 'primary' as const, hash: '', sdp: offer }
    await web.publish({ ...order, key: seal.close('live_key', id) })
    await web.trickle(id, { candidates: [null] })
    return { publicationId: id, channelId, sessionId: channelId }
  }
  type Publication = Awaited<ReturnType<typeof publish>>
  const watch = (network: string, what: Publication, seconds = 60) => {
    const who = { id: newId(), ...what, network }
    return web.watch({ ...who, expiresAt: Date.now() + 1000 * seconds, sdp: offer }).then(
      () => who.id,
      (error) => error.code,
    )
  }
  return {
    ...{ web, watch },
    async publish() {
      const one = await publish()
      const isUp = async () => !['channel_not_live', 'unavailable'].includes(await watch('first', one))
      await until(isUp, { timeout: 10_000, what: 'it is up' })
      return one
    },
    /** Twelve who come at the same moment. */
    from: async (network: string, what: Publication) =>
      await Promise.all(Array.from({ length: 12 }, () => watch(network, what))),
  }
}

const full = (answers: readonly string[]) => answers.filter((answer) => answer === 'unavailable').length

t.test('viewers who come at the same moment are no more than there is room for', async (t) => {
  const { web, publish, watch, from } = openWeb(t, 12, 40)
  const one = await publish()
  const [first, second] = [await from('first', one), await from('second', one)]
  t.same([full(first), full(second)], [3, 10], 'ten of one network, twelve of all')
  t.equal(web.load.viewers, 12)
  t.ok(await web.end(second[0] ?? ''))
  t.equal(full([await watch('second', one), await watch('second', one)]), 1, 'who leaves makes room')
})

t.test('those of one network who have no session leave most of a small worker to others', async (t) => {
  const { web, publish, watch, from } = openWeb(t, 12, 13)
  const one = await publish()
  t.equal(full(await from('first', one)), 9, 'a quarter of all places')
  t.equal(full(await from('first', { ...one, sessionId: newId() })), 4, 'who has a session is not counted among them')
  t.equal(web.load.viewers, 12)
  const other = await publish()
  t.equal(full([await watch('third', other)]), 1, 'rooms have the rest of the worker')
})

t.test('a connection that takes long to end holds up no other', async (t) => {
  const { web, publish, watch } = openWeb(t, 12, 40)
  const one = await publish()
  unanswered = []
  t.teardown(() => {
    unanswered = undefined
  })
  await watch('second', one, 0)
  await until(() => unanswered?.length === 1, { timeout: 10_000 })
  await watch('third', one, 0)
  await until(() => unanswered?.length === 2, { timeout: 10_000 })
  t.equal(web.load.viewers, 3, 'neither has ended')
})

t.test('a publisher who claims a picture of gigabytes is shown no slate, and none is made', async (t) => {
  const clips = new SlateClips('ffmpeg')
  t.teardown(() => clips.close())
  const sound = { sampleRate: null, channels: 0 }
  const began = performance.now()
  t.equal(await clips.of({ width: 16_256, height: 16_256, ...sound }), undefined)
  t.ok(performance.now() - began < 1_000, 'at once')
  t.equal((await clips.of({ width: 320, height: 180, ...sound }))?.pictures.length, 50)
})
