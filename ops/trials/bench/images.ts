import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import sharp from 'sharp'
import { type Benchmark, median } from './benchmark.ts'
import { runChild } from './child.ts'
import { cpuSum, measureTreeCpu, subtractCpu } from './cpu.ts'
import { createBenchmarkFolder } from './ground.ts'
import type { BareResult, BareSettings } from './images/bare.ts'
import type { LoadSettings } from './origin/load.ts'
import { startNginx } from './origin/nginx.ts'
import type { Comparison } from './report.ts'
import type { LoadResult } from './tally.ts'
import { startStack } from './transcode/stack.ts'

const width = 800

const formats = ['avif', 'webp', 'jpeg'] as const

type Format = (typeof formats)[number]

export const images: Benchmark = {
  summary: 'transformation of a 12-megapixel JPEG compared with bare sharp, and stored variants per second',
  options: {
    times: { about: 'transformations of each format and round', default: 12 },
    seconds: { about: 'seconds of each measurement of stored variants', default: 4 },
    rounds: { about: 'rounds', default: 3 },
  },
  async run({ times = 12, seconds = 4, rounds = 3 }, ends) {
    const folder = await createBenchmarkFolder(ends)
    const stack = await startStack(folder, ends, { FRESHCLAM: 'false' })
    const photo = join(folder, 'photo.jpg')
    await writeFile(photo, await createPhoto())
    const url = await publish({ base: stack.facts.base_url, key: stack.facts.keys.platform ?? '' }, photo)
    const idle = await measureIdle(stack.pid)
    const took = { bare: emptyTimes(), ours: emptyTimes() }
    const cpu = { bare: emptyTimes(), ours: emptyTimes() }
    for (let round = 0; round < rounds; round++) {
      for (const format of formats) {
        // Each quality is another variant.
        const qualities = Array.from({ length: times }, (_, i) => 51 + i + round * times)
        const bare: BareSettings = { path: photo, width, format, qualities }
        const alone = await runChild<BareResult>('./images/bare.ts', bare)
        took.bare[format].push(...alone.took)
        cpu.bare[format].push(alone.cpuMs)
        const before = await measureTreeCpu(stack.pid)
        const ours = await request(qualities.map((q) => `${url}?w=${width}&format=${format}&q=${q}`))
        const used = cpuSum(subtractCpu(before, await measureTreeCpu(stack.pid)))
        took.ours[format].push(...ours)
        cpu.ours[format].push((used * 1_000 - idle * sum(ours)) / times)
      }
    }
    const stored = await measureStored(
      { folder, pid: stack.pid },
      `${url}?w=${width}&format=webp&q=75`,
      { seconds, rounds },
      ends,
    )
    return {
      comparisons: [
        ...formats.map((format) => compare(format, 'duration', took)),
        ...formats.map((format) => compare(format, 'CPU', cpu)),
        stored.comparison,
      ],
      notes: [
        `without the ${Math.round(idle * 1_000)} ms of CPU per second that the idle stack takes`,
        `a JPEG of 4000 × 3000 pixels to ${width} pixels, medians of ${times * rounds} requests one after another`,
        `stored variant of ${stored.bytes} bytes: p50 ${stored.p50.toFixed(1)} ms, p99 ${stored.p99.toFixed(1)} ms with ${connections} connections, ${Math.round(stored.cpuMicroseconds)} µs of CPU per request`,
      ],
      rounds: took,
    }
  },
}

const idleMs = 5_000

/** Returns the share of a core that the stack takes without requests. */
async function measureIdle(pid: number): Promise<number> {
  const before = await measureTreeCpu(pid)
  await pause(idleMs)
  return (cpuSum(subtractCpu(before, await measureTreeCpu(pid))) * 1_000) / idleMs
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)

const emptyTimes = (): Record<Format, number[]> => ({ avif: [], webp: [], jpeg: [] })

function compare(format: Format, fact: string, took: Record<'bare' | 'ours', Record<Format, number[]>>): Comparison {
  const [limit, product] = [median(took.bare[format]), median(took.ours[format])]
  return {
    what: `${fact} of a new ${format} variant, compared with bare sharp`,
    unit: 'ms',
    limit,
    product,
    demand: { atMost: 1.3 },
  }
}

