import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import { setKeepsEvents } from '#sql/webhooks/settings.ts'
import { roomsStack } from '../support/rooms-stack.ts'
import { until } from '../support/until.ts'

const stack = await roomsStack(t)
const { ask, makeRoom, join, connect, place, token, present, db, orgId } = stack
const workers = await stack.startRooms()

/** Comes to a room's door. */
async function knock(roomId: string, text: string) {
  const peer = await connect(await place(roomId, text))
  peer.send({ type: 'join', token: text })
  return peer
}

async function comes(roomId: string, identity: string, facts: object = {}) {
  const issued = await token(roomId, identity, facts)
  const peer = await knock(roomId, issued.token)
  await peer.hears('wait')
  return { ...peer, token: issued.token as string }
}

const waiting = async (roomId: string) => (await ask(`GET /v1/stream/rooms/${roomId}/waiting`)).body.data
const idOf = async (roomId: string, identity: string) =>
  (await waiting(roomId)).find((one: { identity: string }) => one.identity === identity)?.waitingId

t.test('whoever is no host waits, is counted as nobody, and comes in when a host says so', async (t) => {
  await setKeepsEvents(db, orgId, true)
  const roomId = await makeRoom({ waitingRoom: true, maxParticipants: 2 })
  const ann = await join(roomId, 'ann', { role: 'host' })
  const bob = await comes(roomId, 'bob', { displayName: 'Bob' })
  t.match(await bob.hears('wait'), { room: { roomId, name: 'Stand-up' } })
  t.match(await ann.hears('waiting'), { waiting: [{ identity: 'bob', displayName: 'Bob', role: 'participant' }] })
  t.strictSame(
    (await present(roomId)).map(({ identity }) => identity),
    ['ann'],
  )
  t.match(await waiting(roomId), [{ identity: 'bob', role: 'participant', since: /^20/ }])
  for (const message of [
    { type: 'chat', id: 1, text: 'let me in' },
    { type: 'publish', id: 2, sdp: 'v=0', tracks: [] },
    { type: 'end', id: 3 },
  ]) {
    bob.send(message)
    t.match(await bob.hears('error', ({ id }) => id === message.id), { code: 'forbidden' })
  }
  const {
    waiting: [{ waitingId }],
  } = await ann.hears('waiting')
  ann.send({ type: 'admit', id: 'a', waitingId })
  t.match(await bob.hears('joined'), { self: { identity: 'bob' }, participants: [{ identity: 'ann' }] })
  t.ok(await ann.hears('done', ({ id }) => id === 'a'))
  await ann.hears('waiting', (said) => said.waiting.length === 0)
  t.strictSame(await waiting(roomId), [])
  bob.send({ type: 'chat', id: 4, text: 'thanks' })
  await ann.hears('chat')
  ann.send({ type: 'admit', id: 'again', waitingId })
  t.match(await ann.hears('error', ({ id }) => id === 'again'), { code: 'not_found' })
  bob.socket.terminate()
  await until(async () => (await present(roomId)).length === 1)
  const back = await knock(roomId, bob.token)
  t.ok(await back.hears('joined'), 'who was let in comes back without waiting')
  const events = await db.any(sql.type(z.object({ type: z.string() }))`
    select type from webhooks.events where data ->> 'roomId' = ${roomId} and data ->> 'identity' = 'bob' order by id`)
  t.strictSame(
    events.slice(0, 2).map(({ type }) => type),
    ['video.room.participant.waiting', 'video.room.participant.joined'],
  )
})

