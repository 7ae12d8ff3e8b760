import { readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { config } from '#lib/config.ts'
import { newId } from '#lib/ids.ts'
import { startJanus } from '../../workers/rooms/janus/janus.ts'
import { JanusRefusalError } from '../../workers/rooms/janus/session.ts'
import { VideoRoom } from '../../workers/rooms/janus/video-room.ts'
import { until } from '../support/until.ts'

const folders = async () => (await readdir(tmpdir())).filter((name) => name.startsWith('millrace-rooms-'))
const before = await folders()
const janus = await startJanus({
  program: config.ROOMS_JANUS_PATH,
  libraries: config.ROOMS_JANUS_LIBRARIES,
  icePorts: '12000-12099',
  interfaces: ['lo'],
  publicAddress: undefined,
  onLost() {},
})
t.teardown(() => janus.stop())
const session = await janus.session()
const folder = join(tmpdir(), (await folders()).find((name) => !before.includes(name)) ?? '')

const offer = [
  ...['v=0', 'o=- 1 1 IN IP4 127.0.0.1', 's=-', 't=0 0', 'a=group:BUNDLE 0'],
  ...['m=audio 9 UDP/TLS/RTP/SAVPF 111', 'c=IN IP4 0.0.0.0', 'a=mid:0', 'a=sendonly', 'a=rtcp-mux', 'a=setup:actpass'],
  ...['a=rtpmap:111 opus/48000/2', 'a=ice-ufrag:abcd', 'a=ice-pwd:abcdefghijklmnopqrstuvwx', 'a=ssrc:1 cname:a'],
  `a=fingerprint:sha-256 ${Array.from({ length: 32 }, () => 'AB').join(':')}`,
  '',
].join('\r\n')

t.test('whom the gateway admits may publish', async (t) => {
  const room = await VideoRoom.open(janus, newId(), 2)
  const publishing = await room.admit('ann', () => {})
  t.match(await publishing.publish(offer), { sdp: /^v=0/, streams: [{ type: 'audio', mid: '0' }] })
  t.ok((await room.list()).has(publishing.feed))
  await publishing.detach()
  await until(async () => !(await room.list()).has(publishing.feed))
  await room.destroy()
})

t.test('the media server lets nobody publish without a token of the room', async (t) => {
  const id = newId()
  const room = await VideoRoom.open(janus, id, 2)
  const handle = await session.attach(() => {})
  const enter = { request: 'join', ptype: 'publisher', room: id, id: newId(), display: 'eve' }
  const refused = (code: number) => (error: unknown) =>
    t.match(error, { code }, String(error)) && t.type(error, JanusRefusalError)
  await handle.ask(enter).then(() => t.fail('was let in'), refused(433))
  await handle.ask({ ...enter, token: newId() }).then(() => t.fail('was let in'), refused(433))
  for (const request of ['publish', 'joinandconfigure'])
    await handle.ask({ ...enter, request, token: newId() }, { type: 'offer', sdp: offer }).then(
      () => t.fail(`${request} was taken`),
      (error) => t.type(error, JanusRefusalError),
    )
  t.equal((await room.list()).size, 0)
  const answer = async (body: object) =>
    await handle.ask(body).then(
      ({ data }) => data,
      ({ code }) => code,
    )
  t.equal(await answer({ request: 'create', room: newId() }), 429, 'a room is made with the key of rooms alone')
  t.equal(await answer({ request: 'create', room: newId(), admin_key: newId() }), 433)
  t.equal(await answer({ request: 'destroy', room: id }), 429, 'and ended with its own secret')
  t.equal(await answer({ request: 'destroy', room: id, secret: newId() }), 433)
  t.match(await answer({ request: 'list' }), { list: [] }, 'none is listed')
  await room.destroy()
})

t.test('who subscribes cannot publish on that connection', async (t) => {
  const [room, handle] = [newId(), await session.attach(() => {})]
  await handle.ask({ request: 'create', room, admin_key: janus.adminKey, is_private: true, dummy_publisher: true })
  const { data } = await handle.ask({ request: 'listparticipants', room })
  const [dummy] = z.object({ participants: z.array(z.object({ id: z.string() })) }).parse(data).participants
  const joined = await handle.ask({ request: 'join', ptype: 'subscriber', room, streams: [{ feed: dummy?.id }] })
  t.match(joined.jsep?.sdp, 'a=sendonly', 'it is offered to receive alone')
  t.notMatch(joined.jsep?.sdp, /a=(sendrecv|recvonly)/)
  const refused = (error: unknown) => t.match(error, { name: 'JanusRefusalError' }, String(error))
  for (const request of ['publish', 'joinandconfigure', 'unpublish']) {
    await handle.ask({ request }, { type: 'offer', sdp: offer }).then(() => t.fail(`${request} was taken`), refused)
    await handle.ask({ request }).then(
      () => t.fail(`${request} was taken`),
      (error) => t.match(error, { code: 423 }, String(error)),
    )
  }
  await handle.detach()
})

t.test('its socket and secrets are its user’s alone, and nothing of it listens on the network', async (t) => {
  const conf = await readFile(join(folder, 'janus.jcfg'), 'utf8')
  const [, secret] = /api_secret = "(\w{48})"/.exec(conf) ?? []
  t.ok(secret)
  const socket = new WebSocket(`ws+unix:${join(folder, 'janus.sock')}:/`, 'janus-protocol')
  const answer = await new Promise<string>((resolve) => {
    socket.on('open', () => socket.send(JSON.stringify({ janus: 'create', transaction: 'x', apisecret: 'wrong' })))
    socket.on('message', (data) => resolve(String(data)))
  })
  socket.terminate()
  t.match(JSON.parse(answer), { janus: 'error', error: { code: 403 } })
  const inodes = await Promise.all(
    (await readdir(`/proc/${janus.pid()}/fd`)).map((fd) =>
      readFile(`/proc/${janus.pid()}/fdinfo/${fd}`, 'utf8').then(
        (text) => /ino:\s+(\d+)/.exec(text)?.[1] ?? '',
        () => '',
      ),
    ),
  )
  const listening = (await readFile('/proc/net/tcp', 'utf8'))
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state]) => state === '0A')
    .filter((fields) => inodes.includes(fields[9] ?? '-'))
  t.strictSame(listening, [])
})
