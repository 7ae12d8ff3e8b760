import { createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import t from 'tap'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import { setKeepsEvents } from '#sql/webhooks/settings.ts'
import { signRoomToken } from '#tasks/rooms/rules/room-token.ts'
import { roomsStack } from '../support/rooms-stack.ts'
import { until } from '../support/until.ts'
import { signingSecret } from '../support/video-stack.ts'

const stack = await roomsStack(t)
const { ask, makeRoom, join, present, token, place, connect, db, orgId } = stack
const turn = { urls: 'turn:turn.example:3478', secret: 'shared with coturn' }
await stack.startRooms({
  ROOMS_STUN_URLS: 'stun:stun.example:3478',
  ROOMS_TURN_URLS: turn.urls,
  ROOMS_TURN_SECRET: turn.secret,
})

const identities = async (roomId: string) => (await present(roomId)).map(({ identity }) => identity)
const at = (roomId: string, participantId: string) => `/v1/stream/rooms/${roomId}/participants/${participantId}`

t.test('who joins is shown to all, and who leaves is gone', async (t) => {
  const roomId = await makeRoom()
  const ann = await join(roomId, 'ann', { displayName: 'Ann', role: 'host' })
  t.match(ann.self, {
    identity: 'ann',
    displayName: 'Ann',
    role: 'host',
    state: 'joined',
    tracks: [],
    can: { publish: true, moderate: true },
  })
  const bob = await join(roomId, 'bob', { role: 'viewer' })
  t.match(bob.self.can, { publish: false, moderate: false })
  t.match(await bob.hears('joined'), {
    room: { roomId, name: 'Stand-up', record: false },
    participants: [{ identity: 'ann' }],
    broadcast: false,
    recording: false,
  })
  t.match(await ann.hears('participant'), { event: 'joined', participant: { identity: 'bob' } })
  t.strictSame(await identities(roomId), ['ann', 'bob'])
  t.match((await ask(`GET /v1/stream/rooms/${roomId}`)).body, { state: 'active', participants: 2, publishing: 0 })
  const { body } = await ask(`GET /v1/stream/rooms/${roomId}/participants`)
  t.match(body.data[0], { participantId: ann.self.participantId, role: 'host', state: 'joined' })
  bob.send({ type: 'leave' })
  t.equal((await bob.closed).code, 1000)
  await ann.hears('participant', ({ event, reason }) => event === 'left' && reason === 'left')
  await until(async () => (await identities(roomId)).join() === 'ann')
  await until(async () => (await ask(`GET /v1/stream/rooms/${roomId}/participants`)).body.reconciledAt)
})

t.test('each is told of the STUN and TURN servers, with credentials of their own', async (t) => {
  const ann = await join(await makeRoom(), 'ann')
  const { iceServers } = await ann.hears('joined')
  const [stun, relay] = iceServers
  t.strictSame(stun, { urls: ['stun:stun.example:3478'] })
  const [until = '', whose] = relay.username.split(':')
  t.ok(Number(until) > Date.now() / 1000 + 3_600)
  t.equal(whose, ann.self.participantId)
  const credential = createHmac('sha1', turn.secret).update(relay.username).digest('base64')
  t.strictSame([relay.urls, relay.credential], [[turn.urls], credential])
})

t.test('a room that has ended is empty at once, and its tokens are dead', async (t) => {
  const roomId = await makeRoom()
  const [ann, bob] = [await join(roomId, 'ann'), await join(roomId, 'bob')]
  const url = await place(roomId, ann.token)
  t.equal((await ask(`DELETE /v1/stream/rooms/${roomId}`)).status, 200)
  t.strictSame(await identities(roomId), [])
  for (const peer of [ann, bob]) t.equal((await peer.closed).code, 4004)
  const again = await connect(url)
  again.send({ type: 'join', token: ann.token })
  t.equal((await again.closed).code, 4004)
})

t.test('an empty room ends by itself; one to which somebody comes back does not', async (t) => {
  const [roomId, kept] = [await makeRoom({ emptyTimeoutSeconds: 1 }), await makeRoom({ emptyTimeoutSeconds: 60 })]
  const [ann, bob] = [await join(roomId, 'ann'), await join(kept, 'bob')]
  ann.send({ type: 'leave' })
  bob.socket.terminate()
  await until(async () => (await ask(`GET /v1/stream/rooms/${roomId}`)).body.endReason === 'empty', { timeout: 15_000 })
  await until(async () => (await ask(`GET /v1/stream/rooms/${kept}`)).body.emptySince)
  await join(kept, 'bob')
  t.match((await ask(`GET /v1/stream/rooms/${kept}`)).body, { emptySince: null, state: 'active', endedAt: null })
})

t.test('a room to which nobody ever comes ends in its time', async (t) => {
  const [roomId, kept] = [await makeRoom({ emptyTimeoutSeconds: 1 }), await makeRoom()]
  const ended = async () => {
    const { body } = await ask(`GET /v1/stream/rooms/${roomId}`)
    return body.state === 'ended' && body
  }
  t.match(await until(ended, { timeout: 15_000 }), { endReason: 'empty', startedAt: null })
  t.match((await ask(`GET /v1/stream/rooms/${kept}`)).body, { state: 'idle', emptySince: /^20/, endedAt: null })
})

t.test('the API kicks, and the token that was kicked opens nothing', async (t) => {
  const roomId = await makeRoom()
  const [ann, bob] = [await join(roomId, 'ann'), await join(roomId, 'bob')]
  const url = await place(roomId, bob.token)
  t.equal((await ask(`DELETE ${at(roomId, bob.self.participantId)}`)).status, 202)
  t.equal((await bob.closed).code, 4010)
  await ann.hears('participant', ({ event, reason }) => event === 'left' && reason === 'kicked')
  const again = await connect(url)
  again.send({ type: 'join', token: bob.token })
  t.equal((await again.closed).code, 4010)
  t.equal((await stack.ingress.ask(`GET /v1/stream/rooms/${roomId}/connect?token=${bob.token}`)).status, 403)
  const { self } = await join(roomId, 'bob')
  t.equal(self.participantId, bob.self.participantId, 'with a new token it is the same participant')
  t.equal((await ask(`DELETE ${at(roomId, newId())}`)).status, 404)
})

t.test('a role that is given holds for its token; hosts alone moderate', async (t) => {
  const roomId = await makeRoom()
  const [ann, bob] = [await join(roomId, 'ann', { role: 'host' }), await join(roomId, 'bob')]
  const { participantId } = bob.self
  for (const message of [
    { type: 'kick', id: 1, participantId: ann.self.participantId },
    { type: 'mute', id: 2, participantId, kind: 'audio' },
    { type: 'setRole', id: 3, participantId, role: 'host' },
  ]) {
    bob.send(message)
    t.match(await bob.hears('error', ({ id }) => id === message.id), { code: 'forbidden' })
  }
  ann.send({ type: 'setRole', id: 'r', participantId, role: 'viewer' })
  t.match(await bob.hears('role'), { role: 'viewer', can: { publish: false, moderate: false } })
  t.ok(await ann.hears('done', ({ id }) => id === 'r'))
  const again = await connect(await place(roomId, bob.token))
  again.send({ type: 'join', token: bob.token })
  t.match(await again.hears('joined'), { self: { role: 'viewer' } })
  t.match((await ask(`PATCH ${at(roomId, participantId)}`, { body: { role: 'host' } })).body, { role: 'host' })
  t.match(await again.hears('role'), { role: 'host', can: { moderate: true } })
  again.send({ type: 'kick', id: 'k', participantId: ann.self.participantId })
  t.equal((await ann.closed).code, 4010)
  again.send({ type: 'kick', id: 'n', participantId: newId() })
  t.match(await again.hears('error', ({ id }) => id === 'n'), { code: 'not_found' })
  t.equal((await ask(`PATCH ${at(roomId, participantId)}`, { body: { role: 'king' } })).status, 400)
})

t.test('one connection an identity: the newer wins', async (t) => {
  const roomId = await makeRoom({ maxParticipants: 1 })
  const first = await join(roomId, 'ann')
  const second = await join(roomId, 'ann')
  t.equal((await first.closed).code, 4009)
  t.equal(second.self.participantId, first.self.participantId)
  t.strictSame(await identities(roomId), ['ann'])
})

t.test('over its cap a room lets nobody in, however many come at once', async (t) => {
  const roomId = await makeRoom({ maxParticipants: 2 })
  const url = await place(roomId, (await token(roomId, 'x')).token)
  const peers = await Promise.all(
    Array.from({ length: 6 }, async (_, i) => {
      const [peer, issued] = await Promise.all([connect(url), token(roomId, `p${i}`)])
      peer.send({ type: 'join', token: issued.token })
      return peer
    }),
  )
  const joined = () => peers.filter(({ said }) => said.some(({ type }) => type === 'joined')).length
  const codes: number[] = []
  for (const peer of peers) void peer.closed.then(({ code }) => codes.push(code))
  await until(() => joined() === 2 && codes.length === 4, { timeout: 15_000 })
  t.strictSame(codes, [4008, 4008, 4008, 4008])
  t.equal((await identities(roomId)).length, 2)
})

t.test('tokens that are over, forged, foreign or for something else let nobody in', async (t) => {
  const [roomId, other] = [await makeRoom(), await makeRoom()]
  const [issued, foreign] = [await token(roomId, 'ann'), await token(other, 'ann')]
  const url = await place(roomId, issued.token)
  const claims = { room: roomId, jti: newId(), identity: 'eve', displayName: 'Eve', role: 'host' as const }
  const now = Math.floor(Date.now() / 1000)
  const [body] = issued.token.split('.')
  for (const text of [
    signRoomToken({ ...claims, exp: now - 1 }, signingSecret),
    signRoomToken({ ...claims, exp: now + 60 }, 'another secret'),
    signRoomToken({ ...claims, room: newId(), exp: now + 60 }, signingSecret),
    foreign.token,
    `${body}.`,
    `${body}.${randomBytes(32).toString('base64url')}`,
    'x',
  ]) {
    const peer = await connect(url)
    peer.send({ type: 'join', token: text })
    t.equal((await peer.closed).code, 4001, text)
    t.strictSame(peer.said, [])
  }
  const silent = await connect(url)
  silent.send({ type: 'leave' })
  t.equal((await silent.closed).code, 4001, 'the token comes first')
  t.strictSame(await identities(roomId), [])
  for (const wrong of [url.replace(roomId, 'x'), `${url}/more`, url.replace('/rooms/', '/other/')])
    t.notOk(await opens(wrong), wrong)
  t.notOk(await opens(url, 'janus-protocol'))
})

t.test('six hundred connections that never join shut nobody out, and are gone within seconds', async (t) => {
  const roomId = await makeRoom()
  const issued = await token(roomId, 'x')
  const url = await place(roomId, issued.token)
  const idle = new Set<WebSocket>()
  const flood = async (count: number, localAddress: (i: number) => string) => {
    for (let i = 0; i < count; i++) {
      const socket = new WebSocket(url, 'millrace.room.1', { localAddress: localAddress(i) })
      socket.on('error', () => {})
      socket.on('close', () => idle.delete(socket))
      t.teardown(async () => socket.terminate())
      await once(socket, 'open')
      idle.add(socket)
    }
  }
  await flood(60, () => '127.0.0.1')
  await until(() => idle.size <= 20, { timeout: 5_000, what: 'twenty of an address are left' })
  t.ok((await join(roomId, 'neighbour')).self, 'who joins from the same address comes in')
  await flood(600, (i) => `127.0.1.${1 + (i % 40)}`)
  t.ok(idle.size <= 520, `${idle.size} are left`)
  t.ok((await join(roomId, 'ann')).self)
  await until(() => idle.size === 0, { timeout: 20_000, what: 'who never joined is gone' })
  t.strictSame(await identities(roomId), ['neighbour', 'ann'])
})

t.test('two hundred ill-formed messages: nothing dies, nobody is in, and who is in stays', async (t) => {
  const roomId = await makeRoom()
  const ann = await join(roomId, 'ann')
  const { token: spare } = await token(roomId, 'eve')
  const url = await place(roomId, spare)
  const messages = illFormed(ann.self.participantId)
  t.equal(messages.length, 200)
  let refused = 0
  for (let i = 0; i < messages.length; i += 3) {
    const peer = await connect(url)
    for (const message of messages.slice(i, i + 3)) peer.socket.send(message)
    const { code } = await peer.closed
    if ([4029, 4001, 1009, 1007, 1002].includes(code)) refused += 1
    else t.fail(`${code} for ${messages.slice(i, i + 3).map((one) => String(one).slice(0, 60))}`)
  }
  t.equal(refused, Math.ceil(messages.length / 3))
  t.strictSame(await identities(roomId), ['ann'])

  for (const message of messages) {
    if (ann.socket.readyState !== WebSocket.OPEN) break
    ann.socket.send(message)
  }
  t.equal((await ann.closed).code, 4029, 'a participant is put out for it, too')
  const bob = await join(roomId, 'bob')
  for (let i = 0; i < 400; i++) bob.send({ type: 'candidate', connection: 'publisher', candidate: null })
  t.equal((await bob.closed).code, 4029, 'and for too many')
  t.ok((await join(roomId, 'eve')).self, 'others come in as ever')
})

t.test('a bad offer is refused by its fields, and the media server outlives all of them', async (t) => {
  const roomId = await makeRoom()
  const ann = await join(roomId, 'ann')
  const head = 'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n'
  const audio = 'm=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:0\r\na=sendonly\r\n'
  const tracks = [{ mid: '0', kind: 'audio', source: 'microphone' }]
  let id = 0
  const publish = async (sdp: string, named: object[] = tracks) => {
    const mine = `p${++id}`
    ann.send({ type: 'publish', id: mine, sdp, tracks: named })
    return await ann.hears('error', (message) => message.id === mine)
  }
  const fieldsOf = ({ details }: { details: { field: string }[] }) => details.map(({ field }) => field)
  t.strictSame(fieldsOf(await publish(head)), ['sdp', 'tracks.0.mid'])
  t.strictSame(fieldsOf(await publish(head + audio, [])), ['tracks'])
  t.strictSame(fieldsOf(await publish(head + audio, [{ ...tracks[0], kind: 'video' }])), ['tracks.0.kind'])
  const data = 'm=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\na=mid:1\r\n'
  t.strictSame(fieldsOf(await publish(head + audio + data)), ['tracks'])
  for (const text of [
    head + audio,
    `${head}${audio}a=rtpmap:111 opus/48000/2\r\n`,
    `v=0\r\nm=audio x y z\r\na=mid:0\r\n`,
  ])
    t.match(await publish(text), { code: 'media_failed' })
  for (const message of [
    { type: 'answer', sdp: head },
    { type: 'layers', tracks: [{ mid: '7', layer: 'low' }] },
  ]) {
    const before = ann.said.length
    ann.send(message)
    await until(() => ann.said.length > before)
    t.match(ann.said.at(-1), { type: 'error', code: 'bad_request' })
  }
  ann.send({ type: 'state', id: 's', tracks: [{ mid: '0', muted: true }] })
  t.match(await ann.hears('error', (message) => message.id === 's'), { code: 'bad_request' })
  t.strictSame(await identities(roomId), ['ann'])
})

t.test('webhooks are told who came and went, and when a room began and ended', async (t) => {
  await setKeepsEvents(db, orgId, true)
  const roomId = await makeRoom()
  const ann = await join(roomId, 'ann')
  ann.send({ type: 'leave' })
  await ann.closed
  await until(async () => (await identities(roomId)).length === 0)
  await ask(`DELETE /v1/stream/rooms/${roomId}`)
  const told = await db.any(sql.type(z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) }))`
    select type, data from webhooks.events where data ->> 'roomId' = ${roomId} order by id`)
  t.match(told, [
    { type: 'video.room.started', data: { name: 'Stand-up' } },
    { type: 'video.room.participant.joined', data: { identity: 'ann', role: 'participant' } },
    { type: 'video.room.participant.left', data: { identity: 'ann', reason: 'left' } },
    { type: 'video.room.ended', data: { reason: 'ended' } },
  ])
})

