import t from 'tap'
import { liveStack } from '../support/live-stack.ts'
import { roomsStack } from '../support/rooms-stack.ts'

const live = await liveStack(t)
const rooms = await roomsStack(t, live)
const { ask } = live
const path = (roomId: string) => `/v1/stream/rooms/${roomId}/broadcast`

t.test('only who has a key of an own channel broadcasts an own room, and once', async (t) => {
  const [channel, other, roomId] = await Promise.all([live.makeChannel(), live.makeChannel(), rooms.makeRoom()])
  const start = (room: string, body: object) => ask(`POST ${path(room)}`, { body })
  const right = { channelId: channel.id, streamKey: channel.primary }
  t.match(await start(roomId, { ...right, streamKey: other.primary }), {
    status: 403,
    body: { error: { code: 'stream_key_invalid' } },
  })
  t.match(await start(roomId, { ...right, channelId: roomId }), { status: 404 })
  t.match(await start(channel.id, right), { status: 404 })
  const bad = await start(roomId, { channelId: 'x', extra: 1 })
  t.equal(bad.status, 400)
  for (const field of ['channelId', 'streamKey', 'extra']) t.match(bad.text, field)
  t.match(await ask(`GET ${path(roomId)}`), { status: 404 })
  t.match(await ask(`DELETE ${path(roomId)}`), { status: 404 })
  t.match(await start(roomId, right), { status: 201, body: { state: 'starting', channelId: channel.id } })
  t.match(await start(roomId, right), { status: 409, body: { error: { code: 'broadcast_active' } } })
  t.notMatch((await ask(`GET ${path(roomId)}`)).text, channel.primary, 'the key is shown nowhere')
  await ask(`DELETE /v1/stream/rooms/${roomId}`)
  t.match(await start(roomId, right), { status: 409, body: { error: { code: 'room_ended' } } })
})
