import t from 'tap'
import { newId } from '#lib/ids.ts'
import { updatesAtOnce, updatesPerSecond } from '../../workers/rooms/gateway/updates.ts'
import { type Peer, roomsStack } from '../support/rooms-stack.ts'
import { until } from '../support/until.ts'

const stack = await roomsStack(t)
const { ask, makeRoom, join } = stack
await stack.startRooms()

let ids = 0
/** Sends something that is answered; the answer. */
async function asks(peer: Peer, message: object) {
  const id = `t${++ids}`
  peer.send({ id, ...message })
  return await until(() => peer.said.find((said) => said.id === id), { what: JSON.stringify(message).slice(0, 80) })
}
const texts = ({ said }: Peer) => said.flatMap(({ type, text }) => (type === 'chat' ? [text] : []))

t.test('a text reaches all, or one; who comes later has what was written to all', async (t) => {
  const roomId = await makeRoom()
  const [ann, bob, cy] = [
    await join(roomId, 'ann', { displayName: 'Ann' }),
    await join(roomId, 'bob'),
    await join(roomId, 'cy', { role: 'viewer' }),
  ]
  t.match(await asks(ann, { type: 'chat', text: '  Hello <b>all</b>\n ' }), { type: 'done' })
  for (const peer of [ann, bob, cy])
    t.match(await peer.hears('chat'), {
      from: ann.self.participantId,
      name: 'Ann',
      text: 'Hello <b>all</b>',
      at: /^20/,
    })
  await asks(cy, { type: 'chat', text: 'for bob', to: bob.self.participantId })
  t.match(await bob.hears('chat', ({ text }) => text === 'for bob'), { to: bob.self.participantId })
  await asks(bob, { type: 'chat', text: 'last' })
  await cy.hears('chat', ({ text }) => text === 'last')
  t.strictSame(texts(cy), ['Hello <b>all</b>', 'for bob', 'last'], 'who wrote to one has it, too')
  await ann.hears('chat', ({ text }) => text === 'last')
  t.strictSame(texts(ann), ['Hello <b>all</b>', 'last'])
  const dora = await join(roomId, 'dora')
  t.strictSame(
    (await dora.hears('joined')).chat.map(({ text }: { text: string }) => text),
    ['Hello <b>all</b>', 'last'],
  )
  t.match(await asks(ann, { type: 'chat', text: 'x', to: newId() }), { type: 'error', code: 'not_found' })
})

t.test('data reach the others, or one, and are kept for nobody', async (t) => {
  const roomId = await makeRoom()
  const [ann, bob, cy] = [await join(roomId, 'ann'), await join(roomId, 'bob'), await join(roomId, 'cy')]
  await asks(ann, { type: 'data', topic: 'cursor', data: '{"x":1}' })
  for (const peer of [bob, cy])
    t.match(await peer.hears('data'), { from: ann.self.participantId, topic: 'cursor', data: '{"x":1}' })
  await asks(ann, { type: 'data', data: 'one', to: bob.self.participantId })
  await bob.hears('data', ({ data }) => data === 'one')
  await asks(cy, { type: 'data', data: 'all' })
  await bob.hears('data', ({ data }) => data === 'all')
  const of = ({ said }: Peer) => said.flatMap(({ type, data }) => (type === 'data' ? [data] : []))
  t.strictSame([of(ann), of(bob), of(cy)], [['all'], ['{"x":1}', 'one', 'all'], ['{"x":1}']])
  t.strictSame((await (await join(roomId, 'dora')).hears('joined')).chat, [])
})

t.test('fifty of a hundred texts are kept, and who writes faster than people do is refused and stays in', async (t) => {
  const roomId = await makeRoom()
  const ann = await join(roomId, 'ann')
  const begun = performance.now()
  const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => asks(ann, { type: 'chat', text: `${i}` })))
  // What a slow machine takes longer for may be more, by ten a second.
  const allowed = 30 + 10 * Math.ceil((performance.now() - begun) / 1000)
  const done = answers.filter(({ type }) => type === 'done')
  t.ok(done.length >= 30 && done.length <= allowed, `${done.length} are let through, of at most ${allowed}`)
  for (const answer of answers) t.ok(answer.type === 'done' || answer.code === 'rate_limited')
  for (let written = done.length; written <= 55; ) {
    const { type } = await asks(ann, { type: 'chat', text: `more ${written}` })
    if (type === 'done') written += 1
  }
  const { chat } = await (await join(roomId, 'bob')).hears('joined')
  t.equal(chat.length, 50)
  t.equal(chat.at(-1).text, 'more 55')
})