t.test('who is sent away comes in no more with that token; the API lets in and sends away, too', async (t) => {
  const roomId = await makeRoom({ waitingRoom: true })
  const [bob, cy, dora] = [await comes(roomId, 'bob'), await comes(roomId, 'cy'), await comes(roomId, 'dora')]
  const at = async (identity: string) => `/v1/stream/rooms/${roomId}/waiting/${await idOf(roomId, identity)}`
  const path = await at('bob')
  t.equal((await ask(`DELETE ${path}`)).status, 202)
  t.equal((await bob.closed).code, 4012)
  t.equal((await stack.ingress.ask(`GET /v1/stream/rooms/${roomId}/connect?token=${bob.token}`)).status, 403)
  t.equal((await ask(`DELETE ${path}`)).status, 404, 'it is decided once')
  t.equal((await ask(`POST ${await at('cy')}/admit`)).status, 202)
  t.match(await cy.hears('joined'), { self: { identity: 'cy' } })
  const ann = await join(roomId, 'ann', { role: 'host' })
  const said = await ann.hears('waiting')
  t.match(said.waiting, [{ identity: 'dora' }], 'a host who comes is told who waits')
  cy.send({ type: 'refuse', id: 1, waitingId: said.waiting[0].waitingId })
  t.match(await cy.hears('error', ({ id }) => id === 1), { code: 'forbidden' })
  ann.send({ type: 'refuse', id: 2, waitingId: said.waiting[0].waitingId })
  t.equal((await dora.closed).code, 4012)
  ann.send({ type: 'admit', id: 3, waitingId: newId() })
  t.match(await ann.hears('error', ({ id }) => id === 3), { code: 'not_found' })
})

t.test('who leaves or comes twice waits once; when the door is opened all come in', async (t) => {
  const roomId = await makeRoom({ waitingRoom: true })
  const bob = await comes(roomId, 'bob')
  const again = await knock(roomId, bob.token)
  await again.hears('wait')
  t.equal((await bob.closed).code, 4009)
  t.equal((await waiting(roomId)).length, 1)
  again.send({ type: 'leave' })
  t.equal((await again.closed).code, 1000)
  await until(async () => (await waiting(roomId)).length === 0)
  const back = await knock(roomId, bob.token)
  await back.hears('wait')
  const cy = await comes(roomId, 'cy')
  const told = await db.any(sql.type(z.object({ id: z.string() }))`
    select waiting_id as id from rooms.waiting where room_id = ${roomId}`)
  t.equal(told.length, 2, 'a row for each token')
  t.equal((await ask(`PATCH /v1/stream/rooms/${roomId}`, { body: { waitingRoom: false } })).status, 200)
  for (const peer of [back, cy]) await peer.hears('joined')
  t.equal((await present(roomId)).length, 2)
  t.ok((await join(roomId, 'dora')).self, 'nobody waits any more')
})

t.test('a room that ends sends away who waits; one that is full has no place for who is let in', async (t) => {
  const [roomId, full] = [
    await makeRoom({ waitingRoom: true }),
    await makeRoom({ waitingRoom: true, maxParticipants: 1 }),
  ]
  const bob = await comes(roomId, 'bob')
  await ask(`DELETE /v1/stream/rooms/${roomId}`)
  t.equal((await bob.closed).code, 4004)
  await until(async () => (await waiting(roomId)).length === 0, { what: 'nobody waits' })
  await join(full, 'ann', { role: 'host' })
  const cy = await comes(full, 'cy')
  await ask(`POST /v1/stream/rooms/${full}/waiting/${await idOf(full, 'cy')}/admit`)
  t.equal((await cy.closed).code, 4008)
})

t.test('a worker that is killed loses nobody who waits, and nothing that was decided', async (t) => {
  const roomId = await makeRoom({ waitingRoom: true })
  const [bob, cy] = [await comes(roomId, 'bob'), await comes(roomId, 'cy')]
  await ask(`POST /v1/stream/rooms/${roomId}/waiting/${await idOf(roomId, 'bob')}/admit`)
  await bob.hears('joined')
  await workers.kill()
  await Promise.all([bob.closed, cy.closed])
  await stack.startRooms()
  await until(async () => (await waiting(roomId)).length === 0, { timeout: 30_000, what: 'nobody waits with the dead' })
  const [back, still] = [await knock(roomId, bob.token), await knock(roomId, cy.token)]
  await back.hears('joined')
  await still.hears('wait')
  t.match(await waiting(roomId), [{ identity: 'cy' }])
  await ask(`POST /v1/stream/rooms/${roomId}/waiting/${await idOf(roomId, 'cy')}/admit`)
  t.match(await still.hears('joined'), { self: { identity: 'cy' } })
})
