import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { WebSocketServer } from 'ws'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { createSeal } from '#lib/seal.ts'
import { SlateClips } from '../../workers/live/origin/slate-clips.ts'
import { JanusSession } from '../../workers/rooms/janus/session.ts'
import { Web } from '../../workers/rooms/web/index.ts'
import { Relay } from '../../workers/rooms/web/relay.ts'
import { until } from '../support/until.ts'

const folder = await mkdtemp(join(tmpdir(), 'web-walls-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))

t.test('a payload type that no packet can hold ends no relay', async (t) => {
  const relay = await Relay.open({ wish() {}, reshape() {} })
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

const Asked = z.object({
  janus: z.string(),
  transaction: z.string(),
  handle_id: z.number().optional(),
})

const offer = `v=0\r\nm=video 9 RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\na=fmtp:96 packetization-mode=1\r\na=recvonly\r\n`

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

t.test('viewers who come at the same moment are no more than there is room for', async (t) => {
  const session = await takingAll()
  const seal = createSeal('a secret of more than thirty-two letters', 'test')
  const web = new Web(
    { adminKey: 'key', session: async () => session, pid: () => undefined, stop: async () => session.close() },
    {
      ...{ seal, folder, rtmp: 'rtmp://127.0.0.1:1/live', bitRate: 1, patienceMs: 60_000 },
      ...{ mostPublishers: 2, mostViewers: 12, mostOfAll: 13 },
      publishing: {
        watch: () => ({ close: async () => {} }),
        whyOver: async () => undefined,
        remove: async () => {},
        removeOthers: async () => {},
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
  const [one, other] = [await publish(), await publish()]
  const watch = (network: string, what = one) => {
    const who = { id: newId(), ...what, network }
    return web.watch({ ...who, expiresAt: Date.now() + 60_000, sdp: offer }).then(
      () => who.id,
      (error) => error.code,
    )
  }
  await until(async () => (await watch('first')) !== 'channel_not_live', { timeout: 10_000, what: 'it is up' })
  const from = async (network: string) => await Promise.all(Array.from({ length: 12 }, () => watch(network)))
  const [first, second] = [await from('first'), await from('second')]
  const full = (answers: readonly string[]) => answers.filter((answer) => answer === 'unavailable').length
  t.same([full(first), full(second)], [3, 10], 'ten of one network, twelve of all')
  t.equal(web.load.viewers, 12)
  t.ok(await web.end(second[0] ?? ''))
  t.equal(full([await watch('second'), await watch('second')]), 1, 'who leaves makes room')
  t.equal(full([await watch('third', other), await watch('third', other)]), 1, 'rooms have the rest of the worker')
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