/** An image with the detail of a photograph. */
async function createPhoto(): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const
  const small = await sharp({ create: { width: 1_000, height: 750, channels: 3, background: '#888', noise } })
    .png()
    .toBuffer()
  return await sharp(small).resize(4_000, 3_000, { kernel: 'cubic' }).blur(1.5).jpeg({ quality: 88 }).toBuffer()
}

interface Api {
  base: string
  key: string
}

/** Uploads the image, waits for its scan, and makes it public. Returns its URL. */
async function publish({ base, key }: Api, path: string): Promise<string> {
  const bytes = await readFile(path)
  const call = async (method: string, route: string, body?: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const reply = await fetch(`${base}/v1/files${route}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!reply.ok) throw new Error(`${method} ${route}: ${reply.status} ${await reply.text()}`)
    // biome-ignore lint/suspicious/noExplicitAny: the responses of three operations.
    return (await reply.json()) as any
  }
  const facts = { product_key: 'bench', tenant_id: 'bench', filename: 'photo.jpg', content_type: 'image/jpeg' }
  const upload = await call('POST', '/uploads', { ...facts, byte_size: bytes.length, visibility: 'public' })
  await fetch(upload.upload_url, { method: 'PUT', body: bytes, headers: upload.upload_headers })
  let object = await call('POST', `/uploads/${upload.object_id}/complete`, {})
  while (object.scan_status !== 'clean') {
    if (/pending|scanning/.test(object.scan_status)) await pause(200)
    else throw new Error(`The image is ${object.scan_status}.`)
    object = await call('GET', `/objects/${upload.object_id}`)
  }
  const url = `${base}/f/${upload.object_id}/photo.jpg`
  // The first request starts the processes of the engine.
  await request([`${url}?w=${width - 1}`, `${url}?w=${width - 2}`])
  return url
}

async function request(urls: readonly string[]): Promise<number[]> {
  const took: number[] = []
  for (const url of urls) {
    const begun = performance.now()
    const reply = await fetch(url)
    await reply.arrayBuffer()
    if (reply.status !== 200) throw new Error(`${url}: ${reply.status}`)
    took.push(performance.now() - begun)
  }
  return took
}

const connections = 16

async function measureStored(
  { folder, pid }: { folder: string; pid: number },
  url: string,
  { seconds, rounds }: { seconds: number; rounds: number },
  ends: AsyncDisposableStack,
) {
  const bytes = Buffer.from(await (await fetch(url)).arrayBuffer())
  const nginx = await startNginx(folder, { 'photo.webp': bytes }, ends)
  const load = (target: string): LoadSettings => ({ urls: [target], status: 200, follow: false, connections, seconds })
  const found: Record<'nginx' | 'ours', LoadResult[]> = { nginx: [], ours: [] }
  const cpu: number[] = []
  for (let round = 0; round < rounds; round++) {
    found.nginx.push(await runChild<LoadResult>('./origin/load.ts', load(`http://127.0.0.1:${nginx.port}/photo.webp`)))
    const before = await measureTreeCpu(pid)
    const loaded = await runChild<LoadResult>('./origin/load.ts', load(url))
    found.ours.push(loaded)
    const used = cpuSum(subtractCpu(before, await measureTreeCpu(pid)))
    cpu.push((used / loaded.perSecond / (seconds + 0.5)) * 1e6)
  }
  const refused = found.ours.find(({ refused }) => refused > 0)
  if (refused) throw new Error(`${refused.refused} requests were rejected. The first response: ${refused.refusal}`)
  const of = (side: keyof typeof found, fact: 'perSecond' | 'p50' | 'p99') =>
    median(found[side].map((one) => one[fact]))
  const comparison: Comparison = {
    what: 'stored variant, compared with nginx and a file',
    unit: '/s',
    limit: of('nginx', 'perSecond'),
    product: of('ours', 'perSecond'),
    demand: { productAtLeast: 1_500 },
  }
  return {
    comparison,
    bytes: bytes.length,
    cpuMicroseconds: median(cpu),
    p50: of('ours', 'p50'),
    p99: of('ours', 'p99'),
  }
}
