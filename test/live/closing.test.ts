import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { newId } from '#lib/ids.ts'
import { createSeal } from '#lib/seal.ts'
import { sql } from '#sql/db.ts'
import { sealPurpose } from '#sql/live/channels.ts'
import { srtPorts } from '#tasks/live/rules/srt-ports.ts'
import { openHooks } from '../../workers/live/ingest/hooks.ts'
import { startSrt } from '../../workers/live/ingest/srt.ts'
import { createLiveOrigin } from '../../workers/live/origin/index.ts'
import { until } from '../support/until.ts'
import { signingSecret, videoStack } from '../support/video-stack.ts'

const stack = await videoStack(t)
const folder = await mkdtemp(join(tmpdir(), 'millrace-closing-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))

const listeners = () =>
  startSrt({
    srtPorts: srtPorts(stack.db, newId(), [1, 1]),
    seal: createSeal(signingSecret, sealPurpose),
    ffmpeg: 'ffmpeg',
    host: '127.0.0.1',
    folder,
    rtmp: 'rtmp://127.0.0.1:1/live',
    handshakes: 64,
  })

/** A UDP port of 127.0.0.1 that somebody has. */
async function takenPort() {
  const holder = createSocket('udp4')
  holder.bind(0, '127.0.0.1')
  await once(holder, 'listening')
  return { port: holder.address().port, free: () => new Promise<void>((done) => holder.close(() => done())) }
}

/** Whether nobody listens on a UDP port of 127.0.0.1. */
async function isFree(port: number): Promise<boolean> {
  const socket = createSocket('udp4')
  const bound = new Promise<boolean>((resolve) => {
    socket.once('error', () => resolve(false)).once('listening', () => resolve(true))
  })
  socket.bind({ port, address: '127.0.0.1', exclusive: true })
  const free = await bound
  socket.close()
  return free
}

async function channelOn(port: number): Promise<string> {
  const { body } = await stack.ask('POST /v1/stream/live/channels', { body: { name: `Channel ${newId()}` } })
  await stack.db.query(sql.typeAlias('void')`update live.channels set srt_port = ${port} where id = ${body.channelId}`)
  return body.channelId
}

t.test(
  'an SRT listener whose port is taken breaks off no sweep and no stop, and gets the port once it is free',
  async (t) => {
    const [first, second] = [await takenPort(), await takenPort()]
    await second.free()
    const taken = await channelOn(first.port)
    await channelOn(second.port)
    const srt = listeners()
    await srt.follow()
    await until(async () => !(await isFree(second.port)), { what: 'the other channel is listened for' })
    await stack.ask(`DELETE /v1/stream/live/channels/${taken}`)
    await t.resolves(srt.follow(), 'a channel whose port could not be had goes')
    await channelOn(first.port)
    await srt.follow()
    await first.free()
    await until(async () => !(await isFree(first.port)), { what: 'the port that is free again is listened on' })
    await t.resolves(srt.close())
    await t.resolves(srt.close(), 'closing again does nothing')
    t.ok((await isFree(first.port)) && (await isFree(second.port)))
  },
)

t.test('SRT listeners close while a port cannot be had', async (t) => {
  const held = await takenPort()
  await channelOn(held.port)
  const srt = listeners()
  await srt.follow()
  // Two turns of the loop in which the bind fails.
  for (let i = 0; i < 2; i++) await new Promise(setImmediate)
  await t.resolves(srt.close())
  await held.free()
  t.ok(await isFree(held.port), 'nothing is listened for after the close')
})

t.test('the origin and the hooks of nginx close twice', async (t) => {
  const origin = await createLiveOrigin({ folder: join(folder, 'live'), secret: signingSecret })
  const hooks = await openHooks({ publish: async () => null, done: async () => {}, play: () => false })
  for (const resource of [origin, hooks]) {
    await t.resolves(resource.close())
    await t.resolves(resource.close())
  }
})
