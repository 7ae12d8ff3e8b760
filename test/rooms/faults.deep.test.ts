import { readdir, readFile } from 'node:fs/promises'
import t from 'tap'
import { type Media, mediaPeers } from '../support/media-peer.ts'
import { roomsStack } from '../support/rooms-stack.ts'
import { until } from '../support/until.ts'
import { parentOf } from '../support/video-stack.ts'

const stack = await roomsStack(t)
const { makeRoom, token, place, present, join, connect, ask } = stack
const states = async (roomId: string) =>
  (await present(roomId))
    .map(({ identity, state }) => `${identity} ${state}`)
    .toSorted()
    .join()

/** The pid of a worker's media server. */
async function janusOf(worker: number): Promise<number | undefined> {
  for (const entry of await readdir('/proc')) {
    const pid = Number(entry)
    if (!Number.isInteger(pid) || (await parentOf(pid)) !== worker) continue
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (command.startsWith('janus\0')) return pid
  }
  return undefined
}

t.test('with one worker', async (t) => {
  const worker = await stack.startRooms()
  const peers = await mediaPeers(t)
  const enter = async (
    roomId: string,
    identity: string,
    facts: object = {},
  ): Promise<Media & { token: string; url: string }> => {
    const issued = await token(roomId, identity, facts)
    const url = await place(roomId, issued.token)
    return { ...(await peers.open(url, issued.token)), token: issued.token, url }
  }

  await t.test('a peer that is silent, or was killed, is gone within five seconds', async (t) => {
    const roomId = await makeRoom()
    const watcher = await join(roomId, 'watcher', { role: 'viewer' })
    const mute = await connect(await place(roomId, watcher.token), { autoPong: false })
    mute.send({ type: 'join', token: (await token(roomId, 'mute')).token })
    await mute.hears('joined')
    const ann = await enter(roomId, 'ann')
    t.equal((await ann.publish()).type, 'published')
    await until(async () => (await states(roomId)).startsWith('ann publishing'), { timeout: 15_000 })
    await watcher.hears('participant', ({ event, participant }) => event === 'left' && participant.identity === 'mute')
    await peers.kill()
    await watcher.hears('participant', ({ event, participant }) => event === 'left' && participant.identity === 'ann')
    await until(async () => (await states(roomId)) === 'watcher joined', { timeout: 5_000 })
  })

  await t.test('a muted voice reaches nobody until it is unmuted, and a viewer is cut off', async (t) => {
    const again = await mediaPeers(t)
    const roomId = await makeRoom()
    const open = async (identity: string) => {
      const issued = await token(roomId, identity)
      return await again.open(await place(roomId, issued.token), issued.token)
    }
    const [ann, bob] = [await open('ann'), await open('bob')]
    await ann.publish()
    const packets = async () => (await bob.received()).find(({ kind }) => kind === 'audio')?.packets ?? 0
    await until(async () => (await packets()) > 10, { timeout: 30_000 })
    const { participantId } = (await present(roomId)).find(({ identity }) => identity === 'ann')
    const at = `/v1/stream/rooms/${roomId}/participants/${participantId}`
    t.equal((await ask(`POST ${at}/mute`, { body: {} })).status, 202)
    const told = await until(async () => (await ann.said()).find(({ type }) => type === 'muted'))
    t.match(told, { kind: 'audio', by: 'api' })
    const [muted] = (await present(roomId)).find(({ identity }) => identity === 'ann').tracks
    t.match(muted, { kind: 'audio', muted: true })
    // Packets that were on their way are there by the time that others have come.
    const frames = async () => (await bob.received()).find(({ kind }) => kind === 'video')?.frames ?? 0
    const reached = await frames()
    await until(async () => (await frames()) > reached + 10, { timeout: 30_000 })
    const silent = await packets()
    const before = await frames()
    await until(async () => (await frames()) > before + 20, { timeout: 30_000 })
    t.equal(await packets(), silent, 'no packet while the picture goes on')
    const mid = (await ann.publishing()).find(({ kind }) => kind === 'audio')?.mid
    await ann.send({ type: 'state', id: 's', tracks: [{ mid, muted: false }] })
    await until(async () => (await packets()) > silent + 10, { timeout: 30_000 })

    t.equal((await ask(`PATCH ${at}`, { body: { role: 'viewer' } })).status, 200)
    await until(async () => (await states(roomId)) === 'ann joined,bob joined', { timeout: 15_000 })
    t.match(await ann.publish(), { type: 'error', code: 'forbidden' })
  })

  await t.test('a killed media server comes back, and everybody is told to rejoin', async (t) => {
    const roomId = await makeRoom()
    const ann = await join(roomId, 'ann')
    const janus = await janusOf(worker.pid)
    if (!janus) throw new Error('There is no media server.')
    process.kill(janus, 'SIGKILL')
    t.equal((await ann.closed).code, 4011)
    const again = await connect(await place(roomId, ann.token))
    again.send({ type: 'join', token: ann.token })
    t.match(await again.hears('joined'), { self: { participantId: ann.self.participantId } })
    await until(async () => (await states(roomId)) === 'ann joined')
    t.not(await janusOf(worker.pid), janus)
  })
  await worker.stop()
})

t.test('a dead worker’s rooms are opened elsewhere, and its people rejoin with their tokens', async (t) => {
  // So long that only the death can open the room.
  const lease = { LEASE_MS: '60000' }
  const first = await stack.startRooms(lease)
  const roomId = await makeRoom()
  const ann = await join(roomId, 'ann')
  const url = await place(roomId, ann.token)
  const second = await stack.startRooms(lease)
  t.equal(await place(roomId, ann.token), url, 'while its worker lives')
  await first.kill()
  await ann.closed
  const moved = await until(
    async () => {
      const there = await place(roomId, ann.token)
      return there !== url && there
    },
    { timeout: 20_000, what: 'the room moves' },
  )
  const again = await connect(moved)
  again.send({ type: 'join', token: ann.token })
  t.match(await again.hears('joined'), { self: { participantId: ann.self.participantId } })
  t.equal(await states(roomId), 'ann joined')

  const third = await stack.startRooms(lease)
  await second.stop()
  t.equal((await again.closed).code, 4011, 'one that drains says so')
  const last = await connect(await place(roomId, ann.token))
  last.send({ type: 'join', token: ann.token })
  t.ok(await last.hears('joined'))
  await third.stop()
})