/** Whether a WebSocket can be opened there. */
async function opens(url: string, protocol = 'millrace.room.1'): Promise<boolean> {
  const socket = new WebSocket(url, protocol)
  return await new Promise((resolve) => {
    socket.once('open', () => {
      socket.terminate()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

/** Messages that nobody may send: no JSON, of no type, with fields of other kinds, too long, or binary. */
function illFormed(participantId: string): (string | Buffer)[] {
  const good = [
    { type: 'join', token: 'x' },
    { type: 'publish', id: 1, sdp: 'v=0', tracks: [] },
    { type: 'unpublish', id: 1 },
    { type: 'answer', sdp: 'v=0' },
    { type: 'candidate', connection: 'publisher', candidate: null },
    { type: 'state', id: 1, tracks: [] },
    { type: 'layers', tracks: [] },
    { type: 'kick', id: 1, participantId },
    { type: 'mute', id: 1, participantId, kind: 'audio' },
    { type: 'setRole', id: 1, participantId, role: 'host' },
  ]
  const wrong: unknown[] = [null, [], {}, -1.5, 'x'.repeat(5_000), { toString: 1 }, true, [[]], '\ud800']
  const spoiled = good.flatMap((message) => [
    ...Object.keys(message).flatMap((field) => wrong.map((value) => ({ ...message, [field]: value }))),
    { ...message, extra: 1 },
  ])
  const known = new Set(['candidate', 'tracks'])
  const texts = spoiled
    .filter(
      (message) =>
        !Object.entries(message).some(
          ([field, value]) => known.has(field) && (value === null || Array.isArray(value)) && !('extra' in message),
        ),
    )
    .map((message) => JSON.stringify(message))
  const raw = [
    '',
    '{',
    'null',
    '[]',
    '1',
    '"join"',
    '{"type":"join"',
    '{"__proto__":{"type":"leave"}}',
    '\u0000',
    '{"type":"x"}',
  ]
  const long = [
    `{"type":"candidate","connection":"publisher","candidate":{"candidate":"${'x'.repeat(70_000)}"}}`,
    'x'.repeat(300_000),
  ]
  return [...raw, ...long, randomBytes(100), Buffer.from('{"type":"leave"}'), ...texts].slice(0, 200)
}
