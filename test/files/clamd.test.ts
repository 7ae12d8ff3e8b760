import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { createClamd } from '../../workers/scan/clamd.ts'

const mebibyte = 1024 ** 2
const signal = new AbortController().signal

/** A clamd that takes a stream a little at a time, and tells how many bytes of it came before its end. */
async function slowReader(t: Test) {
  const told = Promise.withResolvers<number>()
  const server = createServer((client) => void read(client).then(told.resolve, told.reject))
  const folder = await mkdtemp(join(tmpdir(), 'millrace-slow-'))
  const socket = join(folder, 'clamd.sock')
  server.listen(socket)
  await once(server, 'listening')
  t.teardown(async () => {
    server.close()
    await rm(folder, { recursive: true })
  })
  return { address: { socket }, told: told.promise }
}

async function read(client: Socket): Promise<number> {
  let kept: Buffer = Buffer.alloc(0)
  let bytes = 0
  let isBegun = false
  for await (const chunk of client) {
    kept = Buffer.concat([kept, chunk as Buffer])
    if (!isBegun && kept.includes(0)) {
      kept = kept.subarray(kept.indexOf(0) + 1)
      isBegun = true
    }
    while (kept.length >= 4 && kept.length >= 4 + kept.readUInt32BE(0)) {
      const length = kept.readUInt32BE(0)
      if (length === 0) {
        client.end('stream: OK\0')
        return bytes
      }
      bytes += length
      kept = kept.subarray(4 + length)
    }
    await pause(1)
  }
  throw new Error('The stream did not end.')
}

t.test('the end of a stream is told to clamd behind the last of its bytes, however slowly it reads', async (t) => {
  for (const size of [8 * mebibyte, 8 * mebibyte + 1, 1]) {
    const { address, told } = await slowReader(t)
    const engine = createClamd(address, 64 * mebibyte)
    const chunks = Array.from({ length: Math.ceil(size / 131_072) }, (_, i) =>
      Buffer.alloc(Math.min(131_072, size - i * 131_072), 7),
    )
    const verdict = await engine.scan(Readable.from(chunks, { objectMode: false }), size, signal)
    t.equal(await told, size)
    t.strictSame(verdict, { status: 'clean' })
  }
})