t.test('who may write is set with the room, and changes while they are in', async (t) => {
  const roomId = await makeRoom({ chat: 'publishers' })
  const [ann, bob, eve] = [
    await join(roomId, 'ann', { role: 'host' }),
    await join(roomId, 'bob'),
    await join(roomId, 'eve', { role: 'viewer' }),
  ]
  t.strictSame(
    [ann, bob, eve].map(({ self }) => self.can.chat),
    [true, true, false],
  )
  t.match(await eve.hears('joined'), { settings: { chat: 'publishers', waitingRoom: false, layout: 'grid' } })
  for (const message of [
    { type: 'chat', text: 'x' },
    { type: 'data', data: 'x' },
  ])
    t.match(await asks(eve, message), { type: 'error', code: 'forbidden' })
  t.match(await asks(bob, { type: 'chat', text: 'x' }), { type: 'done' })
  const changed = await ask(`PATCH /v1/stream/rooms/${roomId}`, { body: { chat: 'all' } })
  t.match(changed, { status: 200, body: { roomId, chat: 'all', waitingRoom: false, layout: 'grid' } })
  t.match(await eve.hears('settings'), { chat: 'all', can: { chat: true, publish: false } })
  t.match(await asks(eve, { type: 'chat', text: 'now' }), { type: 'done' })
  t.match(await asks(bob, { type: 'set', chat: 'off' }), { type: 'error', code: 'forbidden' })
  t.match(await asks(ann, { type: 'set', chat: 'off', layout: 'speaker' }), { type: 'done' })
  await bob.hears('settings', ({ chat, layout, can }) => chat === 'off' && layout === 'speaker' && !can.chat)
  t.match(await asks(ann, { type: 'chat', text: 'x' }), { type: 'error', code: 'forbidden' })
  t.match((await ask(`GET /v1/stream/rooms/${roomId}`)).body, { chat: 'off', layout: 'speaker' })
})

t.test('a hand is raised for all to see; hosts alone lower that of another', async (t) => {
  const roomId = await makeRoom()
  const [ann, bob] = [await join(roomId, 'ann', { role: 'host' }), await join(roomId, 'bob', { role: 'viewer' })]
  const { participantId } = bob.self
  await asks(bob, { type: 'hand', raised: true })
  await ann.hears('participant', ({ participant }) => participant.participantId === participantId && participant.hand)
  const cy = await join(roomId, 'cy')
  t.match(
    (await cy.hears('joined')).participants.map(({ hand }: { hand: unknown }) => hand),
    [null, /^20/],
  )
  t.match(await asks(cy, { type: 'hand', raised: false, participantId }), { type: 'error', code: 'forbidden' })
  t.match(await asks(ann, { type: 'hand', raised: true, participantId: cy.self.participantId }), { code: 'forbidden' })
  t.match(await asks(ann, { type: 'hand', raised: false, participantId }), { type: 'done' })
  const lowered = ({ event, participant }: { event: string; participant: { participantId: string; hand: unknown } }) =>
    event === 'updated' && participant.participantId === participantId && participant.hand === null
  await bob.hears('participant', lowered)
  t.match(await asks(ann, { type: 'hand', raised: false, participantId: newId() }), { code: 'not_found' })
})

t.test(
  'a hand that is raised and lowered without end is told at a bounded rate, and its last state always',
  async (t) => {
    const roomId = await makeRoom()
    const [ann, bob] = [await join(roomId, 'ann'), await join(roomId, 'bob')]
    const begun = performance.now()
    for (let i = 0; i < 100; i++) await asks(bob, { type: 'hand', raised: i % 2 === 0 })
    t.match(await asks(bob, { type: 'hand', raised: true }), { type: 'done' })
    await asks(bob, { type: 'chat', text: 'the last' })
    const updates = () => ann.said.filter(({ type, event }) => type === 'participant' && event === 'updated')
    await until(() => updates().at(-1)?.participant.hand)
    const allowed = updatesAtOnce + updatesPerSecond * Math.ceil((performance.now() - begun) / 1000)
    t.ok(updates().length >= 2 && updates().length <= allowed, `${updates().length} updates, of at most ${allowed}`)
  },
)

