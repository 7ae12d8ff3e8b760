import { mint } from '../../video-client.ts'
import { type Benchmark, median } from './benchmark.ts'
import { runChild } from './child.ts'
import { cpuSum, measureTreeCpu, subtractCpu } from './cpu.ts'
import { createBenchmarkFolder } from './ground.ts'
import type { LoadSettings } from './origin/load.ts'
import { startNginx } from './origin/nginx.ts'
import { type StoredVideo, storeVideo } from './origin/package.ts'
import type { Comparison } from './report.ts'
import type { LoadResult } from './tally.ts'
import { startStack } from './transcode/stack.ts'

type Target = Pick<LoadSettings, 'urls' | 'status' | 'follow'>
type Measurement = LoadResult & { cpuMicroseconds: number }
type Measurements = Record<string, Measurement[]>

const connections = 16
const viewers = 50

export const origin: Benchmark = {
  summary: 'playlists and segments per second with token checks, compared with nginx and the same bytes as files',
  options: {
    seconds: { about: 'seconds of each measurement', default: 3 },
    rounds: { about: 'rounds', default: 2 },
    kilobytes: { about: 'size of a segment', default: 512 },
  },
  async run({ seconds = 3, rounds = 2, kilobytes = 512 }, ends) {
    const folder = await createBenchmarkFolder(ends)
    const stack = await startStack(folder, ends)
    const film = await storeVideo(stack.facts, kilobytes * 1024)
    const files = { '720p.m3u8': Buffer.from(film.playlist), ...film.segments }
    const nginx = await startNginx(folder, files, ends)
    const api = { base: stack.facts.base_url, key: stack.facts.keys.stream ?? '' }
    const sessions = await Promise.all(Array.from({ length: viewers }, () => mint(api, film.assetId)))
    const targets = targetsOf(film, `http://127.0.0.1:${nginx.port}`, sessions)
    const found: Measurements = Object.fromEntries(Object.keys(targets).map((name) => [name, []]))
    for (let round = 0; round < rounds; round++) {
      for (const [name, target] of Object.entries(targets)) {
        const pid = name.startsWith('nginx') ? nginx.pid : stack.pid
        const loaded = await measure(pid, { ...target, connections, seconds })
        if (loaded.refused > 0)
          throw new Error(`${loaded.refused} of ${name} requests were rejected. The first response: ${loaded.refusal}`)
        console.log(
          `  ${name}: ${Math.round(loaded.perSecond)}/s, p50 ${loaded.p50.toFixed(1)} ms, p99 ${loaded.p99.toFixed(1)} ms`,
        )
        found[name]?.push(loaded)
      }
    }
    return {
      comparisons: compare(found),
      notes: [
        `medians of ${rounds} rounds of ${seconds} s, ${connections} connections, ${viewers} tokens; the limit is ${nginx.version}, which checks nothing`,
        `a playlist of ${film.playlist.length} bytes, segments of ${kilobytes} KB; one ingress process and the embedded store`,
        ...Object.keys(found).map((name) => noteOf(name, found)),
      ],
      rounds: found,
    }
  },
}

/** Runs the load and measures the CPU per request of all serving processes. Other load hardly changes this value. */
async function measure(pid: number, load: LoadSettings): Promise<Measurement> {
  const before = await measureTreeCpu(pid)
  const loaded = await runChild<LoadResult>('./origin/load.ts', load)
  const cpu = cpuSum(subtractCpu(before, await measureTreeCpu(pid)))
  return { ...loaded, cpuMicroseconds: (cpu / loaded.perSecond / (load.seconds + 0.5)) * 1e6 }
}

function targetsOf({ packageId, segments }: StoredVideo, nginx: string, sessions: readonly { hlsUrl: string }[]) {
  const names = Object.keys(segments)
  const below = (file: (i: number) => string) =>
    sessions.map(({ hlsUrl }, i) => hlsUrl.replace(/master\.m3u8$/, `${packageId}/${file(i)}`))
  const segmentUrls = below((i) => names[i % names.length] ?? '')
  return {
    'nginx, playlist': { urls: [`${nginx}/720p.m3u8`], status: 200, follow: false },
    'origin, playlist': { urls: below(() => '720p.m3u8'), status: 200, follow: false },
    'nginx, segment': { urls: names.map((name) => `${nginx}/${name}`), status: 200, follow: false },
    'origin, answer to a segment': { urls: segmentUrls, status: 302, follow: false },
    'origin, segment by redirect': { urls: segmentUrls, status: 200, follow: true },
  } satisfies Record<string, Target>
}

const of = (found: Measurements, name: string, fact: 'perSecond' | 'p50' | 'p99' | 'share' | 'cpuMicroseconds') =>
  median((found[name] ?? []).map((loaded) => loaded[fact]))

function compare(found: Measurements): Comparison[] {
  const rate = (what: string, beside: string, atLeast: number): Comparison => ({
    what,
    unit: '/s',
    demand: { atLeast },
    limit: of(found, beside, 'perSecond'),
    product: of(found, what, 'perSecond'),
  })
  const slowest = (what: string, beside: string, atMost: number): Comparison => ({
    what: `p99 of ${what}`,
    unit: 'ms',
    demand: { atMost },
    limit: of(found, beside, 'p99'),
    product: of(found, what, 'p99'),
  })
  return [
    rate('origin, playlist', 'nginx, playlist', 0.05),
    rate('origin, answer to a segment', 'nginx, segment', 0.3),
    rate('origin, segment by redirect', 'nginx, segment', 0.1),
    slowest('origin, playlist', 'nginx, playlist', 20),
    slowest('origin, segment by redirect', 'nginx, segment', 20),
  ]
}

function noteOf(name: string, found: Measurements): string {
  const [p50, p99] = [of(found, name, 'p50').toFixed(2), of(found, name, 'p99').toFixed(2)]
  const cpu = of(found, name, 'cpuMicroseconds').toFixed(0)
  return `${name}: p50 ${p50} ms, p99 ${p99} ms, ${cpu} µs of CPU per request, the load generator ${of(found, name, 'share').toFixed(2)} of a core`
}
