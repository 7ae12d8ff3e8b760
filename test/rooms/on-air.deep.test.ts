import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { sql } from '#sql/db.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { sweepBroadcasts } from '#tasks/rooms/sweep-broadcasts.ts'
import { airStack } from '../support/air-stack.ts'
import { colourAt, loudnessOf, regularityOf } from '../support/composite.ts'
import { until } from '../support/until.ts'

const stack = await airStack(t)
const { live, rooms, enter, broadcast, isOn } = stack
const { ask } = live
const path = (roomId: string) => `/v1/stream/rooms/${roomId}/broadcast`

t.test(
  'a room in which nobody is goes on the air with its name, stays there as people come, and ends in its time',
  async (t) => {
    const workers = await stack.startRooms()
    const [channel, roomId] = await Promise.all([
      live.makeChannel(),
      rooms.makeRoom({ name: 'Annual general meeting', emptyTimeoutSeconds: 3_600 }),
    ])
    await broadcast(roomId, channel)
    await isOn(roomId, 'live')
    await channel.state('live', 'primary')
    await enter(roomId, 'ann')
    await until(async () => (await rooms.present(roomId))[0]?.state === 'publishing')
    await pause(3_000)
    t.match((await ask(`GET ${path(roomId)}`)).body, { state: 'live' })
    t.match(await ask(`DELETE ${path(roomId)}`), { status: 202 })
    const sent = await stack.sourceOf((await channel.recorded()).assetId)
    const [middle, corner] = ['120:20:100:80', '60:30:0:0']
    t.ok(isGrey(await colourAt(sent, 0, middle)), 'the name is seen')
    t.ok(isBlack(await colourAt(sent, 0, corner)), 'on black')
    const { seconds, longest } = await regularityOf(sent, 'v')
    t.ok(longest <= 0.1, `${longest} s between two pictures`)
    t.notOk(isBlack(await colourAt(sent, seconds - 1, corner)), 'who comes takes the place of the name')

    const [other, brief] = await Promise.all([live.makeChannel(), rooms.makeRoom({ emptyTimeoutSeconds: 8 })])
    await broadcast(brief, other)
    t.match(await isOn(brief, 'ended'), { endReason: 'room_ended' })
    await workers.stop()
  },
)

t.test('a room of two is watched on a channel, and its recording outlives its worker', async (t) => {
  const workers = await stack.startRooms()
  const [channel, roomId] = await Promise.all([
    live.makeChannel(),
    rooms.makeRoom({ record: true, maxParticipants: 4 }),
  ])
  await Promise.all([enter(roomId, 'ann'), enter(roomId, 'bob')])
  await broadcast(roomId, channel)
  await isOn(roomId, 'live')
  const { stream } = await channel.state('live', 'primary')
  t.match(stream, { videoCodec: /^avc1/, audioCodec: /^mp4a/, width: 320, height: 180 })
  const present = await rooms.present(roomId)
  t.same(present.map(({ identity }) => identity).toSorted(), ['ann', 'bob'], 'the compositor is no participant')

  t.match(await ask(`DELETE ${path(roomId)}`), { status: 202 })
  t.match(await isOn(roomId, 'ended'), { endReason: 'stopped' })
  const sent = await stack.sourceOf((await channel.recorded()).assetId)
  for (const kind of ['v', 'a'] as const) {
    const { longest, at, seconds } = await regularityOf(sent, kind)
    t.ok(longest <= 0.1, `${kind}: ${longest} s between two packets, ${at} s into ${seconds}`)
  }

  const chunks = () => live.store.list('video/room-recordings/')
  await until(async () => (await chunks()).length >= 3, { timeout: 120_000, what: 'some of it is stored' })
  await workers.kill()
  const stored = (await chunks()).length
  t.match(await ask(`DELETE /v1/stream/rooms/${roomId}`), { status: 200 })
  await stack.startRooms()
  await live.db.query(sql.typeAlias('void')`
    update rooms.rooms set ended_at = ended_at - interval '2 minutes' where id = ${roomId}`)
  await enqueue(live.db, sweepBroadcasts, {})
  const kept = await stack.sourceOf(await stack.recorded(roomId))
  const { seconds, longest } = await regularityOf(kept, 'v')
  t.ok(seconds > stored - 1.5, `${seconds} s of ${stored}`)
  t.ok(longest < 0.1)
  t.ok((await loudnessOf(kept)) > -60)
})

/** White letters on black, on the whole; the picture of a fake camera is green. */
const isGrey = (colours: number[]) => colours.every((value) => value > 20)
const isBlack = (colours: number[]) => colours.every((value) => value <= 20)
