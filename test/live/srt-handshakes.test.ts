import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { newId } from '#lib/ids.ts'
import { createSeal } from '#lib/seal.ts'
import { renderMetrics } from '#lib/telemetry/metrics.ts'
import type { Channel } from '#sql/live/channels.ts'
import { startSrt } from '../../workers/live/ingest/srt.ts'
import { freePort, type Scope } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { signingSecret } from '../support/video-stack.ts'
import { induction } from './induction.ts'

const home = await mkdtemp(join(tmpdir(), 'millrace-handshakes-'))
t.teardown(() => rm(home, { recursive: true, force: true }))
// Listeners are nobody.
await chmod(home, 0o777)
const notes = join(home, 'notes')
/** In place of ffmpeg: notes the name that it publishes by, and stays. */
const program = join(home, 'listener.sh')
await writeFile(program, `#!/bin/sh\nfor name; do :; done\necho "\${name##*/}" >> ${notes}\nexec sleep 60\n`)
await chmod(program, 0o755)
const listening = async () => (await readFile(notes, 'utf8').catch(() => '')).split('\n').filter(Boolean)

const seal = createSeal(signingSecret, 'test')

/** Listeners for some channels, each of which waits. */
async function listeners(t: Scope, options: { channels: number; handshakes: number; folder: string }) {
  await writeFile(notes, '')
  await chmod(notes, 0o666)
  const channels: Channel[] = []
  for (let i = 0; i < options.channels; i++) {
    const id = newId()
    const facts = { id, srt_port: await freePort(), srt_passphrase: seal.close('a passphrase of a channel', id) }
    channels.push(facts as Channel)
  }
  const srtPorts = { list: async () => channels, move: async () => {} }
  const srt = startSrt({
    ...options,
    srtPorts,
    seal,
    ffmpeg: program,
    host: '127.0.0.1',
    rtmp: 'rtmp://127.0.0.1:1/live',
  })
  t.teardown(() => srt.close())
  await srt.follow()
  return { srt, ports: channels.map(({ srt_port }) => srt_port as number) }
}

/** Calls ports again and again, as callers do, until `so` is. */
async function calling(ports: readonly number[], so: () => Promise<boolean>, from = '127.0.0.1') {
  const socket = createSocket('udp4').on('error', () => {})
  socket.bind(0, from)
  await once(socket, 'listening')
  const call = async () => {
    for (const port of ports) socket.send(induction(), port, '127.0.0.1')
    return await so()
  }
  await until(call, { timeout: 20_000, what: 'what the calls bring about' })
  socket.close()
}

const refused = async (mostOf: string) =>
  Number(
    new RegExp(`^millrace_live_srt_refused_total\\{most_of="${mostOf}"\\} (\\d+)`, 'm').exec(
      await renderMetrics('prometheus'),
    )?.[1],
  )

t.test('a datagram for which no listener can be started ends nothing, and the port waits again', async (t) => {
  const folder = join(home, 'gone')
  const { ports } = await listeners(t, { channels: 1, handshakes: 1, folder })
  const socket = createSocket('udp4')
  socket.send(induction(), ports[0], '127.0.0.1', () => socket.close())
  await mkdir(folder)
  await rm(folder, { recursive: true })
  let tries = 0
  await calling(ports, async () => ++tries > 5)
  await mkdir(folder)
  await calling(ports, async () => (await listening()).length === 1)
})

t.test('callers who publish make room for others, who are refused and counted until then', async (t) => {
  const { srt, ports } = await listeners(t, { channels: 3, handshakes: 2, folder: home })
  const before = await refused('worker')
  await calling(ports, async () => (await listening()).length === 2 && (await refused('worker')) > before)
  const [name = ''] = await listening()
  t.ok(srt.published(name))
  await calling(ports, async () => (await listening()).length === 3)
})

t.test('one address does not take the room of all others', async (t) => {
  const { ports } = await listeners(t, { channels: 10, handshakes: 64, folder: home })
  const before = await refused('address')
  await calling(ports, async () => (await listening()).length === 8 && (await refused('address')) > before)
  await calling(ports, async () => (await listening()).length === 10, '127.0.0.2')
})
