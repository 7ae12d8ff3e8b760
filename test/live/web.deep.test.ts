import { readdir, readFile } from 'node:fs/promises'
import t from 'tap'
import { sql } from '#sql/db.ts'
import { until } from '../support/until.ts'
import { webStack } from '../support/web-stack.ts'

t.setTimeout(600_000)
const stack = await webStack(t, [], 60)
const { live, peers, publish, watch, run, sees, is } = stack

/** The media server of a worker. */
async function janusOf(worker: number): Promise<number> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const [stat, command] = await Promise.all(
      ['stat', 'cmdline'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')),
    )
    const parent = Number(stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
    if (command?.startsWith('janus\0') && parent === worker) return Number(pid)
  }
  throw new Error('There is no media server.')
}

/** Publishes as soon as the key is free. */
async function again(key: string) {
  const page = await peers.open()
  await until(async () => (await publish(page, key)).status === 201, { timeout: 60_000, what: 'it publishes again' })
  return page
}

t.test('a publisher who vanishes is off the air within ten seconds, and their key is free', async (t) => {
  const rooms = await stack.startRooms()
  const channel = await live.makeChannel()
  const page = await peers.open()
  t.match(await publish(page, channel.primary), { status: 201 })
  await channel.state('live', 'primary')
  await page.close()
  const gone = Date.now()
  await until(async () => (await channel.read()).state !== 'live', { timeout: 20_000, what: 'it is not live' })
  t.ok(Date.now() - gone < 10_000, `${Date.now() - gone} ms`)

  const anew = await again(channel.primary)
  await channel.state('live', 'primary')
  await live.ask(`POST /v1/stream/live/channels/${channel.id}/keys/rotate`, { body: { which: 'primary' } })
  await is(anew, 'publishing', ['disconnected', 'failed', 'closed'])
  await live.ask(`POST /v1/stream/live/channels/${channel.id}/end`, { body: { holdSeconds: 0 } })
  const { assetId } = await until(
    async () => {
      const { body } = await live.ask(`GET /v1/stream/live/channels/${channel.id}/broadcasts`)
      return body.data.at(-1)?.recordedAt && body.data.at(-1)
    },
    { timeout: 180_000, what: 'it is recorded' },
  )
  t.ok((await live.frames(assetId)) > 30)
  await rooms.stop()
})

t.test('a killed media server is left for a new one, and a killed worker for another', async (t) => {
  const first = await stack.startRooms()
  const channel = await live.makeChannel()
  const [page, viewer] = [await peers.open(), await peers.open()]
  t.match(await publish(page, channel.primary), { status: 201 })
  await channel.state('live', 'primary')
  t.match(await watch(viewer, channel), { status: 201 })
  await sees(viewer)
  process.kill(await janusOf(first.pid), 'SIGKILL')
  await is(page, 'publishing', ['disconnected', 'failed', 'closed'])
  await again(channel.primary)
  await channel.state('live', 'primary')

  const second = await stack.startRooms()
  await first.kill()
  await again(channel.primary)
  await channel.state('live', 'primary')
  const broadcasts = await live.ask(`GET /v1/stream/live/channels/${channel.id}/broadcasts`)
  t.equal(broadcasts.body.data.length, 1, 'it goes on with its broadcast')
  await second.stop()
  await until(
    async () => (await live.db.query(sql.typeAlias('void')`select from live.web_publishers`)).rowCount === 0,
    { timeout: 30_000, what: 'no key is held' },
  )
})

t.test('pictures that change their size are broadcast in the new one, over the same connection', async (t) => {
  const rooms = await stack.startRooms()
  const channel = await live.makeChannel()
  const page = await peers.open()
  t.match(await publish(page, channel.primary, { clock: true }), { status: 201 })
  t.match(await channel.state('live', 'primary'), { stream: { width: 320 } })
  await run(page, 'resize', 640, 360)
  await until(
    async () => {
      const { state, stream } = await channel.read()
      return state === 'live' && stream.width === 640
    },
    { timeout: 60_000, what: 'it is live in the new size' },
  )
  await is(page, 'publishing', ['connected'])
  await rooms.stop()
})

t.test('live ingest that is killed is published to again by the same connection', async (t) => {
  const rooms = await stack.startRooms()
  const channel = await live.makeChannel()
  const page = await peers.open()
  t.match(await publish(page, channel.primary), { status: 201 })
  await channel.state('live', 'primary')
  await stack.liveWorker.kill()
  await live.startLive({ LIVE_RECONNECT_SECONDS: '60' })
  await until(async () => (await channel.read()).state === 'live', { timeout: 60_000, what: 'it is live again' })
  await is(page, 'publishing', ['connected'])
  await rooms.stop()
})
