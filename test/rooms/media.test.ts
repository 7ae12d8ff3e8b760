import t from 'tap'
import { type Media, mediaPeers } from '../support/media-peer.ts'
import { roomsStack } from '../support/rooms-stack.ts'
import { until } from '../support/until.ts'

const stack = await roomsStack(t)
const { makeRoom, token, place, present, join } = stack
await stack.startRooms()
const peers = await mediaPeers(t)

/** Comes into a room with a browser's own WebRTC. */
async function enter(roomId: string, identity: string, facts: { role?: string } = {}): Promise<Media> {
  const issued = await token(roomId, identity, facts)
  return await peers.open(await place(roomId, issued.token), issued.token)
}

t.test('three hear and see each other, through one connection each way', async (t) => {
  const roomId = await makeRoom()
  const [ann, bob, eve] = await Promise.all([
    enter(roomId, 'ann'),
    enter(roomId, 'bob'),
    enter(roomId, 'eve', { role: 'viewer' }),
  ])
  await Promise.all([ann.publish(), bob.publish()])
  for (const [peer, others] of [
    [ann, 1],
    [bob, 1],
    [eve, 2],
  ] as const) {
    await until(
      async () => {
        const got = await peer.received()
        return (
          got.filter(({ kind, frames }) => kind === 'video' && frames > 5).length === others &&
          got.filter(({ kind, energy }) => kind === 'audio' && energy > 0).length === others
        )
      },
      { timeout: 40_000, what: 'frames and sound come' },
    )
  }
  t.match(await present(roomId), [{ state: /publishing|joined/ }, {}, {}])
  const shown = await present(roomId)
  t.strictSame(shown.map(({ identity, state }) => `${identity} ${state}`).toSorted(), [
    'ann publishing',
    'bob publishing',
    'eve joined',
  ])
  t.match(
    shown
      .find(({ identity }) => identity === 'ann')
      .tracks.toSorted((a: { kind: string }, b: { kind: string }) => (a.kind < b.kind ? -1 : 1)),
    [
      { kind: 'audio', source: 'microphone', muted: false },
      { kind: 'video', source: 'camera', muted: false },
    ],
  )
  t.match(await eve.publish(), { type: 'error', code: 'forbidden' })
  const { self } = await join(roomId, 'watcher')
  t.ok(self)
})

t.test('what is added or taken away while publishing comes and goes for the others', async (t) => {
  const roomId = await makeRoom()
  const [ann, bob] = [await enter(roomId, 'ann'), await enter(roomId, 'bob')]
  await ann.publish()
  const offered = async () => {
    const offers = (await bob.said()).filter(({ type }) => type === 'offer')
    const sources = offers.at(-1)?.tracks.map(({ source }: { source: string }) => source)
    return (sources ?? []).toSorted().join()
  }
  await until(async () => (await offered()) === 'camera,microphone', { timeout: 30_000 })
  const moving = async () => {
    const frames = async () =>
      (await bob.received()).map(({ mid, kind, frames: n }) => [mid, kind === 'video' ? n : 0] as const)
    const before = new Map(await frames())
    return async () => (await frames()).filter(([mid, n]) => n > (before.get(mid) ?? 0) + 5).length
  }
  t.equal((await ann.share(true)).type, 'published')
  await until(async () => (await offered()) === 'camera,microphone,screen', { timeout: 30_000 })
  const both = await moving()
  await until(async () => (await both()) === 2, { timeout: 30_000, what: 'both pictures move' })
  t.equal((await ann.share(false)).type, 'published')
  await until(async () => (await offered()) === 'camera,microphone', { timeout: 30_000 })
  const one = await moving()
  await until(async () => (await one()) === 1, { timeout: 30_000, what: 'the camera goes on' })
  await ann.send({ type: 'unpublish', id: 'u' })
  await until(async () => (await offered()) === '', { timeout: 30_000 })
  t.strictSame(
    (await present(roomId)).map(({ state }) => state),
    ['joined', 'joined'],
  )
  t.equal((await bob.closed()) ?? 'open', 'open')
  t.equal((await ann.publish()).type, 'published', 'a new connection publishes again')
  await until(async () => (await offered()) === 'camera,microphone', { timeout: 30_000 })
  const again = await moving()
  await until(async () => (await again()) === 1, { timeout: 30_000, what: 'the picture moves again' })
})
