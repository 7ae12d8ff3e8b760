import type { Test } from 'tap'
import { config } from '#lib/config.ts'
import { createHosting, createPresence } from '#tasks/rooms/rules/hosting.ts'
import { createModeration } from '#tasks/rooms/rules/moderation.ts'
import { Rooms } from '../../workers/rooms/gateway/rooms.ts'
import { awayPostgres } from '../support/away-postgres.ts'
import { leaseholder } from '../support/leaseholder.ts'
import { type Media, mediaPeers } from '../support/media-peer.ts'
import { roomsStack } from '../support/rooms-stack.ts'
import { until } from '../support/until.ts'
import { signingSecret, videoStack } from '../support/video-stack.ts'

/** Stops Postgres for some seconds under a room in which two hear and see each other: both stay, and what they did meanwhile is written. */
export async function roomGoesOn(t: Test, seconds: number): Promise<void> {
  const { url, db, pool, away } = await awayPostgres(t)
  const stack = await roomsStack(t, await videoStack(t, { database: { url, db } }))
  const [own, workerId] = [await pool(), await leaseholder(db, 'rooms')]
  const rooms = await Rooms.start({
    hosting: createHosting(own, workerId),
    presence: createPresence(own, workerId, signingSecret),
    moderation: createModeration(own),
    host: '127.0.0.1',
    port: 0,
    leaseMs: config.LEASE_MS,
    trustedProxies: [],
    publicUrl: (port) => `ws://127.0.0.1:${port}`,
    janus: {
      program: config.ROOMS_JANUS_PATH,
      libraries: config.ROOMS_JANUS_LIBRARIES,
      icePorts: '11000-11999',
      interfaces: config.ROOMS_ICE_INTERFACES,
      publicAddress: config.ROOMS_PUBLIC_ADDRESS,
    },
    attend: () => ({ look: async () => {}, close: async () => {} }),
  })
  t.teardown(() => rooms.close())
  const roomId = await stack.makeRoom()
  const peers = await mediaPeers(t)
  const enter = async (identity: string): Promise<Media> => {
    const issued = await stack.token(roomId, identity)
    return await peers.open(await stack.place(roomId, issued.token), issued.token)
  }
  const [ann, bob] = await Promise.all([enter('ann'), enter('bob')])
  await Promise.all([ann.publish(), bob.publish()])
  const guest = await stack.join(roomId, 'guest', { role: 'host' })
  const frames = async (peer: Media) =>
    (await peer.received()).filter(({ kind }) => kind === 'video').reduce((sum, track) => sum + track.frames, 0)
  const seeMore = async () => {
    const before = await Promise.all([frames(ann), frames(bob)])
    await until(async () => (await frames(ann)) > before[0] + 5 && (await frames(bob)) > before[1] + 5, {
      timeout: 40_000,
      what: 'each sees the other',
    })
  }
  await seeMore()
  const present = async () =>
    (await stack.present(roomId)).map(({ identity, state }) => `${identity} ${state}`).toSorted()
  const all = ['ann publishing', 'bob publishing', 'guest joined']
  await until(async () => (await present()).join() === all.join())
  const late = await stack.token(roomId, 'late')
  const gateway = await stack.place(roomId, late.token)

  await away(seconds, async () => {
    await seeMore()
    const [other] = (await guest.hears('joined')).participants
    guest.send({ type: 'setRole', id: 1, participantId: other.participantId, role: 'viewer' })
    t.match(await guest.hears('error'), { id: 1, code: 'unavailable' }, 'what cannot be written is told')
    guest.socket.close()
    const newcomer = await stack.connect(gateway)
    newcomer.send({ type: 'join', token: late.token })
    t.match(await newcomer.closed, { code: 4011, reason: 'try again' }, 'nobody new comes in')
  })
  await until(async () => (await present().catch(() => [])).join() === 'ann publishing,bob publishing', {
    what: 'who left meanwhile is out',
  })
  await seeMore()
  for (const peer of [ann, bob]) {
    t.equal(await peer.closed(), undefined, 'the connection is the same')
    const told = (await peer.said()).filter(({ type, event }) => type === 'participant' && event === 'left')
    t.match(told, [{ participant: { identity: 'guest' } }], 'nobody else was told to be gone')
  }
  await stack.join(roomId, 'late')
  t.pass('and others come in again')
}
