import t from 'tap'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import * as roomHosts from '#sql/rooms/hosts.ts'
import { readRoomToken } from '#tasks/rooms/rules/room-token.ts'
import { rooms } from '../../ingress/rooms/index.ts'
import { signIn } from '../console/fixture.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { leaseholder } from '../support/leaseholder.ts'
import { signingSecret, videoStack } from '../support/video-stack.ts'

const stack = await videoStack(t, { areas: ['console'] })
const { db, ask } = stack
const base = '/v1/stream/rooms'
const create = async (body: object = {}) => (await ask(`POST ${base}`, { body: { name: 'Stand-up', ...body } })).body
const issue = (roomId: string, body: object) => ask(`POST ${base}/${roomId}/tokens`, { body })
const connect = (roomId: string, token: string) =>
  stack.ingress.ask(`GET ${base}/${roomId}/connect?token=${encodeURIComponent(token)}`)

t.test('a room is made, listed and read; nobody is in it', async (t) => {
  const made = await create({ maxParticipants: 4, emptyTimeoutSeconds: 60, record: true })
  t.match(made, {
    name: 'Stand-up',
    state: 'idle',
    maxParticipants: 4,
    emptyTimeoutSeconds: 60,
    record: true,
    participants: 0,
    startedAt: null,
    endedAt: null,
  })
  t.strictSame((await ask(`GET ${base}/${made.roomId}`)).body, made)
  const { roomId: second } = await create()
  const page = await ask(`GET ${base}?limit=1`)
  t.equal(page.body.data[0].roomId, second, 'newest first')
  t.equal((await ask(`GET ${base}?cursor=${page.body.next_cursor}`)).body.data[0].roomId, made.roomId)
  t.strictSame((await ask(`GET ${base}/${second}/participants`)).body, { data: [], reconciledAt: null })
})

t.test('the plan caps who may be in a room; bad wishes are named by their fields', async (t) => {
  const { keys } = await testOrg(db, ['stream:read', 'stream:write'], { plan: 'free' })
  const free = (body: object) => ask(`POST ${base}`, { key: keys.main, body })
  t.match(await free({ name: 'a', maxParticipants: 11 }), {
    status: 400,
    body: { error: { code: 'plan_limit_exceeded', details: { max: 10 } } },
  })
  t.match((await free({ name: 'a' })).body, { maxParticipants: 10, emptyTimeoutSeconds: 300, record: false })
  const bad = { name: ' ', maxParticipants: 0, record: 'yes', emptyTimeoutSeconds: 0, open: 1 }
  const faults = await ask(`POST ${base}`, { body: bad })
  t.strictSame(
    [faults.status, fieldsOf(faults)],
    [400, ['emptyTimeoutSeconds', 'maxParticipants', 'name', 'open', 'record'].map((field) => `body.${field}`)],
  )
  const { roomId } = await create()
  const wrong = await issue(roomId, { displayName: 'a\u0007b', role: 'king', ttlSeconds: 59, for: 1 })
  t.strictSame(
    fieldsOf(wrong),
    ['displayName', 'for', 'identity', 'role', 'ttlSeconds'].map((field) => `body.${field}`),
  )
  t.equal((await issue(roomId, { identity: 'a', ttlSeconds: 43_201 })).status, 400)
  t.equal((await issue(newId(), { identity: 'a' })).status, 404)
})

t.test('a token says who it is for, and where to connect', async (t) => {
  const { roomId } = await create()
  const { body } = await issue(roomId, { identity: 'user-17', displayName: 'Änn', role: 'host' })
  t.match(body, { roomId, identity: 'user-17', displayName: 'Änn', role: 'host', url: null })
  const lives = Date.parse(body.expiresAt) - Date.now()
  t.ok(lives > 3_500_000 && lives <= 3_600_000, 'an hour')
  t.equal(new URL(body.joinUrl).pathname, `${base}/${roomId}/join`)
  t.match(readRoomToken(body.token, signingSecret), { room: roomId, identity: 'user-17', role: 'host' })
  t.match((await issue(roomId, { identity: 'x' })).body, { displayName: 'x', role: 'participant' })
  const away = await connect(roomId, body.token)
  t.equal(away.status, 503)
  t.ok(Number(away.headers.get('retry-after')) > 0)

  const [busy, idle] = [await leaseholder(db, 'rooms'), await leaseholder(db, 'rooms')]
  await roomHosts.register(db, { worker_id: busy, gateway_url: 'ws://busy', load: 5 })
  await roomHosts.register(db, { worker_id: idle, gateway_url: 'ws://idle', load: 1 })
  const url = `ws://idle/rooms/${roomId}`
  const told = await Promise.all(Array.from({ length: 8 }, () => connect(roomId, body.token)))
  t.strictSame(
    told.map((answer) => answer.body.url),
    Array.from({ length: 8 }, () => url),
    'all at once are told the same',
  )
  t.match(told[0]?.headers.get('cache-control'), 'no-store')
  t.equal((await issue(roomId, { identity: 'y' })).body.url, url)
  await roomHosts.unregister(db, idle)
  t.equal((await connect(roomId, body.token)).body.url, `ws://busy/rooms/${roomId}`, 'opened elsewhere')
  await roomHosts.unregister(db, busy)
})

