import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { config } from '#lib/config.ts'
import { sql } from '#sql/db.ts'
import { exitOf, liveStack } from '../support/live-stack.ts'
import { until } from '../support/until.ts'

const folder = await mkdtemp(join(tmpdir(), 'millrace-srt-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))
// Listeners are nobody, who has to read what is here.
await chmod(folder, 0o777)

const ffmpeg = (...args: string[]) =>
  exitOf(spawn(config.FFMPEG_PATH, ['-nostdin', '-v', 'error', ...args], { stdio: 'ignore' }))

const film = join(folder, 'film.ts')
await ffmpeg('-f', 'lavfi', '-i', 'testsrc2=s=160x90:r=25:d=4', '-c:v', 'libx264', '-g', '25', film)

/** Runs ffmpeg and notes how each of its runs ended. */
const noting = join(folder, 'ffmpeg.sh')
const notes = join(folder, 'runs')
await writeFile(notes, '')
await chmod(notes, 0o666)
await writeFile(noting, `#!/bin/sh\n${config.FFMPEG_PATH} "$@"\necho "$? $*" >> ${notes}\n`, { mode: 0o755 })
const listenersThatEnded = async () =>
  (await readFile(notes, 'utf8')).split('\n').filter((line) => line.includes('srt-'))

const stack = await liveStack(t)
await stack.startLive({ FFMPEG_PATH: noting })
const channel = await stack.makeChannel()

/** Sends a file's bytes by SRT and holds the connection until they have arrived; without analysis, which would wait for their end. */
const send = (payload: string, url: string) => {
  const options = '-v error -probesize 32 -analyzeduration 0 -fflags nobuffer -f data -i pipe:0 -map 0 -c copy -f data'
  const script = `(cat "$1"; sleep 1) | ${config.FFMPEG_PATH} ${options} -flush_packets 1 "$2"`
  return exitOf(spawn('sh', ['-c', script, 'sh', payload, url], { stdio: 'ignore' }))
}

const playlist = (url: string) =>
  `#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n${url}\n#EXT-X-ENDLIST\n`
const hostile = {
  'an HLS playlist': playlist(`file://${film}`),
  'a list of files': `ffconcat version 1.0\nfile file:${film}\n`,
}

for (const [what, text] of Object.entries(hostile)) {
  t.test(`${what} that comes by SRT opens no file of the worker's host and broadcasts nothing`, async (t) => {
    const before = (await listenersThatEnded()).length
    const payload = join(folder, 'payload')
    // A demuxer is chosen by the first 2 KiB.
    await writeFile(payload, text + '# more\n'.repeat(1_000))
    await until(async () => (await send(payload, channel.srt)) === 0, {
      timeout: 30_000,
      what: 'the payload was taken',
    })
    const [ended] = await until(
      async () => {
        const lines = (await listenersThatEnded()).slice(before)
        return lines.length > 0 && lines
      },
      { timeout: 30_000, what: 'the listener has ended' },
    )
    t.notMatch(ended, /^0 /, 'the listener refused it')
    const { body } = await stack.ask(`GET /v1/stream/live/channels/${channel.id}/broadcasts`)
    t.strictSame(body.data, [], 'no broadcast began')
  })
}

t.test('a port that another program has is told of on the channel, which gets another one', async (t) => {
  const channel = await stack.makeChannel()
  const other = createSocket('udp4')
  other.bind(0, config.HOST)
  await once(other, 'listening')
  t.teardown(async () => void other.close())
  const { port } = other.address()
  await stack.db.query(sql.typeAlias('void')`
    update live.channels set srt_port = ${port} where id = ${channel.id}`)
  const told = await until(
    async () => {
      const shown = await channel.read()
      return shown.lastRefusal && shown
    },
    { timeout: 40_000, what: 'the channel tells of its port' },
  )
  t.match(told.lastRefusal, { source: 'srt', reason: 'port_taken', message: /srt\.port/ })
  t.not(told.ingest.srt.port, port)
})
