import '../support/verify-environment.ts'
import { execFile } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { z } from 'zod'
import { revealText } from '#lib/hidden-text.ts'
import { sql } from '#sql/db.ts'
import { until } from '../support/until.ts'
import { phone, startSip, trunksTo } from '../voice/stack.ts'
import { phoneStack } from './phone-stack.ts'

t.setTimeout(240_000)
const run = promisify(execFile)
const stack = await phoneStack(t)
await stack.startWorkers()
const shop = await stack.customer()
const folder = t.testdir()

/** A telephone that stores what it hears. */
async function listen() {
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.teardown(() => socket.close())
  const packets: Buffer[] = []
  socket.on('message', (packet) => packets.push(packet))
  return { port: socket.address().port, packets }
}

/** Reads the samples of a sound file with ffmpeg. */
async function samplesOf(...input: string[]): Promise<Int16Array> {
  const options = { encoding: 'buffer' as const, maxBuffer: 2 ** 25 }
  const args = ['-v', 'error', ...input, '-ar', '8000', '-ac', '1', '-f', 's16le', '-']
  const { stdout } = await run('ffmpeg', args, options)
  return new Int16Array(stdout.buffer.slice(stdout.byteOffset, stdout.byteOffset + stdout.length - (stdout.length % 2)))
}

/** Loudness per 20 ms: two recordings of the same words have the same shape. */
const shapeOf = (samples: Int16Array): number[] =>
  Array.from({ length: Math.floor(samples.length / 160) }, (_, i) =>
    samples.subarray(i * 160, (i + 1) * 160).reduce((sum, sample) => sum + Math.abs(sample), 0),
  )

function correlation(a: readonly number[], b: readonly number[]): number {
  const length = Math.min(a.length, b.length)
  const mean = (of: readonly number[]) => of.slice(0, length).reduce((sum, value) => sum + value, 0) / length
  const [meanA, meanB] = [mean(a), mean(b)]
  let [both, squareA, squareB] = [0, 0, 0]
  for (let i = 0; i < length; i++) {
    const [x, y] = [(a[i] as number) - meanA, (b[i] as number) - meanB]
    both += x * y
    squareA += x * x
    squareB += y * y
  }
  return both / Math.sqrt(squareA * squareB)
}

t.test('a call speaks the code twice, and the spoken code is approved', async (t) => {
  const heard = await listen()
  const a = await phone(t, 'hears', { audioPort: heard.port })
  const stop = await startSip(t, stack.databaseUrl, stack.db, trunksTo(a.port, a.port))
  const to = '+37251000001'
  const { body, text } = await shop.start(to, { channel: 'voice', brand: 'Shop' })
  t.match(body, { status: 'pending', channel: 'voice' }, text)
  const { id } = body
  await until(async () => (await shop.read(id)).delivery === 'delivered', {
    timeout: 60_000,
    what: 'the call has ended',
  })
  t.equal(await a.ended, 0, a.errors())
  const { message_id } = await shop.read(id)
  const call = (await shop.ask(`GET /v1/voice/calls/${message_id}`)).body
  t.match(call, { status: 'completed', reason: 'spoken', ended_by: 'platform', to, from: '+3726000001' })
  t.equal(call.legs.length, 1)

  const first = heard.packets[0] as Buffer
  t.match({ version: (first[0] as number) >> 6, format: (first[1] as number) & 0x7f }, { version: 2, format: 8 })
  const numbers = heard.packets.map((packet) => packet.readUInt16BE(2))
  t.ok(
    numbers.every((number, i) => i === 0 || number === (((numbers[i - 1] as number) + 1) & 0xffff)),
    'no packet is missing',
  )
  const raw = join(folder, 'heard.alaw')
  await writeFile(raw, Buffer.concat(heard.packets.map((packet) => packet.subarray(12))))
  const spoken = await samplesOf('-f', 'alaw', '-ar', '8000', '-i', raw)

  const stored = await stack.db.oneFirst(sql.type(z.object({ digits: z.string() }))`
    select speech ->> 'digits' as digits from voice.calls where id = ${message_id}`)
  t.match(stored, /^\[\[hidden:/)
  const code = revealText(stored, to, 's'.repeat(32))
  const speak = async (digits: string) => {
    const sentence = `Your code for Shop is: ${[...digits].join(', ')}.\n`
    const file = join(folder, `${digits}.wav`)
    const said = run('espeak-ng', ['-v', 'en-gb', '-s', '130', '-g', '4', '-b', '1', '--stdin', '-w', file])
    said.child.stdin?.end(`${sentence}\n\n${sentence}`)
    await said
    return shapeOf(await samplesOf('-i', file))
  }
  const shape = shapeOf(spoken).slice(25)
  const other = code === '888888' ? '111111' : '888888'
  const [same, different] = [correlation(shape, await speak(code)), correlation(shape, await speak(other))]
  t.comment(`correlation with the code ${same.toFixed(3)}, with another code ${different.toFixed(3)}`)
  t.ok(same > 0.95, `${same}`)
  t.ok(different < 0.8, `${different}`)
  t.match((await shop.check({ id, code })).body, { status: 'approved' })
  await stop()
})

t.test('a busy phone makes the verification undeliverable', async (t) => {
  const a = await phone(t, 'busy')
  await startSip(t, stack.databaseUrl, stack.db, trunksTo(a.port, a.port))
  const { body } = await shop.start('+37251000001', { channel: 'voice' })
  await until(async () => (await shop.read(body.id)).status === 'undeliverable', { timeout: 30_000 })
  t.match(await shop.read(body.id), { delivery: 'failed', reason: 'busy' })
})
