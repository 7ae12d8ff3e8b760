import { randomBytes, randomInt } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import t from 'tap'
import { exitOf, liveStack, rate } from '../support/live-stack.ts'
import { until } from '../support/until.ts'

const stack = await liveStack(t)
const { publish, rtmp } = stack
// A lease so long that only its end opens what a worker has.
const environment = { LIVE_RECONNECT_SECONDS: '15', LEASE_MS: '60000' }
let workers = await stack.startLive(environment)

/** Processes of the worker, or below it, whose command line has a word. */
async function children(word: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))
  const found = await Promise.all(
    pids.map(async (pid) => {
      const files = ['cmdline', 'status'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => ''))
      const [command = '', status = ''] = await Promise.all(files)
      const isOurs = Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]) === workers.pid
      return isOurs && command.includes(word) ? [Number(pid)] : []
    }),
  )
  return found.flat()
}

const killAll = async (word: string) => {
  const pids = await children(word)
  if (pids.length === 0) throw new Error(`Nothing runs that is called ${word}.`)
  for (const pid of pids) process.kill(pid, 'SIGKILL')
}

/** Publishes again and again, as encoders do, until its seconds are over. */
async function encode(key: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const child = publish(rtmp(key))
    signal.addEventListener('abort', () => child.kill('SIGTERM'), { once: true })
    await exitOf(child)
  }
}

t.test('a broadcast survives its packager, nginx, its worker and its publisher', async (t) => {
  const channel = await stack.makeChannel()
  const over = new AbortController()
  const encoding = encode(channel.primary, over.signal)
  const { stream } = await channel.state('live')
  const goesOn = async (what: string, fault: () => Promise<void>) => {
    const before = (await channel.read()).stream?.lastPartAt
    await fault()
    const since = Date.now()
    const now = await until(
      async () => {
        const shown = await channel.read()
        return (
          shown.state === 'live' &&
          shown.stream.lastPartAt > before &&
          Date.parse(shown.stream.lastPartAt) > since &&
          shown
        )
      },
      { timeout: 30_000, what },
    )
    t.equal(now.stream.broadcastId, stream.broadcastId, `${what}: it is the same broadcast`)
    t.comment(`${what}: back after ${Date.now() - since} ms`)
  }
  await goesOn('packager killed', () => killAll(`${channel.id}-primary`))
  await goesOn('nginx killed', () => killAll('nginx.conf'))
  await goesOn('worker killed', async () => {
    await workers.kill()
    workers = await stack.startLive(environment)
  })
  await goesOn('worker stopped', async () => {
    await workers.stop()
    workers = await stack.startLive(environment)
  })
  over.abort()
  await encoding
  const ended = await stack.ask(`POST /v1/stream/live/channels/${channel.id}/end`, { body: {} })
  t.equal(ended.status, 202)
  const { assetId } = await channel.recorded()
  t.ok((await stack.frames(assetId)) > 4 * rate, 'what came before and after each is in one recording')
})

t.test('a store that is away delays a recording and costs no frame', async (t) => {
  const channel = await stack.makeChannel()
  const publisher = publish(rtmp(channel.primary), { seconds: 8 })
  await channel.state('live')
  await stack.store.stop()
  await until(async () => workers.lines.some((line) => line.includes('a recording is waiting for storage')))
  await stack.store.start()
  t.equal(await exitOf(publisher), 0)
  const ended = await stack.ask(`POST /v1/stream/live/channels/${channel.id}/end`, { body: {} })
  t.equal(ended.status, 202)
  const { assetId } = await channel.recorded()
  t.equal(await stack.frames(assetId), 8 * rate)
})

t.test('a thousand broken handshakes end nothing, and open nothing', async (t) => {
  const channel = await stack.makeChannel({ record: false })
  const publisher = publish(rtmp(channel.primary))
  await channel.state('live')
  const [nginx] = await children('nginx.conf')
  const hello = Buffer.concat([Buffer.from([3]), Buffer.alloc(8), randomBytes(1528)])
  const setChunkSize = Buffer.from([2, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0])
  const tcUrl = Buffer.concat([
    Buffer.from([3, 0, 0, 0, 0, 0, 48, 20, 0, 0, 0, 0, 2, 0, 7]),
    Buffer.from('connect'),
    Buffer.from('not a url'),
  ])
  const mutated = (): Buffer => {
    const bytes = Buffer.concat([
      hello,
      randomBytes(1536),
      [setChunkSize, tcUrl, randomBytes(64)][randomInt(3)] as Buffer,
    ])
    for (let i = randomInt(32); i > 0; i--) bytes[randomInt(bytes.length)] = randomInt(256)
    return bytes.subarray(0, randomInt(1, bytes.length + 1))
  }
  for (let round = 0; round < 40; round++) {
    const knocks = Array.from({ length: 25 }, async () => {
      const socket = connect(stack.port, '127.0.0.1')
      socket.on('error', () => {})
      const closed = new Promise((resolve) => socket.once('close', resolve))
      socket.end(mutated())
      socket.resume()
      socket.setTimeout(2_000, () => socket.destroy())
      await closed
    })
    await Promise.all(knocks)
  }
  t.same(await children('nginx.conf'), [nginx], 'nginx still runs')
  t.equal((await channel.read()).state, 'live')
  t.equal(publisher.exitCode, null)
})