t.test('a token opens its own room alone, and none that has ended', async (t) => {
  const [{ roomId }, { roomId: other }] = [await create(), await create()]
  const { token } = (await issue(roomId, { identity: 'ann' })).body
  for (const [id, text] of [
    [other, token],
    [roomId, `${token}x`],
    [roomId, 'x'],
  ])
    t.match(await connect(id, text), { status: 401, body: { error: { code: 'token_invalid' } } })
  t.equal((await ask(`DELETE ${base}/${roomId}`)).status, 200)
  t.match(await connect(roomId, token), { status: 410, body: { error: { code: 'room_ended' } } })
  t.match(await issue(roomId, { identity: 'ann' }), { status: 409, body: { error: { code: 'room_ended' } } })
  t.equal((await ask(`DELETE ${base}/${roomId}`)).status, 409, 'it ends once')
  t.match((await ask(`GET ${base}/${roomId}`)).body, { state: 'ended', endReason: 'ended' })
})

t.test('nobody reaches what another organisation has, by any operation of rooms', async (t) => {
  const { roomId } = await create()
  const { keys } = await testOrg(db, ['stream:read', 'stream:write'], { plan: 'unlimited' })
  const operations = rooms.operations.filter(({ path, route }) => path.startsWith(`${base}/{`) && !route.public)
  t.ok(operations.length >= 7)
  for (const { id, path, route } of operations) {
    const bodies: Record<string, object | undefined> = {
      'rooms.tokens.issue': { identity: 'a' },
      'rooms.rooms.update': { chat: 'all' },
      'rooms.participants.setRole': { role: 'host' },
      'rooms.participants.mute': {},
      'rooms.restreams.create': { name: 'a', url: 'rtmp://live.example.com/app', streamKey: 'k' },
      'rooms.restreams.update': { name: 'b' },
      'rooms.broadcasts.start': { channelId: newId(), streamKey: 'live_x' },
    }
    const at = path.replace('{roomId}', roomId).replace(/\{[^}]+\}/g, newId())
    const reply = await ask(`${route.method} ${at}`, { key: keys.main, body: bodies[id] })
    t.match(reply, { status: 404, body: { error: { code: 'not_found' } } }, id)
  }
  t.match((await ask(`GET ${base}/${roomId}`)).body, { state: 'idle' })
})

t.test('operators see the rooms in which somebody is', async (t) => {
  const { roomId } = await create({ name: 'Board <b>room</b>' })
  const [worker_id, connection_id] = [await leaseholder(db, 'rooms'), newId()]
  await roomHosts.claim(db, { room_id: roomId, worker_id, gateway_url: 'ws://here' })
  await db.query(sql.typeAlias('void')`
    insert into rooms.participants
      (room_id, participant_id, identity, display_name, role, token_id, worker_id, connection_id)
    values (${roomId}, ${newId()}, 'ann', 'Ann', 'host', ${newId()}, ${worker_id}, ${connection_id})`)
  const { keys } = await testOrg(db, ['operator'])
  const cookie = await signIn({ db, url: stack.ingress.url, key: keys.main, orgId: stack.orgId })
  const page = await stack.ingress.ask('GET /ops/rooms', { headers: { cookie } })
  t.match(page, { status: 200, text: /Board &lt;b&gt;room&lt;\/b&gt;.*ws:\/\/here.*1 of /s })
})
