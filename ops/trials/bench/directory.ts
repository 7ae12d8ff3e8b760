import { join } from 'node:path'
import { createOrg } from '#sql/account/setup.ts'
import { openPool } from '#sql/db.ts'
import { type Benchmark, median } from './benchmark.ts'
import { runChild, startChild } from './child.ts'
import type { AnswerTimes, AskSettings } from './directory/ask.ts'
import { fill } from './directory/fill.ts'
import { createBenchmarkDatabase, createBenchmarkFolder } from './ground.ts'

/** Maximum time in milliseconds for 99 of 100 responses. */
const mostMs = 20

export const directory: Benchmark = {
  summary: 'response times of lists and searches of the directory with 100,000 videos',
  options: {
    videos: { about: 'listed videos', default: 100_000 },
    requests: { about: 'requests of each kind per round', default: 100 },
    rounds: { about: 'rounds', default: 2 },
  },
  async run({ videos = 100_000, requests = 100, rounds = 2 }, ends) {
    const folder = await createBenchmarkFolder(ends)
    const url = await createBenchmarkDatabase(folder, ends)
    const db = await openPool(url, 2)
    ends.defer(() => db.end())
    const { org, keys } = await createOrg(db, 'bench', 'unlimited', {
      main: { prefix: 'bt_live_', scopes: ['streaming:read'] },
    })
    const begun = performance.now()
    await fill(db, org.id, videos)
    console.log(`  ${videos} videos created in ${Math.round((performance.now() - begun) / 1000)} s`)
    const server = startChild('./directory/serve.ts', { url }, join(folder, 'ingress.log'))
    ends.defer(() => server.end())
    const { port } = await server.next<{ port: number }>()
    const found: Record<string, AnswerTimes[]> = {}
    for (let round = 0; round < rounds; round++) {
      const settings: AskSettings = { port, key: keys.main, requests }
      for (const asked of await runChild<AnswerTimes[]>('./directory/ask.ts', settings)) {
        found[asked.what] = [...(found[asked.what] ?? []), asked]
        console.log(`  ${asked.what}: p50 ${asked.p50.toFixed(1)} ms, p99 ${asked.p99.toFixed(1)} ms`)
      }
    }
    return {
      comparisons: Object.entries(found).map(([what, asked]) => ({
        what: `p99 of ${what}, compared with its limit`,
        unit: 'ms',
        limit: mostMs,
        product: median(asked.map(({ p99 }) => p99)),
        demand: { atMost: 1 },
      })),
      notes: [
        `medians of ${rounds} rounds of ${requests} sequential requests, each page of 20 rows; ${videos} videos in 1,000 channels, one of them with a fifth of all`,
        ...Object.entries(found).map(
          ([what, asked]) => `${what}: p50 ${median(asked.map(({ p50 }) => p50)).toFixed(1)} ms`,
        ),
      ],
      rounds: found,
    }
  },
}
