import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import t from 'tap'
import { forEachConcurrently } from '#lib/concurrency.ts'
import { filesStack } from '../support/files-stack.ts'
import { until } from '../support/until.ts'

t.setTimeout(1_500_000)

/** More than one request of S3 copies, and than clamd reads of a file. */
const size = 5 * 1024 ** 3 + 12_345

/** Largest resident memory of the process in MiB. */
const peakOf = async (pid: number) =>
  Number(/VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

t.test('a file of more than 5 GiB is sent, scanned as a stream, and takes little memory', async (t) => {
  const stack = await filesStack(t)
  const { ask } = stack
  const worker = await stack.startWorkers({ SCAN_LARGE_FILES: 'accept' })
  const idle = await peakOf(worker.pid)
  const facts = {
    product_key: 'crm',
    tenant_id: 'acme',
    filename: 'disk.bin',
    content_type: 'application/octet-stream',
  }
  const started = await ask('POST /v1/files/uploads/multipart', { body: { ...facts, byte_size: size } })
  const { object_id: id, part_size, parts_expected } = started.body
  const numbers = Array.from({ length: parts_expected }, (_, i) => i + 1)
  const zeros = new Uint8Array(part_size)
  const begun = performance.now()
  await forEachConcurrently(numbers, 2, async (number: number) => {
    const signed = await ask(`POST /v1/files/uploads/${id}/parts/sign`, { body: { part_numbers: [number] } })
    const [{ url, bytes }] = signed.body.parts
    const answer = await fetch(url, { method: 'PUT', body: zeros.subarray(0, bytes) })
    if (!answer.ok) throw new Error(`part ${number}: ${answer.status}`)
  })
  const sent = performance.now()
  t.equal((await ask(`POST /v1/files/uploads/${id}/complete`, { body: {} })).status, 200)
  const told = await until(
    async () => {
      const { body } = await ask(`GET /v1/files/objects/${id}`)
      return !['pending', 'scanning'].includes(body.scan_status) && body
    },
    { timeout: 900_000, every: 2_000, what: 'the scan ends' },
  )
  const scanned = performance.now()
  const hash = createHash('sha256')
  for (let left = size; left > 0; left -= zeros.length) hash.update(zeros.subarray(0, Math.min(left, zeros.length)))
  t.match(told, { scan_status: 'clean', sha256: hash.digest('hex'), byte_size: size })
  const peak = await peakOf(worker.pid)
  t.ok(peak - idle < 200, `the worker takes ${Math.round(peak - idle)} MiB more`)
  t.comment(`sent in ${Math.round((sent - begun) / 1000)} s, scanned in ${Math.round((scanned - sent) / 1000)} s`)
  t.comment(`memory of the worker: ${Math.round(idle)} MiB before, ${Math.round(peak)} MiB at most`)
})
