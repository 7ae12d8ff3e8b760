import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import t from 'tap'
import type { Examination } from '#tasks/files/engine.ts'
import { examineStream } from '../../workers/scan/examine-stream.ts'
import { filesStack } from '../support/files-stack.ts'
import { noise } from '../support/video-stack.ts'
import { eicar } from './archives.ts'
import { engineOf, standIn } from './stand-in.ts'

t.setTimeout(180_000)

const signal = new AbortController().signal
const windows = { size: 1_000, overlap: 100 }
/** Bytes that a signature of this test recognises anywhere. */
const marker = Buffer.from('a marker that no other file of these tests has')
const bin = { name: 'backup.bin', declaredType: 'application/octet-stream' }

async function* chunks(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const examine = (
  bytes: Buffer,
  { file = bin, size = 333, acceptsLarge = false, engine = standIn } = {},
): Promise<Examination> =>
  examineStream({ ...file, size: bytes.length }, chunks(bytes, size), engine, { signal, windows, acceptsLarge })

t.test('malware is found wherever it is, also where two windows meet', async (t) => {
  for (const at of [0, 870, 930, 999, 1_000, 1_001, 1_890, 4_000]) {
    for (const size of [1, 64, 999, 1_000, 5_000]) {
      const bytes = Buffer.from(noise(5_000))
      eicar.copy(bytes, at)
      const found = await examine(bytes, { size })
      t.match(found, { status: 'infected', reasons: [{ code: 'malware' }] }, `${at}, in chunks of ${size}`)
    }
  }
})

t.test('the engine gets every byte once, and the overlap twice, and no window is too large', async (t) => {
  const bytes = Buffer.from(noise(5_432))
  const seen: Buffer[] = []
  const engine = engineOf(async (stream) => {
    const all: Buffer[] = []
    for await (const chunk of stream as Readable) all.push(chunk as Buffer)
    seen.push(Buffer.concat(all))
    return { status: 'clean' }
  })
  await examine(bytes, { engine })
  t.ok(seen.every(({ length }) => length <= 1_000))
  const joined = Buffer.concat(seen.map((window, i) => (i === 0 ? window : window.subarray(100))))
  t.ok(joined.equals(bytes))
})

t.test('a file that was not unpacked is not clean, unless the policy accepts it', async (t) => {
  const plain = Buffer.from(noise(3_000))
  t.match(await examine(plain), { status: 'unscannable', reasons: [{ code: 'scanned_in_windows' }] })
  t.match(await examine(plain, { acceptsLarge: true }), { status: 'clean', reasons: [{ code: 'scanned_in_windows' }] })
  const zip = Buffer.concat([Buffer.from('PK\x03\x04'), plain])
  const pdf = Buffer.concat([Buffer.from('%PDF-1.7\n'), plain])
  const page = Buffer.concat([Buffer.from('<!doctype html><script>'), Buffer.alloc(3_000, 'a')])
  const program = Buffer.concat([Buffer.from('\x7fELF\x02\x01\x01'), plain])
  const ending = Buffer.concat([plain, Buffer.from('PK\x05\x06'), Buffer.alloc(18)])
  for (const [name, bytes] of Object.entries({ zip, pdf, page, program, ending }))
    t.not((await examine(bytes, { acceptsLarge: true })).status, 'clean', name)
  const renamed = await examine(plain, {
    file: { name: 'photo.jpg.exe', declaredType: 'image/jpeg' },
    acceptsLarge: true,
  })
  t.equal(renamed.status, 'suspicious', 'names are checked as usual')
  const failing = engineOf(async (stream) => {
    for await (const _ of stream as Readable);
    return { status: 'unscannable', signature: 'Heuristics.Limits.Exceeded' }
  })
  t.equal((await examine(plain, { engine: failing, acceptsLarge: true })).status, 'unscannable')
})

t.test('a file above the limit is scanned as a stream, and its verdict contains this reason', async (t) => {
  const stack = await filesStack(t)
  await writeFile(join(stack.clamd.signatures, 'marker.ndb'), `Test.Marker:0:*:${marker.toString('hex')}\n`)
  await stack.clamd.reload()
  const limited = { SCAN_MAX_BYTES: '1000000' }
  const worker = await stack.startWorkers(limited)
  const bytes = noise(3_000_000)
  const large = await stack.send(bytes, { filename: 'backup.bin', content_type: 'application/octet-stream' })
  const told = await stack.settled(large.body.object_id)
  t.match(told, {
    scan_status: 'unscannable',
    sha256: createHash('sha256').update(bytes).digest('hex'),
    verdict: { reasons: [{ code: 'scanned_in_windows', detail: /not unpacked/ }] },
  })
  t.equal((await stack.download(large.body.object_id)).asked.status, 409, 'it cannot be downloaded')
  const infected = Buffer.from(noise(3_000_000))
  marker.copy(infected, 1_999_990)
  const bad = await stack.send(infected, { filename: 'bad.bin', content_type: 'application/octet-stream' })
  t.match(await stack.settled(bad.body.object_id), { scan_status: 'infected' })
  await worker.stop()

  await stack.startWorkers({ ...limited, SCAN_LARGE_FILES: 'accept' })
  const accepted = await stack.send(noise(3_000_001), { filename: 'ok.bin', content_type: 'application/octet-stream' })
  t.match(await stack.settled(accepted.body.object_id), {
    scan_status: 'clean',
    verdict: { reasons: [{ code: 'scanned_in_windows' }] },
  })
  t.equal((await stack.download(accepted.body.object_id)).bytes?.length, 3_000_001)
})