t.test('what is ill-formed names its field, and the API’s settings theirs', async (t) => {
  const roomId = await makeRoom()
  const long = 'x'.repeat(2_001)
  const bad: [object, string][] = [
    [{ type: 'chat' }, 'text'],
    [{ type: 'chat', text: '' }, 'text'],
    [{ type: 'chat', text: ' \n ' }, 'text'],
    [{ type: 'chat', text: 5 }, 'text'],
    [{ type: 'chat', text: long }, 'text'],
    [{ type: 'chat', text: 'a', to: 'bob' }, 'to'],
    [{ type: 'chat', text: 'a', to: null }, 'to'],
    [{ type: 'chat', text: 'a', from: 'me' }, 'type'],
    [{ type: 'data' }, 'data'],
    [{ type: 'data', data: { x: 1 } }, 'data'],
    [{ type: 'data', data: 'x'.repeat(8_193) }, 'data'],
    [{ type: 'data', data: 'x', topic: 'x'.repeat(65) }, 'topic'],
    [{ type: 'data', data: 'x', to: 7 }, 'to'],
    [{ type: 'hand' }, 'raised'],
    [{ type: 'hand', raised: 'yes' }, 'raised'],
    [{ type: 'hand', raised: true, participantId: 'x' }, 'participantId'],
    [{ type: 'admit' }, 'waitingId'],
    [{ type: 'admit', waitingId: 'x' }, 'waitingId'],
    [{ type: 'refuse', waitingId: [] }, 'waitingId'],
    [{ type: 'set' }, 'chat'],
    [{ type: 'set', chat: 'some' }, 'chat'],
    [{ type: 'set', waitingRoom: 'on' }, 'waitingRoom'],
    [{ type: 'set', layout: 'tiles' }, 'layout'],
    [{ type: 'set', layout: 'grid', id: {} }, 'id'],
  ]
  for (let i = 0; i < bad.length; i += 2) {
    const peer = await join(roomId, 'ann', { role: 'host' })
    for (const [message, field] of bad.slice(i, i + 2)) {
      const before = peer.said.filter(({ type }) => type === 'error').length
      peer.send({ id: 1, ...message })
      await until(() => peer.said.filter(({ type }) => type === 'error').length > before)
      const told = peer.said.filter(({ type }) => type === 'error').at(-1)
      const fields = told.details.map((one: { field: string }) => one.field)
      t.ok(told.code === 'bad_request' && fields.includes(field), `${JSON.stringify(message).slice(0, 60)}: ${fields}`)
    }
  }
  const path = `/v1/stream/rooms/${roomId}`
  const asked: [string, object | undefined, number, string | undefined][] = [
    [`PATCH ${path}`, {}, 400, 'body'],
    [`PATCH ${path}`, { chat: 'some' }, 400, 'body.chat'],
    [`PATCH ${path}`, { chat: null }, 400, 'body.chat'],
    [`PATCH ${path}`, { waitingRoom: 1 }, 400, 'body.waitingRoom'],
    [`PATCH ${path}`, { layout: 'tiles' }, 400, 'body.layout'],
    [`PATCH ${path}`, { layout: ['grid'] }, 400, 'body.layout'],
    [`PATCH ${path}`, { name: 'x' }, 400, 'body.name'],
    [`PATCH ${path}`, [] as object, 400, 'body'],
    ['POST /v1/stream/rooms', { name: 'x', chat: 1 }, 400, 'body.chat'],
    ['POST /v1/stream/rooms', { name: 'x', waitingRoom: 'yes' }, 400, 'body.waitingRoom'],
    ['POST /v1/stream/rooms', { name: 'x', layout: '' }, 400, 'body.layout'],
    [`PATCH /v1/stream/rooms/x`, { chat: 'all' }, 404, undefined],
    [`PATCH /v1/stream/rooms/${newId()}`, { chat: 'all' }, 404, undefined],
    [`GET /v1/stream/rooms/x/waiting`, undefined, 404, undefined],
    [`POST ${path}/waiting/x/admit`, undefined, 404, undefined],
    [`POST ${path}/waiting/${newId()}/admit`, undefined, 404, undefined],
    [`DELETE ${path}/waiting/${newId()}`, undefined, 404, undefined],
  ]
  for (const [what, body, status, field] of asked) {
    const answer = await ask(what, { body })
    t.equal(answer.status, status, `${what} ${JSON.stringify(body)}: ${answer.text.slice(0, 200)}`)
    if (field) t.match(JSON.stringify(answer.body.error), field)
  }
  await ask(`DELETE ${path}`)
  t.match(await ask(`PATCH ${path}`, { body: { chat: 'all' } }), {
    status: 409,
    body: { error: { code: 'room_ended' } },
  })
})
