import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { airStack } from '../support/air-stack.ts'
import { loudnessOf, regularityOf } from '../support/composite.ts'
import { type Media, mediaPeers } from '../support/media-peer.ts'

const stack = await airStack(t)
const { live, rooms, enter, broadcast, isOn } = stack

t.test('three people for two minutes, one leaves, one is killed and comes back: the channel has no gap', async (t) => {
  await stack.startRooms()
  const [channel, roomId] = await Promise.all([
    live.makeChannel(),
    rooms.makeRoom({ record: true, maxParticipants: 4 }),
  ])
  // A browser of its own, which dies without a word.
  const doomed = await mediaPeers(t)
  const { token } = await rooms.token(roomId, 'eve')
  const eve: Media = await doomed.open(await rooms.place(roomId, token), token)
  const [, bob] = await Promise.all([enter(roomId, 'ann'), enter(roomId, 'bob'), eve.publish()])
  await broadcast(roomId, channel)
  await isOn(roomId, 'live')
  // Two minutes of it, in which things happen.
  await pause(30_000)
  await bob.send({ type: 'leave' })
  await pause(20_000)
  await eve.page.context().browser()?.close()
  await pause(20_000)
  const back = await enter(roomId, 'eve')
  await pause(50_000)
  t.equal(await back.closed(), undefined)
  const { stream } = await channel.state('live')
  t.same(stream.warnings, [])
  t.match(await live.ask(`DELETE /v1/stream/rooms/${roomId}`), { status: 200 })
  t.match(await isOn(roomId, 'ended'), { endReason: 'room_ended' })
  const { body } = await live.ask(`GET /v1/stream/live/channels/${channel.id}/broadcasts`)
  t.equal(body.data.length, 1, 'it is one broadcast')
  for (const id of [(await channel.recorded()).assetId, await stack.recorded(roomId)]) {
    const file = await stack.sourceOf(id)
    for (const kind of ['v', 'a'] as const) {
      const { longest, seconds } = await regularityOf(file, kind)
      t.ok(longest <= 0.1, `${kind}: ${longest} s between two packets`)
      t.ok(seconds > 115, `${kind}: ${seconds} s`)
    }
    t.ok((await loudnessOf(file)) > -60)
  }
})
